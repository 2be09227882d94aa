package results

import (
	"cmp"
	"fmt"
	"time"

	"powerd/analysis"
	"powerd/analysis/idle"
	"powerd/quarch"
)

// zeroKeeps is how long a zero is taken to hold without a word.
const zeroKeeps = 365 * 24 * time.Hour

func (d *Document) idleTask(s step) (task, error) {
	from := cmp.Or(s.windowNs, s.end.StartMonoNs)
	w := analysis.Window{Name: s.mark.Step, StartNs: from, EndNs: s.end.EndMonoNs}
	if s.mark.Settle != nil && s.windowNs == 0 {
		d.withhold("idle."+s.mark.Step, "the step ended while it waited for the drive to settle")
		return task{}, nil
	}
	st := d.placed("idle."+s.mark.Step, w)
	if st == nil {
		return task{}, nil
	}
	a, err := idle.New(st.m, w, d.idleOptions(s, st))
	if err != nil {
		return task{}, err
	}
	return task{what: "idle." + s.mark.Step, window: w, stream: st, add: a.Add, end: func() error {
		for _, r := range a.Results() {
			d.Idles = append(d.Idles, r)
			d.keep(r.Withheld, r.Warnings)
		}
		return nil
	}}, nil
}

// idleOptions are what is known of the bench while a step ran.
func (d *Document) idleOptions(s step, st *stream) idle.Options {
	o := idle.Options{
		Step: s.mark.Step, Kind: idle.KindActive, Rails: d.Bench.RailsUsed, NoRails: d.noRails(), ResolutionAmps: map[quarch.Rail]float64{},
		Accuracy: d.Module.Calibration.Spec(), Zero: d.zero(), HostIO: d.folder.hostIOs(s), SinceNs: s.end.StartMonoNs, Settle: s.mark.Settle,
		LinkPower: d.Drive.LinkPower,
	}
	for _, r := range st.Rails {
		o.ResolutionAmps[r.Rail] = r.LSBAmps
	}
	return o
}

// firstSettled returns the first of results that was not found unsettled, else the
// first.
func firstSettled(rs []*idle.Result) *idle.Result {
	for _, r := range rs {
		if r.Settled == nil || *r.Settled {
			return r
		}
	}
	if len(rs) > 0 {
		return rs[0]
	}
	return nil
}

// zero returns the bench's zero as the analysis takes it; nil if there is none that
// holds for this run.
func (d *Document) zero() map[quarch.Rail]idle.Zero {
	z := d.Bench.Zero
	if z == nil || d.otherZero() != "" {
		return nil
	}
	out := map[quarch.Rail]idle.Zero{}
	for r, f := range z.Rails {
		out[r] = idle.Zero{Amps: f.MeanA, U95Amps: f.U95A}
	}
	return out
}

// otherZero returns why the bench's zero is none of this run's; empty if it is.
func (d *Document) otherZero() string {
	switch z := d.Bench.Zero; {
	case z.Module != d.Module.Serial:
		return fmt.Sprintf("it is of module %s, this run is of %s", z.Module, d.Module.Serial)
	case z.Fixture != d.Bench.Fixture:
		return fmt.Sprintf("it is of fixture %q, this run is of %q", z.Fixture, d.Bench.Fixture)
	}
	return ""
}

// zeroKnown says what speaks against the bench's zero.
func (d *Document) zeroKnown() {
	z := d.Bench.Zero
	if z == nil {
		return
	}
	if why := d.otherZero(); why != "" {
		d.warn("zero_not_used", "the bench's zero is not used: "+why+"; measure it again with `powerd zero`")
		return
	}
	on, err := time.Parse(time.RFC3339Nano, z.DateUTC)
	at, err2 := time.Parse(time.RFC3339Nano, d.Run.StartedUTC)
	if err == nil && err2 == nil && at.Sub(on) > zeroKeeps {
		d.warn("zero_old", fmt.Sprintf("the bench's zero is of %s, more than a year before this run; measure it again with `powerd zero`", on.Format(time.DateOnly)))
	}
}
