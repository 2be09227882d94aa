package seedtest

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"testing"

	"powerd/analysis/accuracy"
	"powerd/analysis/inrush"
	"powerd/engine"
	"powerd/engine/twin/model"
	"powerd/quarch"
)

const (
	ms     = int64(1e6)
	second = int64(1e9)
)

// rig is a drive in virtual time on a module that is wrong by what its seed draws.
type rig struct {
	t     *testing.T
	drive *model.Drive
	c     model.Config
	rnd   *rand.Rand
	spec  accuracy.Spec
	ppm   float64
	wrong map[quarch.Rail][2]float64 // e of its volts and of its amperes
	rails []quarch.Rail              // that the drive has
}

func newRig(t *testing.T, c model.Config, seed uint64) *rig {
	t.Helper()
	c.Seed = seed
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := accuracy.Assumed("HD")
	r := &rig{t: t, drive: d, c: c, rnd: rand.New(rand.NewPCG(seed, 0x5eed)), spec: spec, wrong: map[quarch.Rail][2]float64{}}
	r.ppm = 100 * r.even()
	for _, rail := range measured() {
		r.wrong[rail] = [2]float64{r.even(), r.even()}
	}
	if c.Rail5V.NominalVolts > 0 {
		r.rails = append(r.rails, quarch.Rail5V)
	}
	if c.Rail12V.NominalVolts > 0 {
		r.rails = append(r.rails, quarch.Rail12V)
	}
	return r
}

// measured are the module's rails, whatever the drive has.
func measured() []quarch.Rail { return []quarch.Rail{quarch.Rail5V, quarch.Rail12V} }

// even draws evenly between −1 and 1.
func (r *rig) even() float64 { return 2*r.rnd.Float64() - 1 }

// reads returns what the module reads for volts and amperes of a rail.
func (r *rig) reads(rail quarch.Rail, v, a float64) (vRead, aRead float64) {
	e, gain := r.wrong[rail], r.spec.GainPct/100
	return v + e[0]*(gain*math.Abs(v)+r.spec.OffsetVolts), a + e[1]*(gain*math.Abs(a)+r.spec.OffsetAmps)
}

// placed is a map from stripes to host time that is wrong by what it says at most.
type placed struct {
	startNs, periodNs float64
	u95Ns             float64
}

func (m *placed) TimeOf(k float64) (ns, u95Ns float64) { return m.startNs + k*m.periodNs, m.u95Ns }
func (m *placed) IndexAt(ns float64) float64           { return (ns - m.startNs) / m.periodNs }

// SecondsBetween is wrong by the rate's ± at most.
func (m *placed) SecondsBetween(a, b float64) (s, u95S float64) {
	return (b - a) * m.periodNs * 1e-9, math.Abs(b-a) * m.periodNs * rateU95 * 1e-9
}

// rateU95 is how well the module's rate is known.
const rateU95 = 0.5e-6

var _ inrush.TimeMap = (*placed)(nil)

// stream is what the module sends from a moment on.
type stream struct {
	r         *rig
	m         *placed
	startNs   float64
	truePerNs float64
	next      uint64
	block     quarch.Block
	add       []func(*quarch.Block)
}

const (
	blockStripes = 2500
	fineVolts    = 1e-5 // the drive's millivolts are rounded with their noise; the errors' must not be once more
)

func (r *rig) stream(startNs, periodNs int64) *stream {
	const u95Ns = 150e3
	truePer := float64(periodNs) * (1 + r.ppm*1e-6)
	s := &stream{r: r, startNs: float64(startNs), truePerNs: truePer}
	s.m = &placed{startNs: s.startNs + u95Ns*r.even(), periodNs: truePer * (1 + rateU95*r.even()), u95Ns: u95Ns}
	s.block.PeriodNs = periodNs
	for _, rail := range measured() {
		s.block.Traces = append(s.block.Traces, quarch.Trace{
			Rail: rail, V: make([]int32, blockStripes), A: make([]int32, blockStripes), LSBVolts: fineVolts, LSBAmps: 1e-6,
		})
	}
	return s
}

// to sends what was sampled up to a moment.
func (s *stream) to(ns int64) {
	for {
		n := int(min(blockStripes, math.Floor((float64(ns)-s.startNs)/s.truePerNs)-float64(s.next)))
		if n <= 0 {
			return
		}
		b := s.block
		b.First, b.Traces = s.next, make([]quarch.Trace, len(s.block.Traces))
		names, v, a := make([]string, len(b.Traces)), make([][]int32, len(b.Traces)), make([][]int32, len(b.Traces))
		for i, t := range s.block.Traces {
			names[i], v[i], a[i] = string(t.Rail), t.V[:n], t.A[:n]
			t.V, t.A = v[i], a[i]
			b.Traces[i] = t
		}
		s.r.drive.Fill(int64(s.startNs+float64(s.next)*s.truePerNs), b.PeriodNs, names, v, a)
		for i := range b.Traces {
			s.r.spoil(&b.Traces[i])
		}
		s.next += uint64(n)
		for _, add := range s.add {
			add(&b)
		}
	}
}

// spoil makes the module's errors.
func (r *rig) spoil(t *quarch.Trace) {
	for i := range t.V {
		v, a := r.reads(t.Rail, float64(t.V[i])*1e-3, float64(t.A[i])*t.LSBAmps)
		t.V[i], t.A[i] = int32(math.Round(v/t.LSBVolts)), int32(math.Round(a/t.LSBAmps))
	}
}

// flight is an IO in the drive.
type flight struct {
	dueNs  int64
	ticket model.Ticket
}

// flights is a heap, the next to be done first.
type flights []flight

func (f flights) Len() int           { return len(f) }
func (f flights) Less(i, j int) bool { return f[i].dueNs < f[j].dueNs }
func (f flights) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *flights) Push(x any)        { *f = append(*f, x.(flight)) }
func (f *flights) Pop() any {
	old := *f
	x := old[len(old)-1]
	*f = old[:len(old)-1]
	return x
}

const (
	rowNs       = 250 * ms // the engine's log interval
	rampNs      = 250 * ms // before its window: a drive that sleeps has been woken by then
	unlimitedNs = 40_000   // between two IOs of a drive without a top rate
)

// load keeps QueueDepth IOs of a job in the drive from one moment to another, and a ramp
// before, while the module streams. It returns what an engine would report of it.
func (r *rig) load(job engine.Job, fromNs, toNs int64, s *stream) *engine.Result {
	write := job.RW == "randwrite"
	request := func() model.Request {
		return model.Request{Write: write, OffsetBytes: r.rnd.Int64N(r.c.CapacityBytes/job.BlockBytes) * job.BlockBytes, Bytes: int(job.BlockBytes)}
	}
	var inside flights
	admit := func(ns int64) {
		t, err := r.drive.Admit(ns, request())
		if err != nil {
			r.t.Fatalf("IO at %d ns: %v", ns, err)
		}
		heap.Push(&inside, flight{max(t.DueNs, ns), t})
	}
	rows := make([]engine.Interval, (toNs-fromNs+rowNs-1)/rowNs)
	for i := range rows {
		rows[i] = engine.Interval{StartNs: fromNs + int64(i)*rowNs, EndNs: min(fromNs+int64(i+1)*rowNs, toNs)}
	}
	var total engine.Direction
	for i := range job.QueueDepth {
		admit(fromNs - rampNs + int64(i)*unlimitedNs)
	}
	sentNs := fromNs - rampNs
	for len(inside) > 0 {
		x := heap.Pop(&inside).(flight)
		if x.dueNs >= sentNs+20*ms && x.dueNs < toNs { // what is completed 10 ms later is known
			sentNs = x.dueNs
			s.to(sentNs - 10*ms)
		}
		r.drive.Done(x.ticket, x.dueNs)
		if x.dueNs >= toNs {
			continue
		}
		if r.c.Unlimited { // it would be done at once, and the next, and the next
			admit(x.dueNs + int64(job.QueueDepth)*unlimitedNs)
		} else {
			admit(x.dueNs)
		}
		if x.dueNs < fromNs {
			continue
		}
		total.IOs, total.Bytes = total.IOs+1, total.Bytes+uint64(job.BlockBytes)
		row := &rows[(x.dueNs-fromNs)/rowNs]
		if write {
			row.Writes, row.WriteBytes = row.Writes+1, row.WriteBytes+uint64(job.BlockBytes)
		} else {
			row.Reads, row.ReadBytes = row.Reads+1, row.ReadBytes+uint64(job.BlockBytes)
		}
	}
	const edgeNs = 2e6 // what fio's stamps are good for
	res := &engine.Result{Engine: "script", Intervals: rows, EdgeU95Ns: edgeNs}
	stray := func() int64 { return int64(edgeNs / 2 * r.rnd.NormFloat64()) } // 95 of 100 within edgeNs
	res.StartNs, res.EndNs = fromNs+stray(), toNs+stray()
	if write {
		res.Write = total
	} else {
		res.Read = total
	}
	return res
}
