package window

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/quarch"
)

// unknownAmps is what a module's zero may be off by, where nobody says.
const unknownAmps = 5e-3

// Stray says that a rail which the drive is said not to use carries a mean current
// beyond what the module may be off by there and the scatter; empty if it does not.
// amps is net of the zero.
func Stray(r quarch.Rail, amps, scatterU95A float64, spec accuracy.Spec) string {
	if math.IsNaN(amps) {
		return ""
	}
	if math.IsNaN(scatterU95A) {
		scatterU95A = 0
	}
	u := math.Hypot(spec.U95Amps(0), scatterU95A)
	if spec.OffsetAmps == 0 {
		u = max(u, unknownAmps)
	}
	if math.Abs(amps) <= u {
		return ""
	}
	return fmt.Sprintf("%s carries %.3g mA (± %.2g mA), and the bench says that the drive does not use it: it is not in the total", analysis.RailName(r), amps*1e3, u*1e3)
}

// Strays is Stray of every rail that is not in use. zeroAmps are what the module reads
// there without a drive, as far as that is known.
func (s *Stats) Strays(spec accuracy.Spec, zeroAmps func(quarch.Rail) float64) []string {
	var out []string
	for i := range s.Rails {
		r := &s.Rails[i]
		if !r.Unused {
			continue
		}
		if text := Stray(r.Rail, r.MeanA-zeroAmps(r.Rail), r.TypeAU95W/r.MeanV, spec); text != "" {
			out = append(out, text)
		}
	}
	return out
}
