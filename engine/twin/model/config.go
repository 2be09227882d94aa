package model

import (
	"errors"
	"fmt"
)

const (
	cellNs    = 20_000    // a cell of constant volts and amperes
	msNs      = 1_000_000 // a bucket of the ledger
	msCells   = msNs / cellNs
	pageBytes = 4096 // a programme of the flash
)

// Config is a drive. Every field has its unit in its name or its comment.
type Config struct {
	Name  string // "seagate-1200-400"
	Seed  uint64 // of the module's noise, the idle noise, lags and service times
	Scale int    // as applied by Scaled; 1 = full rate

	// The supply and the start-up.
	RampNs  int64 // supply 0 → nominal, linear
	FallNs  int64 // nominal → 0 after power-off
	LockOut LockOut
	ReadyNs int64 // after the lock-out: the drive serves IO from here on
	Rail5V  Rail
	Rail12V Rail
	Motor   Motor

	// What it draws when idle: noise and bump are within the rails' IdleMeanW, tasks
	// come on top.
	IdleNoise   IdleNoise
	IdleBump    IdleBump
	Tasks       []Task
	IdleStates  []IdleState // below active idle, by AfterNs
	PowerLimitW float64     // of all rails in the long run; 0 = none stated

	// The instrument.
	SampleNs int64 // period that the rails' NoiseAmps and NoiseVolts are for
	NoiseOff bool  // no noise: samples are the rounded truth

	// IO.
	CapacityBytes int64 // what the flash behind it is sized for
	Flash         Flash
	Read, Write   Direction
	LagMinNs      int64 // from an IO's service to its current, least
	LagMaxNs      int64 // and most …
	LagTailNs     int64 // … and an exponential tail of this mean on top
	PulseNs       int64 // length of an IO's current pulse, if its work is not longer
	QueueDepth    int   // IOs in the drive at once; more wait
	BurstNs       int64 // rate that was not used this long ago may be caught up
	Unlimited     bool  // IO takes no time and has no top rate; its joules are drawn all the same
}

// LockOut is the undervoltage lock-out: the drive lives while the supply of Rail is
// at Volts or above, and that of the other rail, if it has one, at OtherVolts.
type LockOut struct {
	Rail       string // "5v" or "12v"
	Volts      float64
	OtherVolts float64 // 0 = half of the other rail's nominal
}

// Rail is one supply line of the drive. A drive has no rail of 0 V nominal: its
// channel reads as open.
type Rail struct {
	NominalVolts float64
	SourceOhms   float64
	Farads       float64
	LeakAmps     float64 // at nominal volts
	TauNs        int64   // time constant of a step between plateaus
	Plateaus     []Plateau
	Crest        Crest
	IdleMeanW    float64 // long-run mean of active idle, noise and bump included
	NoiseAmps    float64 // standard deviation of one sample of SampleNs
	NoiseVolts   float64
}

func (r *Rail) absent() bool { return r.NominalVolts == 0 }

// Plateau is a level of the start-up current above leakage and capacitors,
// from and to after the lock-out; 0 A where no plateau is.
type Plateau struct {
	FromNs, ToNs int64
	Amps         float64
}

// Crest is a raised cosine on top of a plateau; WidthNs is its foot.
type Crest struct {
	CentreNs, WidthNs int64 // centre after the lock-out
	Amps              float64
}

// Motor turns the platters from 12 V; its idle current is part of that rail's
// IdleMeanW. Its speed ω follows
//
//	J·dω/dt = k·I − k·I_idle·(ω/ω_r)^1.5,  I = min(MaxAmps, (12 V − k·ω)/Ohms)
//
// until it has reached RPM; from there on it draws IdleAmps. MaxAmps 0: no motor.
type Motor struct {
	MaxAmps        float64
	IdleAmps       float64
	VoltSPerRadian float64 // k, also newton metres per ampere
	Ohms           float64
	InertiaKgM2    float64 // J
	RPM            float64
	StartNs        int64 // after the lock-out
}

// IdleNoise is a first-order autoregressive noise of one rail's power in active idle
// and under load, one value a millisecond.
type IdleNoise struct {
	Rail   string // "5v" or "12v"
	SigmaW float64
	Phi    float64 // 0 … 0.99
}

// IdleBump is a regular activity on one rail in active idle and under load.
type IdleBump struct {
	Rail           string // "5v" or "12v"
	Amps           float64
	LongNs, EachNs int64
}

// Task is what the drive does on its own: patrol reads, media scans, housekeeping.
type Task struct {
	Name           string
	ExtraW         float64
	LongNs, EachNs int64
	Random         bool    // at random moments, EachNs apart on average; else regular
	Portion5V      float64 // 0 … 1: share of ExtraW from 5 V, the rest from 12 V
	Wakes          bool    // the drive leaves its idle state for it
}

// IdleState is a state of less power that the drive goes to when nothing has been
// asked of it for AfterNs. Entering takes EnterNs, at the power of the state before; an
// IO that comes meanwhile waits for the end of it. There is neither idle noise nor
// bump in it.
type IdleState struct {
	Name              string
	AfterNs           int64
	EnterNs           int64
	ExitNs            int64 // an IO waits this long, and longer if a motor has to spin up
	Rail5VW, Rail12VW float64
	SpunDown          bool // the motor has stopped
}

// Direction is how the drive reads or writes. An IO of n bytes takes IOJoules +
// n/4096 · PageJoules at the host side, and MediaJoules for each started page of the
// medium.
type Direction struct {
	TopIOPS        float64
	TopBytesPerS   float64
	ServiceNs      int64   // mean time of an IO alone in the drive
	ServiceSpread  float64 // 0 … 1: share of it that is an exponential tail
	IOJoules       float64
	PageJoules     float64
	MediaJoules    float64
	Host5VPortion  float64 // 0 … 1: share of the host side from 5 V, the rest from 12 V
	Media5VPortion float64 // 0 … 1: share of MediaJoules from 5 V, the rest from 12 V
	Seek           Seek
}

// Seek is what an IO costs more that does not go on where another ended: the arm of a
// drive with platters moves, one IO at a time. LongNs 0: there is no arm.
type Seek struct {
	TopIOPS          float64 // of such IOs, with a full queue to choose from
	ServiceNs        int64   // mean time of it on top of ServiceNs, alone in the drive
	LongNs           int64   // of its pulse on 12 V …
	MinAmps, MaxAmps float64 // … the height of which is drawn anew for each
}

// Scaled returns c with its rates divided by k and its service times and energies of
// IO multiplied by it. Watts and ratios stay what they are.
func (c Config) Scaled(k int) Config {
	c.Scale = max(c.Scale, 1) * k
	c.Read.scale(k)
	c.Write.scale(k)
	c.Flash.ProgrammesPerS /= float64(k)
	return c
}

func (r *Direction) scale(k int) {
	f := float64(k)
	r.TopIOPS /= f
	r.TopBytesPerS /= f
	r.ServiceNs *= int64(k)
	r.IOJoules *= f
	r.PageJoules *= f
	r.MediaJoules *= f
	r.Seek.TopIOPS /= f
	r.Seek.ServiceNs *= int64(k)
	r.Seek.LongNs *= int64(k)
}

// validate says every fault of c at once.
func (c *Config) validate() error {
	var errs []error
	for _, f := range c.Faults() {
		errs = append(errs, fmt.Errorf("%s: must be %s", f.Field, f.Want))
	}
	if len(errs) > 0 {
		return fmt.Errorf("check drive %q: %w", c.Name, errors.Join(errs...))
	}
	return nil
}
