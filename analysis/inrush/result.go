package inrush

import (
	"powerd/analysis"
	"powerd/quarch"
)

// Cycle is one power-up, with the JSON keys of results.json. What is nil was
// not measured or is in Withheld. Times are seconds from the origin.
type Cycle struct {
	Step              string                `json:"step"`
	StartMonoNs       int64                 `json:"start_mono_ns"`
	EndMonoNs         int64                 `json:"end_mono_ns"`
	OriginMonoNs      *float64              `json:"origin_mono_ns,omitempty"` // host time of the origin
	OriginU95S        *float64              `json:"origin_u95_s,omitempty"`
	Rails             map[quarch.Rail]*Rail `json:"rails"`
	NotMeasured       []quarch.Rail         `json:"not_measured,omitempty"` // rails in use without samples: there is no total
	Total             *Total                `json:"total,omitempty"`
	TimeToReadyS      *float64              `json:"time_to_ready_s,omitempty"`
	TimeToReadyU95S   *float64              `json:"time_to_ready_u95_s,omitempty"`
	EnergyToReadyJ    *float64              `json:"energy_to_ready_j,omitempty"`
	EnergyToReadyU95J *float64              `json:"energy_to_ready_u95_j,omitempty"`
	Coverage          *float64              `json:"coverage,omitempty"` // share of the time from the origin to the window's end with samples
	ResolutionUs      float64               `json:"resolution_us"`      // period of a stripe
	LostStripes       uint64                `json:"lost_stripes"`
	Withheld          []analysis.Withheld   `json:"-"`
	Warnings          []analysis.Warning    `json:"-"`
}

// Rail is one rail of a cycle.
type Rail struct {
	StartV     *float64 `json:"start_v,omitempty"`
	StartU95V  *float64 `json:"start_u95_v,omitempty"` // half of what the ramp rises in 1 ms, and the module's accuracy
	Peaks      []Peak   `json:"peaks,omitempty"`
	Above      []Above  `json:"above,omitempty"`
	ChargeC    *float64 `json:"charge_c,omitempty"` // from the origin to the end of the window, of what was seen
	ChargeU95C *float64 `json:"charge_u95_c,omitempty"`
	I2tA2s     *float64 `json:"i2t_a2s,omitempty"` // ∫ I² dt over the same time, of means over one stripe
	I2tU95A2s  *float64 `json:"i2t_u95_a2s,omitempty"`
	RiseS      *float64 `json:"rise_s,omitempty"` // when the rail has 1 % of its nominal voltage
	RiseU95S   *float64 `json:"rise_u95_s,omitempty"`
	EnergyJ    *float64 `json:"energy_j,omitempty"`
	EnergyU95J *float64 `json:"energy_u95_j,omitempty"`
	DroopV     *float64 `json:"droop_v,omitempty"`
	DroopU95V  *float64 `json:"droop_u95_v,omitempty"`
}

// Total is all rails together, added stripe by stripe.
type Total struct {
	Peaks      []Peak   `json:"peaks,omitempty"` // watts only
	EnergyJ    *float64 `json:"energy_j,omitempty"`
	EnergyU95J *float64 `json:"energy_u95_j,omitempty"`
}

// Peak is the highest mean over a window. The highest current and the highest
// power of a rail may lie in different places.
type Peak struct {
	WindowUs    float64  `json:"window_us"`
	Amps        *float64 `json:"amps,omitempty"`
	U95A        *float64 `json:"u95_a,omitempty"`    // of Amps; see the package's text for what it holds
	AtS         *float64 `json:"at_s,omitempty"`     // of Amps; of Watts where there are no amperes
	AtU95S      *float64 `json:"at_u95_s,omitempty"` // how well that place is known, not whether another is as high
	Watts       *float64 `json:"watts,omitempty"`
	U95W        *float64 `json:"u95_w,omitempty"` // of Watts
	WattsAtS    *float64 `json:"watts_at_s,omitempty"`
	WattsAtU95S *float64 `json:"watts_at_u95_s,omitempty"`
}

// Above is the time that a rail's current spent above a limit. First and last are nil
// where it was never above, or may not have been.
type Above struct {
	LimitA      float64  `json:"limit_a"`
	FirstS      *float64 `json:"first_s,omitempty"`
	FirstU95S   *float64 `json:"first_u95_s,omitempty"`
	LastS       *float64 `json:"last_s,omitempty"`
	LastU95S    *float64 `json:"last_u95_s,omitempty"`
	TotalS      float64  `json:"total_s"`
	TotalU95S   *float64 `json:"total_u95_s,omitempty"`
	LongestS    float64  `json:"longest_s"`
	LongestU95S *float64 `json:"longest_u95_s,omitempty"`
}
