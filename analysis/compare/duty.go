package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"powerd/analysis"
	"powerd/analysis/efficiency"
)

// IdleDuty is the part of a duty in which the drive has nothing to do.
const IdleDuty = "idle"

// Share is a part of a drive's time: idle, or a cell by its name.
type Share struct {
	Of  string  `json:"of"`
	Pct float64 `json:"pct"`
}

// Economics is what a buyer knows of a place: nothing of it is guessed.
type Economics struct {
	Duty                []Share  `json:"duty,omitempty"`
	PUE                 *float64 `json:"pue,omitempty"`                   // of the building: 1 and more
	SupplyEfficiencyPct *float64 `json:"supply_efficiency_pct,omitempty"` // of the host's power supply, above 0 to 100
	PricePerKWh         *float64 `json:"price_per_kwh,omitempty"`
	Currency            string   `json:"currency,omitempty"`
}

// Ranges of what a buyer may say.
const (
	MostPUE   = 5
	LeastEffi = 10 // per cent
	MostPrice = 1e6
)

// Asked reports whether anything was said.
func (e *Economics) Asked() bool {
	return len(e.Duty) > 0 || e.PUE != nil || e.SupplyEfficiencyPct != nil || e.PricePerKWh != nil
}

// HoursPerYear is of 365 days.
const HoursPerYear = 8760

// dutySlack is how far the shares' sum may be from 100, for thirds.
const dutySlack = 0.1

// ParseDuty reads "idle=60,randread-4k-qd32=30,randwrite-4k-qd32=10": shares in per cent.
func ParseDuty(text string) ([]Share, error) {
	var out []Share
	sum := 0.0
	for part := range strings.SplitSeq(text, ",") {
		name, share, ok := cutLast(strings.TrimSpace(part), "=")
		pct, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(share), "%"), 64)
		name = strings.TrimSpace(name)
		switch {
		case !ok || name == "" || err != nil:
			return nil, fmt.Errorf("duty %q: %q is not of the form NAME=PERCENT", text, part)
		case !(pct > 0 && pct <= 100):
			return nil, fmt.Errorf("duty %q: the share of %s must be above 0 and at most 100 %%", text, name)
		case slices.ContainsFunc(out, func(s Share) bool { return s.Of == name }):
			return nil, fmt.Errorf("duty %q: %s is named twice", text, name)
		}
		out = append(out, Share{name, pct})
		sum += pct
	}
	if math.Abs(sum-100) > dutySlack {
		return nil, fmt.Errorf("duty %q: its shares add up to %.4g %%, and must be 100 %%", text, sum)
	}
	return out, nil
}

// cutLast cuts at the last sep: names may hold it.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// CheckDuty is the error of a duty that names what the runs have not.
func (r *Result) CheckDuty(duty []Share) error {
	for _, s := range duty {
		if s.Of == IdleDuty || r.cellCalled(s.Of) != nil {
			continue
		}
		names := []string{IdleDuty}
		for _, m := range r.Cells {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
		return fmt.Errorf("duty: no cell that the runs have in common is called %q; there is: %s", s.Of, strings.Join(names, ", "))
	}
	return nil
}

// cellCalled returns the match of a name, the steady one before others; nil if there is
// none.
func (r *Result) cellCalled(name string) *Match {
	var best *Match
	for _, m := range r.Cells {
		if m.Name == name && (best == nil || m.Cell.State == efficiency.StateSteady) {
			best = m
		}
	}
	return best
}

// dutyWatts returns what run i draws on average over a duty. The ± of its parts are added
// up as they are: the module's part is the same in all of them.
func (r *Result) dutyWatts(i int, duty []Share, idle Value) Value {
	if len(duty) == 0 {
		return Value{Why: "no duty is given"}
	}
	mean, u, known := 0.0, 0.0, true
	for _, s := range duty {
		v := idle
		if s.Of != IdleDuty {
			v = Value{Why: notInRun}
			if f := r.cellCalled(s.Of).figure("mean_w"); f != nil {
				v = f.Values[i]
			}
		}
		if v.Value == nil {
			return Value{Why: s.Of + ": " + v.why()}
		}
		mean += s.Pct / 100 * *v.Value
		if v.U95 == nil {
			known = false
			continue
		}
		u += s.Pct / 100 * *v.U95
	}
	out := Value{Value: analysis.Some(mean)}
	if known {
		out.U95 = analysis.Some(u)
	}
	return out
}

// times returns a value times k.
func (v Value) times(k float64) Value {
	out := Value{Why: v.Why}
	if v.Value != nil {
		out.Value = analysis.Some(*v.Value * k)
	}
	if v.U95 != nil {
		out.U95 = analysis.Some(*v.U95 * k)
	}
	return out
}

// year returns energy and cost of a year at a mean power, as far as the place is known.
func (e *Economics) year(watts Value) (kWh, cost Value) {
	var lacks []string
	if e.PUE == nil {
		lacks = append(lacks, "the PUE (--pue)")
	}
	if e.SupplyEfficiencyPct == nil {
		lacks = append(lacks, "the efficiency of the power supply (--supply-efficiency)")
	}
	switch {
	case watts.Value == nil:
		why := watts.why()
		if len(e.Duty) == 0 {
			why = "a duty is not given (--duty)"
		}
		return Value{Why: why}, Value{Why: why}
	case len(lacks) > 0:
		why := strings.Join(lacks, " and ") + " is not given"
		return Value{Why: why}, Value{Why: why}
	}
	kWh = watts.times(1e-3 * HoursPerYear * *e.PUE / (*e.SupplyEfficiencyPct / 100))
	if e.PricePerKWh == nil {
		return kWh, Value{Why: "a price is not given (--price)"}
	}
	return kWh, kWh.times(*e.PricePerKWh)
}
