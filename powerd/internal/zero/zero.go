package zero

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/analysis/idle"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// ErrDrive says that the reading looks like a drive.
var ErrDrive = errors.New("this looks like a drive")

const (
	driveAmps = 50e-3
	minFor    = 10 * time.Second // for a mean's scatter to be told
	overruns  = 20               // of one zero; a line that is too slow for the rate has them all the time
	// deadShare of a rail's nominal volts is less than an output that is on gives.
	deadShare = 0.5
)

// CheckLength says why a zero of this length cannot be measured.
func CheckLength(length time.Duration) error {
	if length < minFor {
		return fmt.Errorf("%v are too short for a ±; take %v or more", length, minFor)
	}
	return nil
}

// Measure reads a module, whose outputs are on, for so long, a stripe each periodNs as far
// as it streams. It sends queries and stream control only. Date and fixture are the
// caller's to fill in. A reading that looks like a drive comes with an ErrDrive.
func Measure(ctx context.Context, m quarch.Module, length time.Duration, periodNs int64) (*results.Zero, error) {
	if err := CheckLength(length); err != nil {
		return nil, fmt.Errorf("measure zero: %w", err)
	}
	info, err := m.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("measure zero: %w", err)
	}
	if s, ok := m.(quarch.Sampler); ok && info.Link == quarch.LinkFramed {
		if err := s.SetPeriod(ctx, periodNs); err != nil {
			return nil, fmt.Errorf("measure zero: %w", err)
		}
	}
	rs, err := read(ctx, m, length)
	if err != nil {
		return nil, fmt.Errorf("measure zero: %w", err)
	}
	z := &results.Zero{Module: info.Serial, Seconds: length.Seconds(), Rails: map[quarch.Rail]*results.ZeroFigure{}}
	drive, err := conclude(z, rs)
	switch {
	case err != nil:
		return nil, fmt.Errorf("measure zero: %w", err)
	case drive != "":
		return z, fmt.Errorf("%w: %s", ErrDrive, drive)
	}
	return z, nil
}

// read returns what the module's stream says over so long a time. Where the module ran
// over, the next stream goes on: nothing changes meanwhile, and a mean is as good in parts.
func read(ctx context.Context, m quarch.Module, length time.Duration) ([]*idle.Result, error) {
	var r reader
	for n := 0; !r.full; n++ {
		err := r.stream(ctx, m, length)
		switch {
		case errors.Is(err, quarch.ErrOverrun) && n < overruns:
			r.from = r.end
		case err != nil:
			return nil, err
		}
	}
	return r.results(length)
}

// stream reads one stream until r is full.
func (r *reader) stream(ctx context.Context, m quarch.Module, length time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for b, err := range m.Stream(ctx) {
		if err == nil {
			err = r.add(b, length)
		}
		if err != nil {
			return err
		}
		if r.full {
			stop() // the rest of the stream is let go by
		}
	}
	if r.full {
		return nil
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return errors.New("the module ended its stream")
}

// reader takes a stream: streamed blocks as they come, polled readings all together.
type reader struct {
	a      *idle.Analyzer
	from   uint64 // stripes before the stream under way
	end    uint64 // stripes so far
	polled []*quarch.Block
	full   bool
}

func (r *reader) add(b *quarch.Block, length time.Duration) (err error) {
	if r.full || b.Len() == 0 {
		return nil
	}
	if b.PeriodNs == 0 {
		r.polled = append(r.polled, b.Clone())
		first, last := r.polled[0].AtNs, b.AtNs
		r.full = last[len(last)-1]-first[0] >= length.Nanoseconds()
		return nil
	}
	if r.a == nil {
		if r.a, err = idle.New(ownClock(b.PeriodNs), window(0, length), idle.Options{Step: "zero"}); err != nil {
			return err
		}
	}
	placed := *b
	placed.First += r.from
	r.a.Add(&placed)
	r.end = placed.End()
	r.full = int64(r.end)*b.PeriodNs >= length.Nanoseconds()
	return nil
}

func (r *reader) results(length time.Duration) ([]*idle.Result, error) {
	if r.polled == nil {
		return r.a.Results(), nil
	}
	m, err := align.Polled(blocks(r.polled))
	if err != nil {
		return nil, err
	}
	a, err := idle.New(m, window(r.polled[0].AtNs[0], length), idle.Options{Step: "zero"})
	if err != nil {
		return nil, err
	}
	for _, b := range r.polled {
		a.Add(b)
	}
	return a.Results(), nil
}

func blocks(bs []*quarch.Block) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		for _, b := range bs {
			if !yield(b, nil) {
				return
			}
		}
	}
}

func window(startNs int64, length time.Duration) analysis.Window {
	return analysis.Window{Name: "zero", StartNs: startNs, EndNs: startNs + length.Nanoseconds()}
}

// ownClock is a module's time from the start of its stream: a mean needs no other.
type ownClock float64

// TimeOf implements analysis.TimeMap.
func (c ownClock) TimeOf(k float64) (ns, u95Ns float64) { return k * float64(c), 0 }

// IndexAt implements analysis.TimeMap.
func (c ownClock) IndexAt(ns float64) float64 { return ns / float64(c) }

// LooksLikeDrive says which rails carry as much as a drive does; "" if none.
func LooksLikeDrive(z *results.Zero) string {
	var much []string
	for rail := range quarch.ByRail(z.Rails) {
		if a := z.Rails[rail].MeanA; a > driveAmps {
			much = append(much, fmt.Sprintf("%s carries %.3g mA", rail, a*1e3))
		}
	}
	return strings.Join(much, ", ")
}

// conclude fills in the rails. drive says what looks like one; empty if nothing does.
func conclude(z *results.Zero, rs []*idle.Result) (drive string, err error) {
	r := rs[0]
	for rail, f := range r.Rails {
		if f.MeanV == nil || f.U95NoiseW == nil {
			return "", fmt.Errorf("%s: %s", rail, why(r))
		}
		if *f.MeanV < deadShare*rail.NominalVolts() {
			return "", fmt.Errorf("the output of %s is off: it has %.3g V; switch the outputs on with the drive removed", rail, *f.MeanV)
		}
		z.Rails[rail] = &results.ZeroFigure{
			MeanV: *f.MeanV, MeanA: *f.MeanA, MeanW: *f.MeanW, U95A: *f.U95NoiseW / *f.MeanV, U95W: *f.U95NoiseW,
		}
	}
	if len(z.Rails) == 0 {
		return "", errors.New("the module measures no rail")
	}
	drive = LooksLikeDrive(z)
	switch p := r.Trust.Pulses; {
	case drive != "":
	case len(rs) > 1:
		drive = fmt.Sprintf("power changes between %d levels", len(rs))
	case p != nil:
		drive = p.Text()
	}
	return drive, nil
}

// why returns the first reason for which a figure is withheld.
func why(r *idle.Result) string {
	i := slices.IndexFunc(r.Withheld, func(w analysis.Withheld) bool { return w.What != "idle.zero.settled_after_s" })
	if i < 0 {
		return "nothing can be told"
	}
	return r.Withheld[i].Why
}
