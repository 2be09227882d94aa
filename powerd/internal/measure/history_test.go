package measure

import (
	"testing"

	"powerd/quarch"
)

// values writes seconds as a person reads them; -1 stands for an unknown one.
func values(s *Seconds) []float64 {
	var out []float64
	for _, w := range s.TotalW {
		if w == nil {
			out = append(out, -1)
			continue
		}
		out = append(out, *w)
	}
	return out
}

func clockAt(seconds float64) quarch.Clock {
	ns := int64(seconds * 1e9)
	return quarch.Clock{MonoNs: ns, UTCNs: 1e18 + ns}
}

// Second 10 has 10 tenths of 2 W and 1 W on two rails; 11 has one rail only, 12 none,
// 13 has two tenths of which one holds three times the stripes: (3·4 + 1·8)/4 = 5 W,
// and 1 W. At 16 s what came up to 14 s can be told; 11, 12 are unknown, never 0.
func TestHistoryTellsUnknownSeconds(t *testing.T) {
	both := []quarch.Rail{quarch.Rail5V, quarch.Rail12V}
	var h history
	for tenth := int64(1); tenth <= 10; tenth++ {
		h.add(10e9+tenth*1e8, "5v", 2, 97, both)
		h.add(10e9+tenth*1e8, "12v", 1, 97, both)
	}
	h.add(11.1e9, "5v", 2, 97, both)
	h.add(13.1e9, "5v", 4, 3, both)
	h.add(13.2e9, "5v", 8, 1, both)
	h.add(13.2e9, "12v", 1, 4, both)
	got := h.told(clockAt(16), both)
	want := []float64{3, -1, -1, 6}
	if g := values(got); len(g) != 4 || g[0] != want[0] || g[1] != want[1] || g[2] != want[2] || g[3] != want[3] {
		t.Errorf("%v, want %v", g, want)
	}
	if got.EndUTC != "2001-09-09T01:46:54Z" { // 1e18 ns is 01:46:40, and 14 s
		t.Errorf("ends at %s", got.EndUTC)
	}
}

// A stream that stopped leaves unknown seconds behind it, not its last value; an hour
// without one leaves ten minutes of them, and no more are kept.
func TestHistoryIsBounded(t *testing.T) {
	five := []quarch.Rail{quarch.Rail5V}
	var h history
	for s := range int64(2000) {
		h.add(s*1e9+5e8, "5v", 2, 1, five)
	}
	got := values(h.told(clockAt(2002), five))
	if len(got) != historySeconds || got[0] != 2 || got[historySeconds-1] != 2 {
		t.Errorf("%d seconds from %v to %v", len(got), got[0], got[len(got)-1])
	}
	got = values(h.told(clockAt(2012), five))
	if len(got) != historySeconds || got[historySeconds-11] != 2 || got[historySeconds-10] != -1 {
		t.Errorf("10 s later: %v", got[historySeconds-12:])
	}
	for _, w := range values(h.told(clockAt(6000), five)) {
		if w != -1 {
			t.Fatalf("an hour later: %v W", w)
		}
	}
}
