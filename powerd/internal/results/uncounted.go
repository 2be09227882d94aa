package results

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"powerd/analysis/align"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// notCounted is the cause of a gap that only the arrivals tell of.
const notCounted = "not counted by the link"

// Uncounted is stripes that vanished, or came twice, without the link saying so.
type Uncounted struct {
	Stripes      int64   `json:"stripes"` // that vanished; negative = came twice
	SizeS        float64 `json:"size_s"`  // the same as stream time
	SizeU95S     float64 `json:"size_u95_s"`
	BeforeStripe uint64  `json:"before_stripe"` // of the capture, by whose count it is taken to have been
	EarliestNs   int64   `json:"not_before_mono_ns"`
	LatestNs     int64   `json:"not_after_mono_ns"`
}

// uncounted lists the steps of a map of stripes as they came.
func uncounted(m *align.Map) []Uncounted {
	var out []Uncounted
	for _, x := range m.Steps {
		from, _ := m.TimeOf(x.From)
		to, _ := m.TimeOf(x.To)
		out = append(out, Uncounted{
			Stripes: x.Stripes, SizeS: x.Ns * 1e-9, SizeU95S: x.U95Ns * 1e-9, BeforeStripe: x.At, EarliestNs: int64(from), LatestNs: int64(to),
		})
	}
	return out
}

// uncountedGaps returns the time without samples of which only the arrivals tell.
func (s *stream) uncountedGaps() []Gap {
	var out []Gap
	for _, x := range s.m.Steps {
		if x.Stripes > 0 {
			start, _ := s.m.TimeOf(float64(x.At))
			end, _ := s.m.TimeOf(float64(x.At) + float64(x.Stripes))
			out = append(out, Gap{StartMonoNs: int64(start), EndMonoNs: int64(end), Stripes: uint64(x.Stripes), Cause: notCounted})
		}
	}
	return out
}

// String says how many, how long, and since when they are missing or twice there.
func (u Uncounted) String() string {
	what := "vanished"
	if u.Stripes < 0 {
		what = "came twice"
	}
	return fmt.Sprintf("%d stripes (%.2f ± %.2f ms) %s", max(u.Stripes, -u.Stripes), math.Abs(u.SizeS)*1e3, u.SizeU95S*1e3, what)
}

// uncountedText says all of them in a line; "" where there are none.
func uncountedText(all []Uncounted) string {
	const most = 5
	var parts []string
	for i, u := range all {
		if i == most {
			parts = append(parts, fmt.Sprintf("and so on, %d times in all", len(all)))
			break
		}
		parts = append(parts, u.String())
	}
	return strings.Join(parts, ", ")
}

// Blocks yields the blocks of the stream. Of stripes that vanished without a word the
// block after them says that they are lost; those that came twice come once. It takes and
// gives numbers by the count of all.
func (s *stream) Blocks(from, to uint64) iter.Seq2[*quarch.Block, error] {
	if s.came == nil || len(s.came.Steps) == 0 {
		return s.Stream.Blocks(from, to)
	}
	last := capture.ToEnd
	if to < s.End() {
		last = uint64(math.Ceil(math.Max(0, s.came.Came(float64(to)))))
	}
	return s.came.Recount(s.Stream.Blocks(uint64(math.Max(0, math.Floor(s.came.Came(float64(from))))), last))
}

// End returns one past the last stripe by the count of all; 0 if there is none.
func (s *stream) End() uint64 {
	end := s.Stream.End()
	if end == 0 || s.came == nil {
		return end
	}
	return uint64(math.Max(0, math.Round(s.came.Number(float64(end)))))
}

// unexplained returns the seconds of samples that are missing beside those of steps.
func unexplained(periodNs int64, arrivals []quarch.Arrival, steps []align.Step) float64 {
	const least = 0.5 // as of align.Missing
	missing := align.Missing(periodNs, arrivals)
	for _, x := range steps {
		missing -= x.Ns * 1e-9
	}
	if missing < least {
		return 0
	}
	return missing
}
