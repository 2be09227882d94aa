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
	Scale int    // as applied by Seagate1200 to what follows; 1 = full rate

	// The supply and the start-up.
	RampNs    int64   // supply 0 → nominal, linear
	FallNs    int64   // nominal → 0 after power-off
	UVLOVolts float64 // of the 5 V supply: the drive lives from here on
	ReadyNs   int64   // after UVLO: the drive serves IO from here on
	Rail5V    Rail
	Rail12V   Rail

	// What it draws when idle, above the floor.
	IdleNoise IdleNoise
	IdleBump  IdleBump

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
}

// Rail is one supply line of the drive.
type Rail struct {
	NominalVolts float64
	SourceOhms   float64
	Farads       float64
	LeakAmps     float64 // at nominal volts
	TauNs        int64   // time constant of a step between plateaus
	Plateaus     []Plateau
	Crest        Crest
	IdleMeanW    float64 // long-run mean with the idle extras, without IO
	NoiseAmps    float64 // standard deviation of one sample of SampleNs
	NoiseVolts   float64
}

// Plateau is a level of the start-up current above leakage and capacitors,
// from and to after UVLO; 0 A where no plateau is.
type Plateau struct {
	FromNs, ToNs int64
	Amps         float64
}

// Crest is a raised cosine on top of a plateau; WidthNs is its foot.
type Crest struct {
	CentreNs, WidthNs int64 // centre after UVLO
	Amps              float64
}

// IdleNoise is a first-order autoregressive noise of the 5 V power, one value a
// millisecond.
type IdleNoise struct {
	SigmaW float64
	Phi    float64 // 0 … 1
}

// IdleBump is a regular activity on 12 V.
type IdleBump struct {
	Amps           float64
	LongNs, EachNs int64
}

// Direction is how the drive reads or writes. An IO of n bytes takes IOJoules +
// n/4096 · PageJoules at the host side, all of it from 5 V, and MediaJoules for
// each started page of the flash.
type Direction struct {
	TopIOPS        float64
	TopBytesPerS   float64
	ServiceNs      int64   // mean time of an IO alone in the drive
	ServiceSpread  float64 // 0 … 1: share of it that is an exponential tail
	IOJoules       float64
	PageJoules     float64
	MediaJoules    float64
	Media5VPortion float64 // 0 … 1: share of MediaJoules from 5 V, the rest from 12 V
}

// Seagate1200 returns the published 400 GB SAS drive, fresh, at a scale of 1 or
// more: 110 000 random 4 KiB writes a second at 6.41 W, 92 000 reads, idle 2.981 W.
func Seagate1200(scale int) Config {
	k := float64(scale)
	return Config{
		Name: "seagate-1200-400", Seed: 1, Scale: scale,
		RampNs: 100 * msNs, FallNs: 5 * msNs, UVLOVolts: 3.9, ReadyNs: 3200 * msNs,
		Rail5V: Rail{
			NominalVolts: 5, SourceOhms: 0.040, Farads: 120e-6, LeakAmps: 4e-3, TauNs: 3 * msNs,
			// The second plateau is 15 mA lower and 1.66 ms longer than a flat 1.04 A
			// of 45 ms: the same charge, but the crest alone holds the peak.
			Plateaus: []Plateau{
				{0, 300 * msNs, 0.36},
				{300 * msNs, 346_660_000, 1.0247},
				{346_660_000, 2050 * msNs, 0.62},
				{2050 * msNs, 2750 * msNs, 0.70},
				{2750 * msNs, 3200 * msNs, 0.50},
			},
			Crest:     Crest{CentreNs: 326 * msNs, WidthNs: 1_500_000, Amps: 22.8e-3},
			IdleMeanW: 2.100, NoiseAmps: 4e-3, NoiseVolts: 2e-3,
		},
		Rail12V: Rail{
			NominalVolts: 12, SourceOhms: 0.040, Farads: 68e-6, LeakAmps: 2e-3, TauNs: 4 * msNs,
			Plateaus: []Plateau{
				{50 * msNs, 300 * msNs, 0.05},
				{300 * msNs, 2100 * msNs, 0.13},
				{2120 * msNs, 2720 * msNs, 0.43},
				{2720 * msNs, 3200 * msNs, 0.12},
			},
			IdleMeanW: 0.881, NoiseAmps: 2e-3, NoiseVolts: 3e-3,
		},
		IdleNoise: IdleNoise{SigmaW: 10e-3, Phi: 0.98},
		IdleBump:  IdleBump{Amps: 15e-3, LongNs: 8 * msNs, EachNs: 1000 * msNs},
		SampleNs:  4000,
		Read: Direction{
			TopIOPS: 92_000 / k, TopBytesPerS: 640e6 / k, ServiceNs: 290_000 * int64(scale), ServiceSpread: 0.2,
			IOJoules: 2e-6 * k, PageJoules: 4e-6 * k, MediaJoules: 10e-6 * k, Media5VPortion: 0.3,
		},
		Write: Direction{
			TopIOPS: 110_000 / k, TopBytesPerS: 110_000 * pageBytes / k, ServiceNs: 25_000 * int64(scale), ServiceSpread: 0.2,
			IOJoules: 2e-6 * k, PageJoules: 4e-6 * k, MediaJoules: 25.15e-6 * k, Media5VPortion: 0.3,
		},
		CapacityBytes: 400e9,
		Flash: Flash{
			ProgrammesPerS: 110_000 / k,
			FreshShare:     1.15, // the cliff came after 17 minutes at 110 000 a second
			TailNs:         30_000 * msNs, SteadyWA: 2.62, SequentialWA: 1.05,
			Bursts:     Bursts{LongNs: 100 * msNs, EachNs: 1000 * msNs, ExtraW: 0.8, SlowBy: 0.35},
			DrainMinNs: 1 * msNs, DrainMaxNs: 5 * msNs,
		},
		LagMinNs: 100_000, LagMaxNs: 200_000, LagTailNs: 50_000, PulseNs: 200_000,
		QueueDepth: 128, BurstNs: 5 * msNs,
	}
}

// validate says every fault of c at once.
func (c *Config) validate() error {
	var errs []error
	need := func(ok bool, field, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s: must be %s", field, want))
		}
	}
	need(c.Scale >= 1, "Scale", "1 or more")
	need(c.RampNs > 0, "RampNs", "positive")
	need(c.FallNs > 0, "FallNs", "positive")
	need(c.UVLOVolts > 0 && c.UVLOVolts < c.Rail5V.NominalVolts, "UVLOVolts", "between 0 and the 5 V rail's nominal")
	need(c.ReadyNs >= 0, "ReadyNs", "0 or more")
	need(c.SampleNs > 0, "SampleNs", "positive")
	need(c.IdleNoise.Phi >= 0 && c.IdleNoise.Phi < 1, "IdleNoise.Phi", "0 or more and below 1")
	need(c.IdleBump.EachNs >= cellNs && c.IdleBump.LongNs >= 0 && c.IdleBump.LongNs <= c.IdleBump.EachNs/2,
		"IdleBump", "at most half of its period long")
	need(c.LagMinNs >= 0 && c.LagMaxNs >= c.LagMinNs, "LagMinNs, LagMaxNs", "ordered, 0 or more")
	need(c.LagTailNs >= 0 && c.LagTailNs <= msNs, "LagTailNs", "0 to 1 ms")
	need(c.PulseNs >= cellNs && c.PulseNs <= msNs, "PulseNs", "20 µs to 1 ms")
	need(c.QueueDepth >= 1, "QueueDepth", "1 or more")
	need(c.BurstNs >= 0, "BurstNs", "0 or more")
	c.Rail5V.validate("Rail5V", need)
	c.Rail12V.validate("Rail12V", need)
	c.Read.validate("Read", need)
	c.Write.validate("Write", need)
	c.Flash.validate(c, need)
	if len(errs) > 0 {
		return fmt.Errorf("check drive %q: %w", c.Name, errors.Join(errs...))
	}
	return nil
}

func (r *Rail) validate(name string, need func(ok bool, field, want string)) {
	need(r.NominalVolts > 0 && r.SourceOhms > 0 && r.TauNs > 0, name, "with positive NominalVolts, SourceOhms and TauNs")
	need(r.IdleMeanW > 0 && r.IdleMeanW < r.NominalVolts*r.NominalVolts/(8*r.SourceOhms),
		name+".IdleMeanW", "positive and within half of what the source can give")
	for i, p := range r.Plateaus {
		need(p.FromNs%cellNs == 0 && p.ToNs%cellNs == 0 && p.FromNs < p.ToNs && (i == 0 || p.FromNs >= r.Plateaus[i-1].ToNs),
			fmt.Sprintf("%s.Plateaus[%d]", name, i), "after the one before, on multiples of 20 µs")
	}
}

func (r *Direction) validate(name string, need func(ok bool, field, want string)) {
	need(r.TopIOPS > 0 && r.TopBytesPerS > 0 && r.ServiceNs > 0, name, "with positive TopIOPS, TopBytesPerS and ServiceNs")
	need(r.ServiceSpread >= 0 && r.ServiceSpread <= 1 && r.Media5VPortion >= 0 && r.Media5VPortion <= 1,
		name, "with ServiceSpread and Media5VPortion of 0 to 1")
}
