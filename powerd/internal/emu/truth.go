package emu

// Window names a window of the results for which the truth is wanted.
type Window struct {
	Step        string `json:"step"` // or, of Request.Windows, what the results call it
	StartMonoNs int64  `json:"start_mono_ns"`
	EndMonoNs   int64  `json:"end_mono_ns"`
	Ramped      bool   `json:"ramped"` // IO before the window is the engine's ramp
}

// Cycle names a power-up of the results, and what they say of it.
type Cycle struct {
	Window
	WindowsUs []float64            `json:"windows_us"` // of its peaks
	LimitsA   map[string][]float64 `json:"limits_a"`   // by rail: above which the time was taken
}

// Request asks what really happened.
type Request struct {
	StartedMonoNs int64    `json:"started_mono_ns"` // of the run
	EndedMonoNs   int64    `json:"ended_mono_ns"`   // 0 = no intervals are asked for
	Stream        int      `json:"stream"`          // number of the results' main stream, from 1
	Idle          *Window  `json:"idle,omitempty"`
	Steps         []Window `json:"steps"` // loads
	Cycles        []Cycle  `json:"cycles"`
	Windows       []Window `json:"windows"` // all others
}

// Truth is truth.json: what the model did in the windows of results.json, in host
// time. See the package's text.
type Truth struct {
	Scale     int           `json:"scale"` // the drive's IOPS are divided, its joules of IO multiplied by it
	Clock     Clock         `json:"clock"`
	Clocks    []Clock       `json:"clocks"` // of every stream
	Idle      *Idle         `json:"idle,omitempty"`
	Inrush    *PowerUp      `json:"inrush,omitempty"` // the first power-up of the run
	Cycles    []PowerUp     `json:"cycles"`           // those of the results
	Steps     []StepTruth   `json:"steps"`
	Windows   []WindowTruth `json:"windows"`
	Edges     []Edge        `json:"edges"`
	Intervals Intervals     `json:"intervals"`
	Losses    []Loss        `json:"losses"`
	LateIOs   uint64        `json:"late_ios"` // of the drive's life: their joules were drawn after their time
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

// PowerUp is a start-up without the instrument's noise. Its times in seconds count from
// first_mono_ns.
type PowerUp struct {
	Step           string             `json:"step,omitempty"`
	OnMonoNs       int64              `json:"on_mono_ns"`                  // the supply began to rise
	FirstMonoNs    int64              `json:"first_mono_ns"`               // a rail reached 1 % of its nominal volts
	UVLOMonoNs     int64              `json:"uvlo_mono_ns"`                // the drive came to life …
	UVLOV          float64            `json:"uvlo_v"`                      // … at these volts of its supply
	EndMonoNs      int64              `json:"end_mono_ns"`                 // of what the peaks are the highest of
	ReadyS         float64            `json:"ready_s,omitempty"`           // absent: it lost its power before
	EnergyToReadyJ float64            `json:"energy_to_ready_j,omitempty"` // absent: it was not ready before end_mono_ns
	Rails          map[string]Current `json:"rails"`
	Total          Current            `json:"total"` // watts and joules only
}

// Current is what a rail drew in a start-up, from first_mono_ns to end_mono_ns.
type Current struct {
	Peaks   []Peak  `json:"peaks"`
	Above   []Above `json:"above,omitempty"`
	ChargeC float64 `json:"charge_c"`
	EnergyJ float64 `json:"energy_j"`
}

// Peak is the largest moving mean over a window, at_s the middle of it.
type Peak struct {
	WindowUs float64 `json:"window_us"`
	Amps     float64 `json:"amps"`
	AtS      float64 `json:"at_s"`
	Watts    float64 `json:"watts"`
	WattsAtS float64 `json:"watts_at_s"`
}

// Above is how long the mean over 10 ms lay above a limit; breaks of up to 10 ms count.
type Above struct {
	LimitA float64 `json:"limit_a"`
	FirstS float64 `json:"first_s"`
	LastS  float64 `json:"last_s"`
	TotalS float64 `json:"total_s"` // 0 = never
}

// StepTruth is what the drive served and drew in a load's window.
type StepTruth struct {
	WindowTruth
	FirstCurrentMonoNs int64 `json:"first_current_mono_ns"` // of the load, its ramp with it; 0 = none
	LastCurrentMonoNs  int64 `json:"last_current_mono_ns"`
}

// WindowTruth is what the drive served and drew in a window. Joules are in closed form
// or from the ledger of its IO.
type WindowTruth struct {
	Step          string             `json:"step"`
	StartMonoNs   int64              `json:"start_mono_ns"`
	EndMonoNs     int64              `json:"end_mono_ns"`
	FirstIOMonoNs int64              `json:"first_io_mono_ns"` // first and last done, 0 = none
	LastIOMonoNs  int64              `json:"last_io_mono_ns"`
	IOs           uint64             `json:"ios"`
	Reads         uint64             `json:"reads"`
	Writes        uint64             `json:"writes"`
	Bytes         uint64             `json:"bytes"`
	EdgeIOs       uint64             `json:"edge_ios"` // of them stand so near to an edge that their side is open
	LatencyUs     *LatencyTruth      `json:"latency_us,omitempty"`
	EnergyJ       float64            `json:"energy_j"`
	MeanW         float64            `json:"mean_w"`
	RailsW        map[string]float64 `json:"rails_w"` // means; null for an empty window
}

// LatencyTruth is for how long IOs were in the drive, from the time that it was asked to the
// time that it answered. What its host sees has the way there and back on top.
type LatencyTruth struct {
	Mean      float64 `json:"mean"`
	ReadMean  float64 `json:"read_mean,omitempty"`
	WriteMean float64 `json:"write_mean,omitempty"`
	Max       float64 `json:"max"`
}

// Edge is a change of the supply of a rail: in a straight line from one voltage to the
// other.
type Edge struct {
	Rail        string  `json:"rail"`
	StartMonoNs int64   `json:"start_mono_ns"`
	EndMonoNs   int64   `json:"end_mono_ns"`
	FromV       float64 `json:"from_v"`
	ToV         float64 `json:"to_v"`
	Off         bool    `json:"off"` // the source is switched off: no current from the start on
}

// Intervals are what was served and drawn in equal intervals from the start of the run
// on, of those that had IO.
type Intervals struct {
	LengthS int64      `json:"length_s"` // 1, and more where that would be more than 10000
	Rows    []Interval `json:"rows"`
}

// Interval is one of them.
type Interval struct {
	StartMonoNs int64   `json:"start_mono_ns"`
	Reads       uint64  `json:"reads"`
	Writes      uint64  `json:"writes"`
	Bytes       uint64  `json:"bytes"`
	EnergyJ     float64 `json:"energy_j"`
}

// Loss is what the module, its line or its bench did not deliver as it was made.
type Loss struct {
	Stream     int    `json:"stream"`
	FromStripe uint64 `json:"from_stripe"`
	Stripes    uint64 `json:"stripes"` // 0 = all that would have come
	What       string `json:"what"`
}
