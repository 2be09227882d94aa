package compare

import (
	"powerd/analysis/efficiency"
	"powerd/analysis/saturation"
)

// saturations matches loads in rounds: what becomes of a fresh drive. Their two windows
// are among the cells.
func (r *Result) saturations(o Options) {
	order, at := matched(r.runs, func(run *Run) []*saturation.Result { return run.Saturation }, func(s *saturation.Result) string {
		k := keyOf(&efficiency.Cell{RW: s.RW, BSBytes: s.BSBytes, ReadPct: s.ReadPct, QD: s.QD, Jobs: s.Jobs})
		return k.Name()
	})
	for _, name := range order {
		m := &Match{Name: name}
		for _, q := range []struct {
			name, head string
			of         func(*saturation.Result) (x, u95 *float64)
		}{
			{"iops_ratio", "IOPS fresh ÷ last", func(s *saturation.Result) (x, u95 *float64) { return s.IOPSRatio, s.IOPSRatioU95 }},
			{"housekeeping_share_iops", "Housekeeping share of IOPS at equal power", func(s *saturation.Result) (x, u95 *float64) { return s.ShareIOPS, s.ShareIOPSU95 }},
			{"housekeeping_share_efficiency", "Housekeeping share of efficiency", func(s *saturation.Result) (x, u95 *float64) { return s.ShareEfficiency, s.ShareEfficiencyU95 }},
		} {
			f := Figure{Name: q.name, Head: q.head}
			n := 0
			for i, s := range at[name] {
				v := Value{Why: notInRun}
				if s != nil {
					v = Value{}
					v.Value, v.U95 = q.of(s)
					if v.Value == nil {
						v.Why = r.runs[i].reasonOf("saturation."+s.Step, q.name)
					} else {
						n++
					}
				}
				f.Values = append(f.Values, v)
			}
			if n > 1 {
				f.judge(o, r.runs, func(*Run) string { return "" })
				m.Figures = append(m.Figures, f)
			}
		}
		if len(m.Figures) > 0 {
			r.Saturation = append(r.Saturation, m)
		}
	}
}
