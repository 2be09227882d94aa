package record

import (
	"fmt"
	"math"

	"powerd/analysis"
)

// Remote says of a mark that another host made how that host's clock stood to this one's.
type Remote struct {
	Host            string  `json:"host"`
	OffsetS         float64 `json:"offset_s"` // this host's clock less the other's, at the mark
	OffsetU95S      float64 `json:"offset_u95_s"`
	RoundTrips      int     `json:"round_trips"`
	LeastRoundTripS float64 `json:"least_round_trip_s"`
}

// From says which host made the marks; nil = this one. What was counted was done in a
// window whose length is then only as well known as both marks are.
func (m *Mark) From(start, end *Remote) {
	m.Start, m.End = start, end
	u := 0.0
	for _, r := range []*Remote{start, end} {
		if r != nil {
			u += r.OffsetU95S
		}
	}
	if u == 0 {
		return
	}
	rel := u / m.DurationS
	if m.PerS != nil {
		m.PerSU95 = analysis.Some(*m.PerS * rel)
	}
	if m.PerJouleU95 != nil {
		m.PerJouleU95 = analysis.Some(math.Hypot(*m.PerJouleU95, *m.PerJoule*rel))
	}
}

// String says how far the clocks are apart, and how well that is known.
func (r *Remote) String() string {
	return fmt.Sprintf("%s ± %.3f ms", apart(r.OffsetS), math.Ceil(r.OffsetU95S*1e6)*1e-3)
}

// apart writes an offset to the microsecond.
func apart(s float64) string {
	if math.Abs(s) < 1 {
		return fmt.Sprintf("%+.3f ms", s*1e3)
	}
	return fmt.Sprintf("%+.6f s", s)
}

// far says which marks another host made.
func (m *Mark) far() (out []string) {
	for _, at := range []struct {
		what string
		from *Remote
	}{{"start", m.Start}, {"end", m.End}} {
		if r := at.from; r != nil {
			out = append(out, fmt.Sprintf("%s: the %s was marked on %s, whose clock stood %s from this host's, by %d round trips of %.3f ms at least; the ± holds that",
				m.Name, at.what, r.Host, r, r.RoundTrips, r.LeastRoundTripS*1e3))
		}
	}
	return out
}
