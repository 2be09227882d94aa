package emu

import "powerd/powerd/internal/catalog"

// Window names a window of the results for which the truth is wanted.
type Window struct {
	Step        string `json:"step"`
	StartMonoNs int64  `json:"start_mono_ns"`
	EndMonoNs   int64  `json:"end_mono_ns"`
	Ramped      bool   `json:"ramped"` // IO before the window is the engine's ramp
}

// Request asks what really happened.
type Request struct {
	StartedMonoNs int64    `json:"started_mono_ns"` // of the run
	Stream        int      `json:"stream"`          // number of the results' main stream, from 1
	Idle          *Window  `json:"idle,omitempty"`
	Steps         []Window `json:"steps"`
}

// Truth is truth.json: what the model did in the windows of results.json, in host
// time.
type Truth struct {
	Clock  Clock       `json:"clock"`
	Clocks []Clock     `json:"clocks"` // of every stream
	Idle   *Idle       `json:"idle,omitempty"`
	Inrush *Inrush     `json:"inrush,omitempty"` // of the first power-up of the run
	Steps  []StepTruth `json:"steps"`
	Losses []Loss      `json:"losses"`
}

// Clock is where a stream of the module really lay.
type Clock struct {
	Stream   int     `json:"stream"`
	OffsetS  float64 `json:"offset_s"` // start of stripe 0 minus started_mono_ns
	DriftPPM float64 `json:"drift_ppm"`
	Stripes  uint64  `json:"stripes"`
	Overrun  bool    `json:"overrun"`
}

// Idle is the mean power of the idle window.
type Idle struct {
	Rail5VW  float64 `json:"5v_w"`
	Rail12VW float64 `json:"12v_w"`
	TotalW   float64 `json:"total_w"`
}

// Inrush is a start-up without the instrument's noise.
type Inrush struct {
	Rails  map[string]RailInrush `json:"rails"`
	ReadyS float64               `json:"ready_s"`
	UVLOV  float64               `json:"uvlo_v"`
}

// RailInrush is a rail's peaks.
type RailInrush struct {
	Peaks []Peak `json:"peaks"`
}

// Loss is what the module, its line or its bench did not deliver as it was made.
type Loss struct {
	Stream     int    `json:"stream"`
	FromStripe uint64 `json:"from_stripe"`
	Stripes    uint64 `json:"stripes"` // 0 = all that would have come
	What       string `json:"what"`
}

// Peak is the largest moving mean over a window.
type Peak struct {
	WindowUs float64 `json:"window_us"`
	Amps     float64 `json:"amps"`
	Watts    float64 `json:"watts"`
	AtS      float64 `json:"at_s"`
}

// StepTruth is what the drive served and drew in a step's window.
type StepTruth struct {
	Step          string  `json:"step"`
	StartMonoNs   int64   `json:"start_mono_ns"`
	EndMonoNs     int64   `json:"end_mono_ns"`
	FirstIOMonoNs int64   `json:"first_io_mono_ns"`
	LastIOMonoNs  int64   `json:"last_io_mono_ns"`
	IOs           uint64  `json:"ios"`
	Bytes         uint64  `json:"bytes"`
	EnergyJ       float64 `json:"energy_j"`
	MeanW         float64 `json:"mean_w"`
}

// aroundNs is how far beside a window IO is looked for, so that a window in the
// wrong place shows.
const aroundNs = 100_000_000

// truth asks the twin's model.
func truth(t *catalog.Twin, q Request) Truth {
	out := Truth{Steps: []StepTruth{}, Losses: []Loss{}}
	for i, s := range t.Module.Streams() {
		c := Clock{
			Stream: i + 1, OffsetS: float64(s.StartNs-q.StartedMonoNs) * 1e-9, DriftPPM: s.DriftPPM,
			Stripes: s.Stripes, Overrun: s.Overrun,
		}
		out.Clocks = append(out.Clocks, c)
		if c.Stream == q.Stream {
			out.Clock = c
		}
		for _, l := range s.Losses {
			out.Losses = append(out.Losses, Loss{Stream: i + 1, FromStripe: l.Index, Stripes: l.Stripes, What: l.What})
		}
		if s.Overrun {
			out.Losses = append(out.Losses, Loss{Stream: i + 1, FromStripe: s.Stripes, What: "overrun: nothing was made after this stripe"})
		}
	}
	if w := q.Idle; w != nil {
		e := t.Drive.Truth(w.StartMonoNs, w.EndMonoNs)
		s := float64(w.EndMonoNs-w.StartMonoNs) * 1e-9
		out.Idle = &Idle{Rail5VW: e.Energy5VJ / s, Rail12VW: e.Energy12VJ / s, TotalW: e.EnergyJ / s}
	}
	out.Inrush = inrush(t.Drive, q.StartedMonoNs)
	for _, w := range q.Steps {
		out.Steps = append(out.Steps, served(t.Drive, w))
	}
	return out
}

// served is what the drive did in a window; first and last IO are those of the
// load that the window stands for, be they inside or beside it; a ramp is no part of
// it.
func served(d *catalog.Drive, w Window) StepTruth {
	e := d.Truth(w.StartMonoNs, w.EndMonoNs)
	from := w.StartMonoNs - aroundNs
	if w.Ramped {
		from = w.StartMonoNs
	}
	around := d.Truth(from, w.EndMonoNs+aroundNs)
	return StepTruth{
		Step: w.Step, StartMonoNs: w.StartMonoNs, EndMonoNs: w.EndMonoNs,
		FirstIOMonoNs: around.FirstIONs, LastIOMonoNs: around.LastIONs,
		IOs: e.IOs, Bytes: e.Bytes, EnergyJ: e.EnergyJ, MeanW: e.MeanW,
	}
}

func inrush(d *catalog.Drive, sinceNs int64) *Inrush {
	spec := catalog.InrushSpec{WindowsNs: []int64{20_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 500_000_000}}
	for _, t := range d.Inrushes(spec) {
		if t.OnNs < sinceNs {
			continue
		}
		return &Inrush{
			Rails:  map[string]RailInrush{"5v": {peaks(t.Rail5V)}, "12v": {peaks(t.Rail12V)}},
			ReadyS: t.ReadyS, UVLOV: t.UVLOVolts,
		}
	}
	return nil
}

func peaks(r catalog.RailInrush) []Peak {
	out := make([]Peak, len(r.Peaks))
	for i, p := range r.Peaks {
		out[i] = Peak{WindowUs: float64(p.WindowNs) * 1e-3, Amps: p.Amps, Watts: p.Watts, AtS: p.AmpsAtS}
	}
	return out
}
