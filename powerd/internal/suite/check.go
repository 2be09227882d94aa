package suite

import (
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"time"

	"powerd/engine"
)

// checker collects the faults of a suite, beside those that reading it found.
type checker struct {
	*sources
	of string // what is checked: "on_twin: "; empty = the suite as it is
}

func (c *checker) fault(line int, format string, args ...any) {
	c.sources.fault(line, "%s%s", c.of, fmt.Sprintf(format, args...))
}

// check refuses what could not be run, or not as it reads.
func (s *Suite) check(r *sources) error {
	c := &checker{sources: r}
	if !goodName(s.Name) {
		c.fault(1, "name: %q: a suite needs a name of letters, digits, '-', '_' and '.'", s.Name)
	}
	if len(s.Steps) == 0 {
		c.fault(1, "steps: a suite needs at least one")
	}
	c.onFailure(1, s.OnFailure)
	for i := range s.Steps {
		st, before := &s.Steps[i], len(c.faults)
		if s.misread(i, c.lines) {
			continue // what is missing in it is told already
		}
		c.step(st)
		if trial := st.on(true); st.OnTwin != nil && len(c.faults) == before {
			c.trial(st)
			c.of = "on_twin: "
			c.step(&trial)
			c.of = ""
		}
	}
	if len(c.faults) == 0 {
		c.freshNamed(s)
		c.extent(s)
	}
	if len(c.faults) == 0 { // now that it is known to be of a size that can be expanded
		c.names(s)
		c.varies(s)
	}
	return errors.Join(c.faults...)
}

// misread reports whether a decoder found a fault in a step.
func (s *Suite) misread(i int, lines []int) bool {
	next := (s.Steps[i].line/lineSpan + 1) * lineSpan // end of its file
	for k := range s.Steps {
		if line := s.Steps[k].line; line > s.Steps[i].line {
			next = min(next, line)
		}
	}
	return slices.ContainsFunc(lines, func(line int) bool { return line >= s.Steps[i].line && line < next })
}

// extent refuses more cells and more time than anybody means, before either is
// multiplied out. Hours are counted as floats, which do not overflow.
func (c *checker) extent(s *Suite) {
	cells, hours := 0, 0.0
	for i := range s.Steps {
		st, trial := &s.Steps[i], s.Steps[i].on(true)
		n := max(st.count(), trial.count())
		cells = min(cells+n, maxCells+1)
		hours += max(st.hours(), trial.hours())
		if cells > maxCells {
			c.fault(st.line, "over: the suite has more than %d steps with this one; shorten the lists", maxCells)
			return
		}
	}
	if hours > maxHours {
		c.fault(1, "steps: they take %.0f h together; a suite takes up to %d h (a year)", hours, maxHours)
	}
}

// hours is how long all that comes of a step takes.
func (st *FileStep) hours() float64 {
	total := st.base(Defaults{}).Total()
	if st.Kind != Recovery {
		return float64(st.count()) * total.Hours()
	}
	load := time.Duration(st.Duration).Hours()
	h := float64(st.Bursts) * load
	for _, p := range st.Pauses {
		h += float64(st.Bursts)*load + float64(st.Bursts+1)*(load+time.Duration(p).Hours())
	}
	return h + float64(st.count())*(total.Hours()+load)
}

// names looks at what comes of expansion. Two steps of one name are refused: their
// files would be one.
func (c *checker) names(s *Suite) {
	seen := map[string]int{}
	for i := range s.Steps {
		for _, step := range s.Steps[i].expand(Defaults{}) {
			if step.Job.IOEngine == "psync" && step.Job.QueueDepth > 1 {
				c.fault(s.Steps[i].line, "fio.ioengine: psync keeps one IO in flight; a qd of %d needs libaio or io_uring", step.Job.QueueDepth)
				break
			}
			if first, twice := seen[step.Name]; twice {
				c.fault(s.Steps[i].line, "name: %q stands in %s already", step.Name, c.where(first))
			}
			seen[step.Name] = s.Steps[i].line
		}
	}
}

// where says where a line stands, for a fault of another.
func (c *checker) where(line int) string {
	if line < lineSpan {
		return fmt.Sprintf("line %d", line)
	}
	return c.place(line)
}

func goodName(s string) bool {
	return len(s) <= 64 && regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`).MatchString(s)
}

func (c *checker) step(st *FileStep) {
	if !goodName(st.Name) {
		c.fault(st.line, "name: %q: a step needs a name of letters, digits, '-', '_' and '.'", st.Name)
	}
	if st.Name == "global" {
		c.fault(st.line, "name: \"global\" is what fio calls a section that is no job; choose another")
	}
	kinds := []string{PowerCycle, Idle, Load, Matrix, Record, Demand, Recovery, Command, Purge}
	if !slices.Contains(kinds, st.Kind) {
		c.fault(st.line, "kind: %q: it is one of %s", st.Kind, strings.Join(kinds, ", "))
		return
	}
	if st.Duration == 0 && !slices.Contains([]string{Idle, Command, Purge}, st.Kind) || time.Duration(st.Duration) > 30*24*time.Hour {
		c.fault(st.line, "duration: %v: a step needs one, up to 720h", time.Duration(st.Duration))
	}
	if d := time.Duration(st.Duration); d > 0 && d < leastDuration {
		c.fault(st.line, "duration: %v: it is %v at least, in less nothing can be told", d, leastDuration)
	}
	if d := time.Duration(st.Sampling); d != 0 && !goodSampling(d) {
		c.fault(st.line, "sampling: %v: it is 4µs × a power of two, up to %v", d, maxSampling)
	}
	if d := time.Duration(st.OffTime); d > maxOffTime {
		c.fault(st.line, "off_time: %v: it is up to %v", d, maxOffTime)
	}
	if d := time.Duration(st.Ramp); d > maxRamp {
		c.fault(st.line, "ramp: %v: it is up to %v", d, maxRamp)
	}
	loads := slices.Contains([]string{Load, Matrix, Demand, Recovery}, st.Kind)
	switch {
	case loads && st.Fio == nil:
		c.fault(st.line, "fio: a %s needs a job", st.Kind)
	case !loads && (st.Range != nil || st.Precondition != nil):
		c.fault(st.line, "range, precondition: they belong to load and matrix, not to %s", st.Kind)
	case !loads && (st.Fio != nil || st.Over != nil || st.Ramp != 0):
		c.fault(st.line, "fio, over, ramp: they belong to load and matrix, not to %s", st.Kind)
	case st.Kind == Matrix && st.Over == nil:
		c.fault(st.line, "over: a matrix needs lists")
	case loads && st.Kind != Matrix && st.Over != nil:
		c.fault(st.line, "over: lists make a matrix; its kind is %s", Matrix)
	}
	c.order(st)
	c.onFailure(st.line, st.OnFailure)
	c.settle(st)
	c.repeats(st, loads)
	c.demand(st)
	c.pauses(st)
	c.commanded(st)
	if st.Kind != PowerCycle && st.OffTime != 0 {
		c.fault(st.line, "off_time: it belongs to %s", PowerCycle)
	}
	if loads && st.Fio != nil {
		c.job(st)
	}
}

// order refuses one that is not of all lists, each once.
func (c *checker) order(st *FileStep) {
	if len(st.Order) == 0 {
		return
	}
	if st.Kind != Matrix || st.Over == nil {
		c.fault(st.line, "order: it belongs to the lists of a matrix")
		return
	}
	if st.unordered() {
		c.fault(st.line, "order: %s: it names each list of over once, the one that varies slowest first; there are %s",
			strings.Join(st.Order, ", "), strings.Join(st.Over.lists(), ", "))
	}
}

// unordered reports whether an order does not name each list of a matrix once.
func (st *FileStep) unordered() bool {
	return len(st.Order) > 0 && (st.Over == nil || !slices.Equal(slices.Sorted(slices.Values(st.Order)), slices.Sorted(slices.Values(st.Over.lists()))))
}

func goodSampling(d time.Duration) bool {
	return d%baseSampling == 0 && d <= maxSampling && bits.OnesCount64(uint64(d/baseSampling)) == 1
}

// job checks what each cell will ask for, so that a list and a single value are
// held to the same.
func (c *checker) job(st *FileStep) {
	c.region(st)
	if st.Fio.File != "" {
		if st.Fio.Entropy != nil || st.Range != nil {
			c.fault(st.line, "fio.file: a job file says everything itself; take range and entropy out")
		}
		if st.Fio.RW != "" || st.Fio.BS != 0 || st.Fio.QD != 0 || st.Over != nil {
			c.fault(st.line, "fio.file: a job file says everything itself; take rw, bs, qd and over out")
		}
		return
	}
	over := st.Over
	if over == nil {
		over = &Over{}
	}
	for _, rw := range pick(over.RW, st.Fio.RW) {
		c.direction(st, rw, over)
	}
	for _, bs := range pick(over.BS, st.Fio.BS) {
		if bs < 512 || bs%512 != 0 || bs > 1<<30 {
			c.fault(st.line, "fio.bs: %d: a block size is a multiple of 512 bytes, up to 1g", int64(bs))
		}
	}
	c.entropy(st, over)
	for _, qd := range over.QD {
		c.between(st, "over.qd", qd, 1, maxQD)
	}
	for _, n := range over.Jobs {
		c.between(st, "over.jobs", n, 1, maxJobs)
	}
	for _, pct := range pick(over.ReadPct, st.Fio.ReadPct) {
		c.between(st, "fio.read_pct", pct, 0, 100)
	}
	c.between(st, "fio.qd", st.Fio.QD, 0, maxQD)
	c.between(st, "fio.jobs", st.Fio.Jobs, 0, maxJobs)
	c.between(st, "fio.rate_iops", st.Fio.RateIOPS, 0, 1<<30)
	if e := st.Fio.IOEngine; e != "" && !slices.Contains([]string{"libaio", "io_uring", "psync"}, e) {
		c.fault(st.line, "fio.ioengine: %q: it is one of libaio, io_uring, psync", e)
	}
}

func (c *checker) direction(st *FileStep, rw string, over *Over) {
	known := engine.RWKinds()
	if !slices.Contains(known, rw) {
		c.fault(st.line, "fio.rw: %q: it is one of %s", rw, strings.Join(known, ", "))
	}
	if !engine.Mixed(rw) && (st.Fio.ReadPct != 0 || over.ReadPct != nil) {
		c.fault(st.line, "fio.read_pct: it belongs to rw and randrw, not to %s", rw)
	}
}

func (c *checker) between(st *FileStep, key string, v, least, most int) {
	if v < least || v > most {
		c.fault(st.line, "%s: %d: it is %d to %d", key, v, least, most)
	}
}

func pick[T any](list []T, one T) []T {
	if len(list) > 0 {
		return list
	}
	return []T{one}
}
