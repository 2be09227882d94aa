package results

import (
	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/pairing"
	"powerd/quarch"
)

// Schema names the version of the document.
const Schema = "powerd.results/1"

// Outcomes of a run.
const (
	Running     = "running"
	Completed   = "completed"
	Interrupted = "interrupted"
	Failed      = "failed"
)

// Meta is what was known before the first sample. It is kept with the capture.
type Meta struct {
	Run    Run     `json:"run"`
	Suite  Suite   `json:"suite"`
	Bench  Bench   `json:"bench"`
	Drive  Drive   `json:"drive"`
	Host   Host    `json:"host"`
	Module Module  `json:"module"`
	Start  Instant `json:"start"`
	BootID string  `json:"boot_id,omitempty"`     // of the machine, as the run began
	Steps  string  `json:"plan_sha256,omitempty"` // of the plan that the suite and the settings make

	Rate *KnownRate `json:"rate,omitempty"` // of the module's clock; nil = nothing is remembered
}

// KnownRate is what was known of the module's clock before the run.
type KnownRate struct {
	PPM    float64 `json:"ppm"`             // positive = its period is long
	U95PPM float64 `json:"u95_ppm"`         // by the time of the run; 0 = it is not known after all
	From   string  `json:"from"`            // when and in which run it was measured
	Fault  string  `json:"fault,omitempty"` // why what is remembered cannot be used
}

// Instant is one reading of the host's clocks.
type Instant = quarch.Clock

// Run names a run.
type Run struct {
	ID            string `json:"id"`
	StartedUTC    string `json:"started_utc"`
	StartedMonoNs int64  `json:"started_mono_ns"`
	EndedUTC      string `json:"ended_utc,omitempty"`
	Outcome       string `json:"outcome"`
	Why           string `json:"why,omitempty"` // of an outcome other than completed
	PowerdVersion string `json:"powerd_version"`
	FioVersion    string `json:"fio_version,omitempty"`
}

// Suite is what was run.
type Suite struct {
	Name      string  `json:"name"`
	Title     string  `json:"title,omitempty"`
	SHA256    string  `json:"sha256"`
	Scale     float64 `json:"scale"`           // of time: a trial is so many times shorter than written; 1 = as written
	Trial     bool    `json:"trial,omitempty"` // some steps were done as the suite asks of emulated drives: shorter, or fewer
	Simulated bool    `json:"simulated"`
}

// Bench is where it was run.
type Bench struct {
	Name      string            `json:"name,omitempty"`
	RailsUsed []quarch.Rail     `json:"rails_used"`
	Fixture   string            `json:"fixture,omitempty"`
	Consent   []string          `json:"consent,omitempty"` // what its owner lets a run do to the drive
	Zero      *Zero             `json:"zero,omitempty"`
	Pairing   *pairing.Evidence `json:"pairing,omitempty"`
}

// Zero is what the module reads with its outputs on and no drive: its own offset and
// what the fixture draws.
type Zero struct {
	DateUTC string                      `json:"date_utc"`
	Module  string                      `json:"module"` // serial number
	Fixture string                      `json:"fixture,omitempty"`
	Seconds float64                     `json:"seconds"`
	Rails   map[quarch.Rail]*ZeroFigure `json:"rails"`
}

// ZeroFigure is the zero of one rail, negative currents kept; u95 is that of its
// scatter.
type ZeroFigure struct {
	MeanV float64 `json:"mean_v"`
	MeanA float64 `json:"mean_a"`
	MeanW float64 `json:"mean_w"`
	U95A  float64 `json:"u95_a"`
	U95W  float64 `json:"u95_w"`
}

// Calibration is the module's accuracy.
type Calibration struct {
	GainPct  float64 `json:"gain_pct"`
	OffsetMA float64 `json:"offset_ma"`
	OffsetMV float64 `json:"offset_mv"`
	CalDate  string  `json:"cal_date,omitempty"` // YYYY-MM-DD
	Assumed  bool    `json:"assumed"`            // by the module's family; its owner gave none
}

// Spec returns it for calculations.
func (c *Calibration) Spec() accuracy.Spec {
	if c == nil {
		return accuracy.Spec{}
	}
	return accuracy.Spec{GainPct: c.GainPct, OffsetAmps: c.OffsetMA * 1e-3, OffsetVolts: c.OffsetMV * 1e-3}
}

// Drive is what was measured.
type Drive struct {
	Vendor        string  `json:"vendor,omitempty"`
	Model         string  `json:"model,omitempty"`
	Serial        string  `json:"serial,omitempty"`
	Firmware      string  `json:"firmware,omitempty"`
	CapacityBytes int64   `json:"capacity_bytes,omitempty"`
	Interface     string  `json:"interface,omitempty"`
	ByID          string  `json:"by_id,omitempty"`
	File          string  `json:"file,omitempty"` // name of the drive file whose claims it is held against
	Target        string  `json:"target,omitempty"`
	LinkPower     string  `json:"link_power,omitempty"` // how the host lets the link to it save power
	TwinScale     float64 `json:"twin_scale,omitempty"` // IOPS divided, energies multiplied by it

	// What it said of itself before the first step and after the last one; absent = it was
	// not asked, or did not say.
	TempBeforeC      *float64 `json:"temp_before_c,omitempty"`
	TempAfterC       *float64 `json:"temp_after_c,omitempty"`
	PowerStateBefore string   `json:"power_state_before,omitempty"` // "ps0", "ACTIVE or IDLE", "STANDBY"
	PowerStateAfter  string   `json:"power_state_after,omitempty"`
	HealthTool       string   `json:"health_tool,omitempty"` // that asked: "smartctl 7.4"
}

// Host is the machine that loaded the drive.
type Host struct {
	CPU    string `json:"cpu,omitempty"`
	Kernel string `json:"kernel,omitempty"`
}

// Module is the instrument and its setting.
type Module struct {
	Driver         string        `json:"driver"`
	Model          string        `json:"model"`
	Serial         string        `json:"serial"`
	Firmware       string        `json:"firmware,omitempty"`
	Link           string        `json:"link"`
	Port           string        `json:"port"`
	Rails          []quarch.Rail `json:"rails"`
	PeriodUs       float64       `json:"period_us,omitempty"` // of the main stream
	Averaging      int           `json:"averaging,omitempty"`
	PollsPerS      float64       `json:"polls_per_s,omitempty"` // polled link: measured rate
	LatencyTimerMs int           `json:"latency_timer_ms,omitempty"`
	RuntimeS       *float64      `json:"runtime_s,omitempty"` // since it was switched on, at the start of the run
	SelfTest       string        `json:"self_test,omitempty"`
	Calibration    *Calibration  `json:"calibration,omitempty"`
}

// Alignment says where the stripes of the main stream (the longest) lie on the
// host's time, and how sure that is.
type Alignment struct {
	StreamAlignment
	Gaps      []Gap             `json:"gaps,omitempty"`
	WallSteps []WallStep        `json:"wall_steps,omitempty"`
	Streams   []StreamAlignment `json:"streams"` // all of them, the main one too

	CrossChecks []CrossCheck `json:"cross_checks,omitempty"` // of long loads
}

// StreamAlignment is the map of one stream:
// t(k) = started + offset + k·T·(1 + drift·1e-6).
type StreamAlignment struct {
	Stream      int      `json:"stream"`
	PeriodUs    float64  `json:"period_us,omitempty"`
	Method      string   `json:"method"`
	Status      string   `json:"status"` // ok, degraded, none
	Why         string   `json:"why,omitempty"`
	OffsetS     *float64 `json:"offset_s,omitempty"` // start of stripe 0 minus started_mono_ns
	OffsetU95S  *float64 `json:"offset_u95_s,omitempty"`
	DriftPPM    *float64 `json:"drift_ppm,omitempty"` // positive: the module's period is long
	DriftU95PPM *float64 `json:"drift_u95_ppm,omitempty"`
	PriorPPM    *float64 `json:"prior_ppm,omitempty"` // what was known of the drift before the stream was looked at
	PriorU95PPM *float64 `json:"prior_ppm_u95,omitempty"`
	PriorFrom   string   `json:"prior_from,omitempty"` // another stream of the run, or when and in which run
	Stripes     uint64   `json:"stripes"`
	LostStripes uint64   `json:"lost_stripes"` // that the link counted
	Beacons     *Beacons `json:"beacons,omitempty"`

	Uncounted []Uncounted `json:"uncounted,omitempty"` // that it did not

	again    bool // it was started again before anything was measured in it
	measured bool // the drift is of its own arrivals
}

// StartedAgain is why a stream ended whose start the host was slow to see.
const StartedAgain = "started again"

// Gap is time without samples inside a stream.
type Gap struct {
	StartMonoNs int64  `json:"start_mono_ns"`
	EndMonoNs   int64  `json:"end_mono_ns"`
	Stripes     uint64 `json:"stripes"`
	Cause       string `json:"cause"`
}

// WallStep is a jump of the wall clock during a run. It moves nothing measured.
type WallStep struct {
	MonoNs int64   `json:"mono_ns"`
	StepS  float64 `json:"step_s"`
}

// StepResult is how one step of the plan ended.
type StepResult struct {
	Step        string `json:"step"`
	Kind        string `json:"kind"`
	StartMonoNs int64  `json:"start_mono_ns"`
	EndMonoNs   int64  `json:"end_mono_ns"`
	Outcome     string `json:"outcome"`
	Why         string `json:"why,omitempty"`
}

// Withheld is the analysis's own.
type Withheld = analysis.Withheld

// Warning is the analysis's own.
type Warning = analysis.Warning
