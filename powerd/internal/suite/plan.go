package suite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"powerd/analysis/idle"
	"powerd/engine"
)

// Kinds of steps. A plan has no matrix: it is expanded into loads.
const (
	PowerCycle = "power_cycle"
	Idle       = "idle"
	Load       = "load"
	Matrix     = "matrix"
	Record     = "record"
)

// Step is one step of a plan.
type Step struct {
	Name      string        // unique in the plan
	Group     string        // the file's step that it comes from
	Kind      string        // PowerCycle, Idle, Load, Record, Command or Purge
	Within    string        // kind of the file's step, of a load of Demand or Recovery; else ""
	Duration  time.Duration // of what is measured
	OffTime   time.Duration // of a power cycle: rails are off this long first
	Sampling  time.Duration // period of a stripe
	Settle    *idle.Rule    // of an idle step: wait until the drive has settled; nil = do not wait
	Job       engine.Job    // of a load; Step, Target and Dir are left to the run
	Cell      string        // of a load in rounds: its name without the round, else ""
	Round     int           // from 1; 0 = it is done once
	Repeat                  // of a load in rounds
	Steady    *Steady       // what ends the rounds; nil = no rule does
	Paused    *Paused       // of a load of a recovery
	Argv      []string      // of a command or purge; a purge of an emulated drive has none
	Timeout   time.Duration // of it
	Undo      *Step         // of a command that makes a setting: puts back what was, if the run ends before its plan does
	Setting   string        // under which it is done; "" = none
	Needs     string        // step without which this one is not done; "" = none
	OnFailure string        // of this step: Stop ends the run, Continue goes on with the next
	Trial     bool          // as an emulated drive does it, which is not what the suite asks of a real one
}

// Goal returns how many bytes end the step, or its rounds, on a drive of this capacity; of
// a step that loads a share of it, that share stands in its place. 0 = nothing does.
func (s Step) Goal(capacityBytes int64) int64 {
	return int64(s.capacities() * float64(capacityBytes))
}

// capacities returns UntilWritten of the whole drive.
func (s Step) capacities() float64 { return s.UntilWritten * s.Job.Share.WidthPct() / 100 }

// overhead is what a step costs beside its own time: an engine's start and end,
// or waiting for samples.
const (
	loadOverhead = 900 * time.Millisecond
	stepOverhead = 400 * time.Millisecond
)

// Total returns how long the step takes, with its overhead; one that waits for a drive
// to settle takes that long at least.
func (s Step) Total() time.Duration {
	d := s.Duration + s.OffTime + stepOverhead
	if s.Settle != nil {
		d += s.Settle.For
	}
	if s.Kind == Load {
		d += s.Job.Ramp + loadOverhead
	}
	return d
}

// MayEndEarly reports whether the step need not be done, or not to its end: it is of rounds
// that end once the drive is steady, or enough is written.
func (s Step) MayEndEarly() bool { return s.Steady != nil || s.UntilWritten > 0 }

// Defaults are what a file that does not say gets.
type Defaults struct {
	PowerCycleSampling time.Duration
	Sampling           time.Duration
	IOEngine           string
	Twin               bool          // the drive is an emulated one
	TwinStartUp        time.Duration // of it: from power-on to its first IO, at most
	Scale              Scale         // times are so much shorter than written
}

// Plan is what a suite does, in order.
type Plan []Step

// Duration returns how long the plan takes.
func (p Plan) Duration() time.Duration {
	var d time.Duration
	for _, s := range p {
		d += s.Total()
	}
	return d
}

// Writes reports whether a step may change what is on the drive.
func (p Plan) Writes() bool {
	for _, s := range p {
		if s.Kind == Load && s.Job.Writes() {
			return true
		}
	}
	return false
}

// PowerCycles reports whether a step cuts the drive's power.
func (p Plan) PowerCycles() bool {
	for _, s := range p {
		if s.Kind == PowerCycle {
			return true
		}
	}
	return false
}

// Trial reports whether a step is done otherwise than on a real drive.
func (p Plan) Trial() bool {
	return slices.ContainsFunc(p, func(s Step) bool { return s.Trial })
}

// Loads reports whether a step needs an IO engine and a target.
func (p Plan) Loads() bool {
	for _, s := range p {
		if s.Kind == Load {
			return true
		}
	}
	return false
}

// Plan expands the suite.
func (s *Suite) Plan(d Defaults) Plan {
	plan := varied(s.Steps, d)
	for i := range plan {
		plan[i].OnFailure = cmp.Or(plan[i].OnFailure, s.OnFailure, Continue)
	}
	return plan
}

func (st *FileStep) expand(d Defaults) Plan {
	here := st.on(d.Twin)
	if d.Twin {
		here.outlast(st.OnTwin, d.TwinStartUp)
	}
	here.scale(d.Scale)
	plan := Plan{here.base(d)}
	plan[0].Trial = d.Twin && st.OnTwin != nil
	switch here.Kind {
	case Matrix:
		plan = here.cells(plan[0])
	case Demand:
		plan = here.demands(plan[0])
	case Recovery:
		plan = here.recovery(plan[0])
	}
	return here.repeat(plan)
}

// base is the step, or what the cells of a matrix have in common.
func (st *FileStep) base(d Defaults) Step {
	step := Step{
		Name: st.Name, Group: st.Name, Kind: st.Kind,
		Duration: time.Duration(st.Duration), OffTime: time.Duration(st.OffTime), Sampling: time.Duration(st.Sampling),
		OnFailure: st.OnFailure,
	}
	if step.Sampling == 0 {
		step.Sampling = d.Sampling
		if st.Kind == PowerCycle {
			step.Sampling = d.PowerCycleSampling
		}
	}
	if st.Kind == PowerCycle && step.OffTime == 0 {
		step.OffTime = defaultOffTime
	}
	if st.Kind == Idle && step.Duration == 0 {
		step.Duration = defaultIdle
	}
	step.Settle = st.Settle.rule()
	if st.Kind == Command || st.Kind == Purge {
		st.commands(&step)
		if st.Kind == Purge && d.Twin {
			step.Argv = nil // its file is discarded: a real drive's command has nothing to do there
		}
	}
	if st.Fio == nil {
		return step
	}
	step.Kind = Load
	step.Job = engine.Job{
		RW: st.Fio.RW, BlockBytes: int64(st.Fio.BS), ReadPct: st.Fio.ReadPct, QueueDepth: max(1, st.Fio.QD), Jobs: max(1, st.Fio.Jobs),
		Duration: step.Duration, Ramp: time.Duration(st.Ramp), IOEngine: st.Fio.IOEngine, RateIOPS: st.Fio.RateIOPS,
		SizeBytes: int64(st.Fio.Size), Share: st.Range.share(), JobFile: st.Fio.File,
	}
	if st.Fio.Entropy != nil {
		step.Job.CompressPct = maxEntropy - *st.Fio.Entropy
	}
	if step.Job.IOEngine == "" {
		step.Job.IOEngine = d.IOEngine
	}
	return step
}

// count returns how many steps come of this one, at most maxCells+1.
func (st *FileStep) count() int {
	n := min(max(1, st.Cycles, st.Rounds), maxCells+1)
	switch st.Kind {
	case Demand:
		return min(len(st.Demands), maxCells+1)
	case Recovery:
		return 1 + 2*len(st.Pauses)
	case Matrix:
	default:
		return n
	}
	o := st.Over
	for _, values := range []int{len(o.RW), len(o.BS), len(o.ReadPct), len(o.Entropy), len(o.QD), len(o.Jobs)} {
		n = min(n*min(max(values, 1), maxCells+1), maxCells+1)
	}
	return n
}

// cells expands a matrix, the last list of its order fastest.
func (st *FileStep) cells(base Step) Plan {
	plan := Plan{base}
	lists := map[string]func(){
		"rw": func() { vary(&plan, st.Over.RW, func(s *Step, v string) { s.Job.RW = v; s.add(v) }) },
		"bs": func() {
			vary(&plan, st.Over.BS, func(s *Step, v Bytes) { s.Job.BlockBytes = int64(v); s.add(v.String()) })
		},
		"read_pct": func() {
			vary(&plan, st.Over.ReadPct, func(s *Step, v int) { s.Job.ReadPct = v; s.add(fmt.Sprintf("r%d", v)) })
		},
		"entropy": func() {
			vary(&plan, st.Over.Entropy, func(s *Step, v int) { s.Job.CompressPct = maxEntropy - v; s.add(fmt.Sprintf("e%d", v)) })
		},
		"qd": func() {
			vary(&plan, st.Over.QD, func(s *Step, v int) { s.Job.QueueDepth = v; s.add(fmt.Sprintf("qd%d", v)) })
		},
		"jobs": func() {
			vary(&plan, st.Over.Jobs, func(s *Step, v int) { s.Job.Jobs = v; s.add(fmt.Sprintf("j%d", v)) })
		},
	}
	order := st.Order
	if len(order) == 0 {
		order = listOrder()
	}
	for _, name := range order {
		lists[name]()
	}
	return plan
}

// listOrder is how the lists of a matrix vary, the last one fastest, unless it says.
func listOrder() []string { return []string{"rw", "bs", "read_pct", "entropy", "qd", "jobs"} }

// lists names those that a matrix has.
func (o *Over) lists() []string {
	var out []string
	for i, n := range []int{len(o.RW), len(o.BS), len(o.ReadPct), len(o.Entropy), len(o.QD), len(o.Jobs)} {
		if n > 0 {
			out = append(out, listOrder()[i])
		}
	}
	return out
}

func (s *Step) add(part string) { s.Name += "-" + strings.ToLower(part) }

// vary makes each step of the plan into one a value; none leaves it as it is.
func vary[T any](plan *Plan, values []T, set func(*Step, T)) {
	if len(values) == 0 {
		return
	}
	var out Plan
	for _, s := range *plan {
		for _, v := range values {
			cell := s
			set(&cell, v)
			out = append(out, cell)
		}
	}
	*plan = out
}
