package results

import (
	"fmt"

	"powerd/analysis"
	"powerd/analysis/record"
)

// recordTask says what the drive drew in a step that recorded.
func (d *Document) recordTask(s step) (task, error) {
	w := analysis.Window{Name: s.mark.Step, StartNs: s.end.StartMonoNs, EndNs: s.end.EndMonoNs}
	return d.recorded("record."+s.mark.Step, w, 0, func(r *record.Result) { d.Records = append(d.Records, r) })
}

// markTasks says what the drive drew between the user's marks.
// Marks of another host are as far out as that host's clock is unsure.
func (d *Document) markTasks() ([]task, error) {
	marks, err := readMarks(d.folder.dir)
	if err != nil {
		return nil, err
	}
	for _, text := range marks.damage {
		d.warn("marks", text)
	}
	var out []task
	for _, m := range marks.windows {
		what := "marks." + m.start.Name
		switch {
		case m.end == nil && d.Run.Outcome == Running:
			d.withhold(what, "its end has not been marked yet")
			continue
		case m.end == nil:
			d.withhold(what, "the run ended before its end was marked, so nobody knows how long it lasted")
			continue
		}
		w := analysis.Window{Name: m.start.Name, StartNs: m.start.MonoNs, EndNs: m.end.MonoNs}
		t, err := d.recorded(what, w, m.edgeU95Ns(), func(r *record.Result) {
			marked := record.Marked(r, m.end.Count, m.end.Unit)
			marked.From(m.start.From, m.end.From)
			d.Marks = append(d.Marks, marked)
		})
		if err != nil {
			return nil, fmt.Errorf("mark %s: %w", m.start.Name, err)
		}
		asked, err := d.stateTask(w)
		if err != nil {
			return nil, fmt.Errorf("mark %s: %w", m.start.Name, err)
		}
		for _, t := range []task{t, asked} {
			if t.end != nil {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// edgeU95Ns returns how well the marks' times are known on this host's clock.
func (m *marked) edgeU95Ns() float64 {
	u := 0.0
	for _, from := range []*record.Remote{m.start.From, m.end.From} {
		if from != nil {
			u = max(u, from.OffsetU95S*1e9)
		}
	}
	return u
}

// unsureMap is a map whose windows' edges are not known exactly.
type unsureMap struct {
	analysis.TimeMap
	edgeU95Ns float64
}

// TimeOf adds the edge's ±, which may be a bound, to the map's.
func (m unsureMap) TimeOf(k float64) (ns, u95Ns float64) {
	ns, u95Ns = m.TimeMap.TimeOf(k)
	return ns, u95Ns + m.edgeU95Ns
}

// recorded makes the task of one window's figures; its edges are known to ± edgeU95Ns on
// this host's clock.
func (d *Document) recorded(what string, w analysis.Window, edgeU95Ns float64, take func(*record.Result)) (task, error) {
	st := d.placed(what, w)
	if st == nil {
		return task{}, nil
	}
	o := record.Options{What: what, Name: w.Name, Rails: d.Bench.RailsUsed, NoRails: d.noRails(), Accuracy: d.Module.Calibration.Spec()}
	o.IO, o.IOWhy = d.folder.followed(w)
	a, err := record.New(unsureMap{st.m, edgeU95Ns}, w, o)
	if err != nil {
		return task{}, err
	}
	return task{what: what, window: w, stream: st, add: a.Add, end: func() error {
		r := a.Result()
		if why := d.unpaired(); why != "" {
			r.Apart(why)
		}
		take(r)
		d.keep(r.Withheld, r.Warnings)
		return nil
	}}, nil
}
