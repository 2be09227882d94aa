package results

import (
	"math"

	"powerd/analysis/align"
	"powerd/engine"
	"powerd/powerd/internal/suite"
)

// loaded is what an engine left of a job.
type loaded struct {
	result *engine.Result
	err    error
}

// load returns what the engine left of a step's job, reading it once.
func (f *folder) load(s step) (*engine.Result, error) {
	if l, ok := f.loads[s.mark.Step]; ok {
		return l.result, l.err
	}
	job := *s.mark.Job
	job.Dir = EngineDir(f.dir, s.leg)
	res, err := f.loader.Load(job)
	if res != nil {
		res.Shift(f.legs[s.leg-1].ClockShiftNs)
	}
	if f.loads == nil {
		f.loads = map[string]loaded{}
	}
	f.loads[s.mark.Step] = loaded{res, err}
	return res, err
}

// jobMapNs is the ± of a map with which the start of a job is found: an engine takes longer
// than this from its start to its first IO, so that there is quiet before.
const jobMapNs = 60e6

// jobBounds looks for the rise of the power at the start of each job in stream s, which
// is placed by m: it cannot be earlier than the engine's stamp allows. A job that ramps up
// was at work before its stamp.
func (f *folder) jobBounds(s *stream, m *align.Map) (out []align.Known) {
	for _, st := range f.steps {
		began := st.end.StartMonoNs
		if st.mark.Kind != suite.Load || st.mark.Job == nil || st.mark.Job.Ramp > 0 || !f.during(s.Stream, began) {
			continue
		}
		res, err := f.load(st)
		if err != nil || res.EndNs <= res.StartNs || float64(res.EdgeU95Ns) > edgeMapNs {
			continue
		}
		notBefore := float64(res.StartNs - res.EdgeU95Ns)
		_, u := m.TimeOf(m.IndexAt(notBefore))
		if !(u <= jobMapNs) {
			continue
		}
		half := edgeNs + u
		edge, err := s.view(m, notBefore-half, notBefore+half).rise(cause{notBefore, math.Inf(1)}, 0, half)
		if err != nil {
			continue // it starts slowly, or draws too little
		}
		out = append(out, align.Bound{Stripe: edge.Stripe + edge.UNs/float64(s.PeriodNs), NotBeforeNs: res.StartNs - res.EdgeU95Ns, Kind: "job"})
	}
	return out
}
