package suite

import (
	"fmt"
	"time"

	"powerd/analysis/steady"
	"powerd/engine"
)

// Repeat asks for a load, or a whole matrix, in rounds: every pass over all its cells is
// one. What is compared are the first FreshRounds and the last LastRounds of them.
type Repeat struct {
	Rounds       int     `yaml:"rounds"`
	FreshRounds  int     `yaml:"fresh_rounds"`
	LastRounds   int     `yaml:"last_rounds"`
	UntilWritten float64 `yaml:"until_written"` // no round begins once so many capacities of the drive were written; 0 = all do. Of a load without rounds: it ends then

	UntilSteady *UntilSteady `yaml:"until_steady"` // no round begins once the rule is met
}

// Trial is what a step does otherwise on an emulated drive, whose capacity is small and
// whose time is nobody's; what is zero stays as it is.
type Trial struct {
	Duration   Duration `yaml:"duration"`
	Ramp       Duration `yaml:"ramp"`
	AfterReady Duration `yaml:"after_ready"` // of a power cycle: it lasts at least until so long after the drive is ready
	OffTime    Duration `yaml:"off_time"`
	Cycles     int      `yaml:"cycles"`
	Over       *Over    `yaml:"over"`
	QD         int      `yaml:"qd"`   // in place of fio's
	Jobs       int      `yaml:"jobs"` // the same
	Repeat     `yaml:",inline"`
	Settle     *Settle `yaml:"settle"`
}

const (
	maxCycles       = 1000
	maxUntilWritten = 1000
	maxAfterReady   = time.Hour
)

// on returns the step as it is done, on an emulated drive or on a real one.
func (st *FileStep) on(twin bool) FileStep {
	out := *st
	t := st.OnTwin
	out.OnTwin = nil
	if t == nil || !twin {
		return out
	}
	instead(&out.Duration, t.Duration)
	instead(&out.Ramp, t.Ramp)
	instead(&out.OffTime, t.OffTime)
	instead(&out.Cycles, t.Cycles)
	instead(&out.Rounds, t.Rounds)
	instead(&out.FreshRounds, t.FreshRounds)
	instead(&out.LastRounds, t.LastRounds)
	instead(&out.UntilWritten, t.UntilWritten)
	instead(&out.UntilSteady, t.UntilSteady)
	instead(&out.Over, t.Over)
	if out.Fio != nil {
		fio := *out.Fio
		instead(&fio.QD, t.QD)
		instead(&fio.Jobs, t.Jobs)
		out.Fio = &fio
	}
	instead(&out.Settle, t.Settle)
	out.untilSteady()
	return out
}

// outlast makes a power cycle on an emulated drive as long as this drive's start-up wants
// it, in whole seconds; on another it stays as it is.
func (st *FileStep) outlast(trial *Trial, startUp time.Duration) {
	if trial == nil || trial.AfterReady == 0 {
		return
	}
	least := startUp + time.Duration(trial.AfterReady)
	st.Duration = max(st.Duration, Duration((least + time.Second - 1).Truncate(time.Second)))
}

// untilSteady gives rounds that end with a rule their number, where none is given.
func (st *FileStep) untilSteady() {
	if st.UntilSteady != nil && st.Rounds == 0 {
		st.Rounds = steady.MaxRounds
	}
}

func instead[T comparable](into *T, v T) {
	var zero T
	if v != zero {
		*into = v
	}
}

// repeat makes the cycles, or the rounds, of a step's plan.
func (st *FileStep) repeat(once Plan) Plan {
	if st.Cycles <= 1 && st.Rounds == 0 {
		for i := range once {
			once[i].UntilWritten = st.UntilWritten
		}
		return once
	}
	var out Plan
	rule := st.UntilSteady.rule(once)
	for n := 1; n <= st.Cycles; n++ {
		cycle := once[0]
		cycle.Name = fmt.Sprintf("%s-%0*d", st.Name, digits(st.Cycles), n)
		out = append(out, cycle)
	}
	for n := 1; n <= st.Rounds; n++ {
		for _, cell := range once {
			cell.Cell, cell.Round, cell.Repeat, cell.Steady = cell.Name, n, st.Repeat, rule
			cell.Name = fmt.Sprintf("%s-r%0*d", cell.Name, max(2, digits(st.Rounds)), n)
			out = append(out, cell)
		}
	}
	return out
}

func digits(n int) int { return len(fmt.Sprint(n)) }

// repeats refuses rounds that cannot be told apart, compared, or counted.
func (c *checker) repeats(st *FileStep, loads bool) {
	if st.Cycles != 0 {
		if st.Kind != PowerCycle {
			c.fault(st.line, "cycles: they belong to %s, not to %s", PowerCycle, st.Kind)
		}
		c.between(st, "cycles", st.Cycles, 1, maxCycles)
	}
	if st.Repeat == (Repeat{}) {
		return
	}
	if !loads {
		c.fault(st.line, "rounds, fresh_rounds, last_rounds, until_written, until_steady: they belong to load and matrix, not to %s", st.Kind)
		return
	}
	c.untilSteady(st)
	if st.Repeat == (Repeat{UntilWritten: st.UntilWritten}) && st.Kind == Load {
		c.untilWritten(st)
	} else {
		c.between(st, "rounds", st.Rounds, 1, maxCells)
	}
	switch fresh, last := st.FreshRounds, st.LastRounds; {
	case fresh < 0 || last < 0 || (fresh == 0) != (last == 0):
		c.fault(st.line, "fresh_rounds, last_rounds: %d, %d: it takes both of them, 1 or more each, to compare", fresh, last)
	case fresh+last > st.Rounds:
		c.fault(st.line, "fresh_rounds, last_rounds: %d + %d: there are %d rounds, and none may stand in both", fresh, last, st.Rounds)
	}
	if u := st.UntilWritten; u != 0 {
		if !(u > 0 && u <= maxUntilWritten) {
			c.fault(st.line, "until_written: %g: it is above 0, up to %d capacities", u, maxUntilWritten)
		}
		if plan := st.once(); !plan.Writes() {
			c.fault(st.line, "until_written: nothing is written in this step")
		}
	}
}

// untilWritten refuses loads that are to end by themselves once so much is written, of
// which nobody could say how much that is.
func (c *checker) untilWritten(st *FileStep) {
	if f := st.Fio; f != nil && (f.File != "" || engine.Mixed(f.RW) || engine.OnlyReads(f.RW) || f.Jobs > 1) {
		c.fault(st.line, "until_written: without rounds it ends a load of rw write or randwrite in one job; give rounds: to look at the sum after each")
	}
}

// once returns the step's cells of one round.
func (st *FileStep) once() Plan {
	single := *st
	single.Cycles, single.Repeat, single.OnTwin = 0, Repeat{}, nil
	if single.Fio == nil || single.Kind == Matrix && single.Over == nil {
		return nil // its fault is told already
	}
	if single.count() > maxCells || single.unordered() {
		return nil // and this one is, too
	}
	return single.expand(Defaults{})
}

// trial refuses one that changes nothing; what it changes is checked as a step's own.
func (c *checker) trial(st *FileStep) {
	if (st.OnTwin.QD != 0 || st.OnTwin.Jobs != 0) && st.Fio == nil {
		c.fault(st.line, "on_twin: qd and jobs belong to load and matrix, not to %s", st.Kind)
	}
	if *st.OnTwin == (Trial{}) {
		c.fault(st.line, "on_twin: it says nothing; there are duration, ramp, after_ready, off_time, cycles, over, qd, jobs, rounds, fresh_rounds, last_rounds, until_written, until_steady, settle")
	}
	if d := time.Duration(st.OnTwin.AfterReady); d != 0 && st.Kind != PowerCycle {
		c.fault(st.line, "on_twin.after_ready: it belongs to %s, not to %s", PowerCycle, st.Kind)
	} else if d > maxAfterReady {
		c.fault(st.line, "on_twin.after_ready: %v: it is up to %v", d, maxAfterReady)
	}
}

// Extent is how often, how long and how much a plan does something to the drive.
type Extent struct {
	Cycles       int           // of its power
	Rounds       int           // most of any of its steps
	Writing      time.Duration // that it is written to, ramps included
	FreeWriting  time.Duration // of it, the part of writes where nothing but the drive and the time bound them
	UntilWritten float64       // capacities after which the other writes end
	WritesAtMost int64         // bytes, where rates or sizes of all jobs tell; -1 = as many as the drive takes
}

// Extent adds up what the plan does.
func (p Plan) Extent() Extent {
	var e Extent
	until := map[string]float64{} // by the file's step
	for _, s := range p {
		if s.Kind == PowerCycle {
			e.Cycles++
		}
		e.Rounds = max(e.Rounds, s.Round)
		if s.Kind != Load || !s.Job.Writes() {
			continue
		}
		took := s.Job.Duration + s.Job.Ramp
		e.Writing += took
		share := 1 - float64(engine.ReadShare(s.Job.RW, s.Job.ReadPct))/100
		switch {
		case s.UntilWritten > 0:
			until[s.Group] = s.UntilWritten
		case s.Job.RateIOPS == 0 || s.Job.JobFile != "":
			e.FreeWriting += time.Duration(share * float64(took))
		}
		switch {
		case s.Job.RateIOPS == 0 || s.Job.JobFile != "":
			e.WritesAtMost = -1
		case e.WritesAtMost >= 0:
			e.WritesAtMost += int64(float64(s.Job.RateIOPS) * took.Seconds() * float64(s.Job.BlockBytes) * share)
		}
	}
	for _, capacities := range until {
		e.UntilWritten += capacities
	}
	return e
}
