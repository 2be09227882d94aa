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

// jobMapNs is the ± of a map with which the start and the end of a job are found: an engine
// takes longer than this from its start to its first IO, and from its last IO to its exit.
const jobMapNs = 60e6

// What an engine's jobs are to a map.
const (
	jobStart = "job start"
	jobEnd   = "job end"
)

// jobs looks in stream s, which is placed by m, for the steps of the power at the start and
// at the end of each job: they are not earlier than the engine's stamps allow.
func (f *folder) jobs(s *stream, m *align.Map) (out []align.Known) {
	for _, st := range f.steps {
		began := st.end.StartMonoNs
		if st.mark.Kind != suite.Load || st.mark.Job == nil || !f.during(s.Stream, began) {
			continue
		}
		res, err := f.load(st)
		if err != nil || res.EndNs <= res.StartNs || float64(res.EdgeU95Ns) > edgeMapNs {
			continue
		}
		if e, ok := s.jobStart(*st.mark.Job, res, m); ok {
			out = append(out, e)
		}
		if b, ok := s.jobEnd(*st.mark.Job, res, m); ok {
			out = append(out, b)
		}
	}
	return out
}

// jobStart returns where the power rises as a job begins. A job that ramps up was at work
// before its stamp.
func (s *stream) jobStart(job engine.Job, res *engine.Result, m *align.Map) (e align.Event, ok bool) {
	if job.Ramp > 0 {
		return e, false
	}
	notBefore := res.StartNs - res.EdgeU95Ns
	v, half, ok := s.around(m, notBefore)
	if !ok {
		return e, false
	}
	edge, err := v.rise(cause{float64(notBefore), math.Inf(1)}, 0, half)
	if err != nil { // it starts slowly, or draws too little
		return e, false
	}
	return align.Event{Stripe: edge.Stripe, UNs: edge.UNs, NotBeforeNs: notBefore, DoneNs: res.StartNs + res.EdgeU95Ns, Kind: jobStart}, true
}

// jobEnd returns where the power falls as a job ends. It was at work until its time was up,
// so the last IO was submitted no more than the longest latency before. It is a bound and
// no event: for how long a drive is busy with what it has taken differs from job to job.
func (s *stream) jobEnd(job engine.Job, res *engine.Result, m *align.Map) (b align.Bound, ok bool) {
	took := int64(longest(res))
	byTime := job.JobFile == "" && job.RateIOPS == 0 && job.StopBytes == 0 && !res.Interrupted
	if !byTime || took <= 0 || took > edgeMapNs {
		return b, false
	}
	notBefore := res.EndNs - res.EdgeU95Ns - took
	v, half, ok := s.around(m, notBefore)
	if !ok {
		return b, false
	}
	edge, err := v.fall(cause{float64(notBefore), math.Inf(1)}, half)
	if err != nil {
		return b, false
	}
	return align.Bound{Stripe: edge.Stripe + edge.UNs/float64(s.PeriodNs), NotBeforeNs: notBefore, Kind: jobEnd}, true
}

// around returns the power around a host time, as far as a step at it is looked for; false
// where it is not known well enough which one that would be.
func (s *stream) around(m *align.Map, ns int64) (v view, half float64, ok bool) {
	_, u := m.TimeOf(m.IndexAt(float64(ns)))
	if !(u <= jobMapNs) {
		return v, 0, false
	}
	half = edgeNs + u
	return s.view(m, float64(ns)-half, float64(ns)+half), half, true
}
