package suite

import (
	"time"

	"powerd/engine"
)

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
		switch {
		case s.UntilWritten > 0:
			until[s.Group] = s.capacities()
		case s.free():
			e.FreeWriting += time.Duration(s.writeShare() * float64(took))
		}
		switch {
		case s.free():
			e.WritesAtMost = -1
		case e.WritesAtMost >= 0:
			e.WritesAtMost += int64(s.demanded())
		}
	}
	for _, capacities := range until {
		e.UntilWritten += capacities
	}
	return e
}

// free reports whether nothing but the drive bounds how fast a load writes.
func (s Step) free() bool { return s.Job.RateIOPS == 0 || s.Job.JobFile != "" }

// writeShare is the part of a load's IOs that are writes.
func (s Step) writeShare() float64 {
	return 1 - float64(engine.ReadShare(s.Job.RW, s.Job.ReadPct))/100
}

// demanded returns the bytes that a load of a demanded rate writes.
func (s Step) demanded() float64 {
	return float64(s.Job.RateIOPS) * (s.Job.Duration + s.Job.Ramp).Seconds() * float64(s.Job.BlockBytes) * s.writeShare()
}

// WriteRate says what a drive takes of a job's writes alone, in bytes a second.
type WriteRate func(engine.Job) float64

// Volume returns how many bytes the plan writes to a drive of this capacity at these rates:
// all rounds of it, and the capacities after which loads end by themselves in full.
func (p Plan) Volume(capacityBytes int64, rate WriteRate) float64 {
	bytes, until := 0.0, map[string]float64{}
	for _, s := range p {
		switch {
		case s.Kind != Load || !s.Job.Writes():
		case s.UntilWritten > 0:
			until[s.Group] = float64(s.Goal(capacityBytes))
		case s.free():
			bytes += s.writeShare() * (s.Job.Duration + s.Job.Ramp).Seconds() * rate(s.Job)
		default:
			bytes += s.demanded()
		}
	}
	for _, n := range until {
		bytes += n
	}
	return bytes
}

// DurationOn is Duration, where loads that end once so much is written do so at these rates.
func (p Plan) DurationOn(capacityBytes int64, rate WriteRate) time.Duration {
	d := p.Duration()
	for _, s := range p {
		if s.Kind != Load || s.UntilWritten == 0 || s.Round != 0 {
			continue
		}
		if perS := rate(s.Job) * s.writeShare(); perS > 0 {
			took := float64(s.Goal(capacityBytes)) / perS
			d -= max(0, s.Job.Duration-time.Duration(took*float64(time.Second)))
		}
	}
	return d
}

// What a run leaves on disk, measured on drives of two rails.
const (
	stripeBytes       = 8    // of a stripe: two rails, compressed
	enginePerS        = 8000 // bytes: what the engine reports in a second of a load
	defaultStripeTime = 64 * time.Microsecond
)

// DiskBytes estimates what the folder of a run of the plan takes.
func (p Plan) DiskBytes() int64 {
	bytes := 0.0
	for _, s := range p {
		period := s.Sampling
		if period <= 0 {
			period = defaultStripeTime
		}
		bytes += float64(s.Total()) / float64(period) * stripeBytes
		if s.Kind == Load {
			bytes += enginePerS * (s.Job.Duration + s.Job.Ramp).Seconds()
		}
	}
	return int64(bytes)
}
