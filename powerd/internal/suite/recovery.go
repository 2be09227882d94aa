package suite

import (
	"fmt"
	"time"
)

// Recovery is the kind of a step that lets the drive pause between loads and sees what
// that gives it.
const Recovery = "recovery"

// Pausing is of a recovery: after each of Pauses the drive is loaded for the step's
// duration, Bursts times, and then as long without pauses.
type Pausing struct {
	Pauses []Duration `yaml:"pauses"`
	Bursts int        `yaml:"bursts"`
	Fresh  string     `yaml:"fresh"` // a load before it, whose IOPS are those of the fresh drive; a step in rounds stands for its first
}

const maxPause = 24 * time.Hour

// Paused is a plan's load with pauses, or one beside it without.
type Paused struct {
	PauseNs int64  `json:"pause_ns"` // 0 = without
	LoadNs  int64  `json:"load_ns"`  // between two pauses
	Bursts  int    `json:"bursts"`   // that follow a pause
	Base    string `json:"base"`     // the load without pauses that came before them all
	Fresh   string `json:"fresh,omitempty"`
}

// recovery expands into a load without pauses, and one with each pause, each followed by
// one without.
func (st *FileStep) recovery(base Step) Plan {
	load := time.Duration(st.Duration)
	whole := load * time.Duration(st.Bursts)
	paused := Paused{LoadNs: load.Nanoseconds(), Bursts: st.Bursts, Base: st.Name + "-base", Fresh: st.Fresh}
	without := func(part string) Step {
		s := base
		s.Within, s.Duration, s.Job.Duration = Recovery, whole, whole
		s.Paused = &paused
		s.add(part)
		return s
	}
	plan := Plan{without("base")}
	for _, p := range st.Pauses {
		pause := time.Duration(p)
		with := without(short(pause))
		of := paused
		of.PauseNs = pause.Nanoseconds()
		with.Paused = &of
		with.Job.Pause, with.Job.PauseEvery = pause, load
		// The load before the first pause follows none, and fio 3.33 makes it longer by a
		// pause: so many whole ones come after it in either case.
		with.Job.Duration = time.Duration(st.Bursts+1) * (pause + load)
		with.Duration = with.Job.Duration
		plan = append(plan, with, without("after-"+short(pause)))
	}
	return plan
}

// short writes a pause for a name: "5s", "1m30s".
func short(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

// pauses refuses a recovery that could not be told from its loads, and pauses elsewhere.
func (c *checker) pauses(st *FileStep) {
	if st.Kind != Recovery {
		if st.Pauses != nil || st.Bursts != 0 || st.Fresh != "" {
			c.fault(st.line, "pauses, bursts, fresh: they belong to %s, not to %s", Recovery, st.Kind)
		}
		return
	}
	if len(st.Pauses) == 0 {
		c.fault(st.line, "pauses: a recovery needs them, e.g. [5s, 10s, 15s, 25s, 50s]")
	}
	for _, p := range st.Pauses {
		if d := time.Duration(p); d < leastLoad || d > maxPause {
			c.fault(st.line, "pauses: %v: a pause is %v to %v", d, leastLoad, maxPause)
		}
	}
	c.between(st, "bursts", st.Bursts, 2, maxCells)
	if d := time.Duration(st.Duration); d != 0 && d < leastLoad {
		c.fault(st.line, "duration: %v: the load between two pauses lasts %v at least", d, leastLoad)
	}
	c.ownLoads(st)
	if st.Ramp != 0 || st.Fio != nil && st.Fio.RateIOPS != 0 {
		c.fault(st.line, "ramp, fio.rate_iops: a recovery is as fast as the drive goes, from the first IO on")
	}
}

// freshNamed refuses the name of a step that is no load before the recovery.
func (c *checker) freshNamed(s *Suite) {
	loads := map[string]bool{}
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Kind == Recovery && st.Fresh != "" && !loads[st.Fresh] {
			c.fault(st.line, "fresh: %q is no load before this step", st.Fresh)
		}
		if st.Kind == Load {
			loads[st.Name] = true
		}
	}
}
