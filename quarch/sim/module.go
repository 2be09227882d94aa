package sim

import (
	"context"
	"slices"
	"sync"

	"powerd/quarch/wire"
)

// Module is the emulated module. It may be served in several places at once;
// its methods may be called from any goroutine.
type Module struct {
	opts     Options
	commands []command
	faults   faultState

	restarting absence

	mu          sync.Mutex // guards all below, and the load
	bootNs      int64      // host time of the firmware's last start
	load        Load
	filledNs    int64 // end of the last stripe that the load was asked for
	on          bool
	setting     setting
	reading     reading
	events      []PowerEvent
	clients     map[*client]context.CancelFunc // who is here, and how each is made to leave
	connections int                            // over TCP
	tcpAddr     string                         // where the last ServeTCP listens; empty if nowhere
	registers   map[int]int                    // those that were written
	settledNs   int64                          // host time from which the output mode holds
	armed       *pattern                       // waits for the trigger input
	pattern     *pattern                       // runs
	changes     int                            // that the load was told of
	streams     []*stream
	active      *stream // the one that is being sent, nil if none
}

// setting is what a client can change and `config:default state` puts back.
type setting struct {
	outputMode string
	rails      []string       // in stripe order, as the output mode has them
	milliVolts map[string]int // by rail
	pulldown   bool           // of the 12 V output
	script     bool           // terminal echo ends in LF alone
	exponent   byte           // of the averaging

	points          map[string][]point // of patterns, by rail
	patternExternal bool               // a pattern waits for the trigger input
	patternType     string

	triggerMode, triggerType string // of recording
	triggerIn, triggerOut    string
}

// PowerEvent is something that the module did to the load.
type PowerEvent struct {
	AtNs       int64  // host CLOCK_MONOTONIC from which it holds
	Rail       string // empty: all rails were switched, see On
	On         bool
	MilliVolts int // new set voltage of Rail
}

// New returns a module that measures load from now on.
func New(o Options, load Load) *Module {
	m := &Module{opts: o.withDefaults(), commands: commandTable(), load: load}
	m.bootNs = m.opts.Now()
	m.faults.begin(m.opts, m.bootNs)
	if HasFault(m.opts.Faults, FaultSwapped) {
		m.load = m.opts.Other
	}
	m.filledNs = m.bootNs
	m.setting = m.defaults()
	m.reading = newReading(len(m.opts.Rails))
	m.tellOutputs(m.bootNs, &setting{rails: m.opts.Rails, milliVolts: m.setting.milliVolts})
	if m.opts.Powered && m.setting.outputMode != ModeDisabled {
		m.switchPower(m.bootNs, true)
	}
	return m
}

// Serial returns the serial number that users know the module by.
func (m *Module) Serial() string { return m.opts.Serial }

// PowerEvents returns what was done to the load so far, in order.
func (m *Module) PowerEvents() []PowerEvent {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.events)
}

// Streams returns the truth about every stream so far, in order.
func (m *Module) Streams() []StreamTruth {
	m.mu.Lock()
	defer m.mu.Unlock()
	truths := make([]StreamTruth, len(m.streams))
	for i, s := range m.streams {
		truths[i] = s.truth
		truths[i].Index = i
		truths[i].Losses = s.losses()
	}
	return truths
}

func (m *Module) defaults() setting {
	s := setting{
		outputMode: m.opts.OutputMode, rails: railsIn(m.opts.OutputMode, m.opts.Rails), milliVolts: map[string]int{},
		patternType: "EDGE", triggerMode: "MANUAL", triggerType: "EDGE", triggerIn: "EDGE", triggerOut: "OFF",
	}
	if e, err := wire.ParseAveraging(m.opts.Averaging); err == nil {
		s.exponent = e
	}
	for _, rail := range []string{"5v", "3v3", "12v"} {
		s.milliVolts[rail] = nominalMilliVolts(rail)
	}
	return s
}

// restore puts every setting back; the rails are off then, as after a start, unless power
// is kept. The caller holds mu.
func (m *Module) restore(keepPower bool) {
	now := m.opts.Now()
	m.endPattern(now)
	was := m.setting
	m.setting = m.defaults()
	if !keepPower || m.setting.outputMode == ModeDisabled {
		m.switchPower(now, false)
	}
	m.tellOutputs(now, &was)
}

// tellOutputs tells the load what its rails carry now if that is not what it was. The caller
// holds mu.
func (m *Module) tellOutputs(atNs int64, was *setting) {
	for i, rail := range m.setting.rails {
		if mv := m.setting.milliVolts[rail]; rail != was.rails[i] || mv != was.milliVolts[rail] {
			m.tellRail(atNs, rail, mv)
		}
	}
}

// switchPower switches all rails. The caller holds mu.
func (m *Module) switchPower(atNs int64, on bool) {
	if m.on == on {
		return
	}
	m.followPattern(atNs)
	m.on = on
	m.changes++
	m.load.SetPower(atNs, on)
	m.events = append(m.events, PowerEvent{AtNs: atNs, On: on})
	m.trigger(atNs, "POWER")
}

// tellRail tells the load of a new set voltage. The caller holds mu.
func (m *Module) tellRail(atNs int64, rail string, milliVolts int) {
	m.followPattern(atNs)
	m.setRail(atNs, rail, milliVolts)
	m.events = append(m.events, PowerEvent{AtNs: atNs, Rail: rail, MilliVolts: milliVolts})
}

// setRail is for what is no event of its own.
func (m *Module) setRail(atNs int64, rail string, milliVolts int) {
	m.changes++
	m.load.SetRail(atNs, m.wire(rail), milliVolts)
}

// wire returns the rail of the load that hangs on an output: the first output is one wire,
// whether it carries 5 V or 3.3 V, and leads to what the module was made with. A drive for
// 5 V gets 3.3 V there in the other mode.
func (m *Module) wire(output string) string {
	for _, made := range m.opts.Rails {
		if sameOutput(made, output) {
			return made
		}
	}
	return output
}

// mostChangesEver bounds what is remembered of them, here and by the load.
const mostChangesEver = 100_000

// wornOut refuses what a client could go on with for ever; ok is true long before.
func (m *Module) wornOut() (a answer, ok bool) {
	return fail(refusedState, "Too many changes of power since the start"), m.changes < mostChangesEver
}

// fill asks the load for the stripes [k, k+n) of c. The caller holds mu.
func (m *Module) fill(c stripeClock, k, n int64, v, a [][]int32) {
	m.followPattern(c.endNs(k + n))
	m.load.Fill(c.startNs(k), c.fillPeriodNs(k, n), m.opts.Rails, v, a)
	m.filledNs = c.endNs(k + n)
	m.saturateByFault(c, k, a)
	for r, rail := range m.setting.rails {
		saturate(v[r], leastMilliVolts, mostMilliVolts(rail))
		saturate(a[r], leastMicroAmps, m.opts.Format.variant().mostMicroAmps)
	}
}

// The range of the converters; beyond it a reading stays at the end.
const (
	leastMilliVolts = -250
	leastMicroAmps  = -1_000_000
	mostMicroAmps   = 13_000_000
)

// mostMilliVolts returns the highest voltage of a rail that can be set or read.
func mostMilliVolts(rail string) int32 {
	switch rail {
	case "12v":
		return 14_400
	case "3v3":
		return 3_960
	}
	return 6_000
}

func nominalMilliVolts(rail string) int {
	switch rail {
	case "12v":
		return 12_000
	case "3v3":
		return 3_300
	}
	return 5_000
}

func saturate(x []int32, least, most int32) {
	for i := range x {
		x[i] = min(max(x[i], least), most)
	}
}
