package record

import (
	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/analysis/window"
	"powerd/engine"
	"powerd/quarch"
)

// Options say what is known of the window.
type Options struct {
	What     string         // what its figures are called: "record.oltp", "marks.tpcc"
	Name     string         // of step or mark
	Rails    []quarch.Rail  // of the drive in use; nil = those that the module gives
	NoRails  []quarch.Rail  // that the drive has none of: they need not be measured
	Accuracy accuracy.Spec  // of the module
	IO       *engine.Result // what reached the drive inside the window; nil = not known
	IOWhy    string         // why it is not known
}

// Analyzer collects one window from a stream's blocks.
type Analyzer struct {
	o      Options
	w      analysis.Window
	cutter *window.Cutter
	spread *spread
}

// New returns an Analyzer of the window w.
func New(m analysis.TimeMap, w analysis.Window, o Options) (*Analyzer, error) {
	windows := []analysis.Window{w}
	if o.IO != nil {
		windows = append(windows, analysis.Window{Name: w.Name, StartNs: o.IO.StartNs, EndNs: o.IO.EndNs})
		for _, p := range efficiency.Parts(o.IO) {
			windows = append(windows, p.Window)
		}
	}
	c, err := window.NewCutter(m, o.Rails, windows...)
	if err != nil {
		return nil, err
	}
	from, to := m.IndexAt(float64(w.StartNs)), m.IndexAt(float64(w.EndNs))
	return &Analyzer{o: o, w: w, cutter: c, spread: newSpread(from, to, o.Rails)}, nil
}

// Add adds a block, in order. It keeps nothing of it.
func (a *Analyzer) Add(b *quarch.Block) {
	a.cutter.Add(b)
	a.spread.add(b)
}

// Result returns the figures. It is called once, after the last block. A stream that
// ended inside the window shows in the coverage.
func (a *Analyzer) Result() *Result {
	stats := a.cutter.Stats()
	r := &Result{
		Name: a.o.Name, StartMonoNs: a.w.StartNs, EndMonoNs: a.w.EndNs, DurationS: a.w.Seconds(), what: a.o.What,
		Coverage: stats[0].Total.Coverage, Rails: map[quarch.Rail]*Figures{}, Total: &Figures{},
	}
	a.power(r, &stats[0])
	switch {
	case a.o.IO != nil:
		a.io(r, stats[1:])
	case a.o.IOWhy != "":
		r.withhold("io", a.o.IOWhy)
	}
	return r
}

// judge has package efficiency judge a window.
func (a *Analyzer) judge(res *engine.Result, power *window.Stats, parts []window.Stats) *efficiency.Cell {
	return efficiency.Judge(efficiency.Input{
		Job: engine.Job{Step: a.o.Name}, Result: res, Power: power, Parts: parts, Round: 1, Accuracy: a.o.Accuracy, NoRails: a.o.NoRails,
	})
}

// power takes the figures of the whole window: those of a cell in which nothing is
// known of IO.
func (a *Analyzer) power(r *Result, st *window.Stats) {
	cell := a.judge(&engine.Result{StartNs: a.w.StartNs, EndNs: a.w.EndNs}, st, nil)
	r.NotMeasured = cell.NotMeasured
	r.Warnings = append(r.Warnings, cell.Warnings...)
	if cell.MeanW == nil {
		r.why = cell.Reason("mean_w")
		r.withhold("mean_w", r.why)
	} else {
		r.Total = figures(st.Total, &a.spread.total, cell.MeanU95W)
	}
	for i := range st.Rails {
		rail := &st.Rails[i]
		x := cell.Rails[rail.Rail]
		if x == nil {
			continue
		}
		f := figures(rail.Power, a.spread.rail(rail.Rail), x.U95W)
		f.MeanA, f.U95A, f.MeanV, f.U95V = x.MeanA, x.U95A, x.MeanV, x.U95V
		r.Rails[rail.Rail] = f
	}
	if st.Polled && len(r.Rails) > 0 {
		r.polled(st)
	}
}

func figures(p window.Power, h *window.Histogram, u95 *float64) *Figures {
	f := &Figures{
		MeanW: analysis.Some(p.MeanW), U95W: u95, MinW: analysis.Some(p.MinW), MaxW: analysis.Some(p.MaxW),
		EnergyJ: analysis.Some(p.EnergyJ),
	}
	if h != nil { // the drive does not use a rail without
		f.P99W = analysis.Some(h.Quantile(0.99))
	}
	return f
}

// io takes what reached the drive, over its own window.
func (a *Analyzer) io(r *Result, stats []window.Stats) {
	res := a.o.IO
	cell := a.judge(res, &stats[0], stats[1:])
	r.IO = &IO{
		Engine: res.Engine, StartMonoNs: res.StartNs, EndMonoNs: res.EndNs, DurationS: float64(res.EndNs-res.StartNs) * 1e-9,
		Reads: res.Read.IOs, Writes: res.Write.IOs, ReadBytes: res.Read.Bytes, WriteBytes: res.Write.Bytes,
		Rates: cell.Rates, MeanW: cell.MeanW, Ratios: cell.Ratios,
	}
	for _, what := range []string{"iops", "iops_u95_rel", "iops_per_mw", "u95_rel"} {
		if why := cell.Reason(what); why != "" {
			r.withhold("io."+what, why)
			if what == "iops_per_mw" {
				r.IO.why = why
			}
		}
	}
}
