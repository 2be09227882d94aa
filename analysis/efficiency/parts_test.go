package efficiency

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"powerd/engine"
)

// even returns 4000 reads in each of so many intervals of 0.4 s.
func even(n int) *engine.Result {
	counts := make([]uint64, n)
	for i := range counts {
		counts[i] = 4000
	}
	return rows(400e6, counts...)
}

func sumIOs(parts []Part) (sum float64) {
	for _, p := range parts {
		sum += p.IOs
	}
	return sum
}

// An engine may end before it logs its last interval. That is a row less, no scatter.
func TestTheLastRowMayBeUnwritten(t *testing.T) {
	r := even(10)
	r.Intervals = r.Intervals[:9]
	parts := Parts(r)
	if len(parts) != 9 || sumIOs(parts) != 36_000 {
		t.Errorf("%d parts with %g IOs, want the 9 rows' 36,000", len(parts), sumIOs(parts))
	}
}

// A drive that hangs completes no IO, and fio logs no row: the silence is a part with
// what the total has beyond the rows, here none. In the middle and at the end.
func TestSilenceIsAPartOfItsOwn(t *testing.T) {
	for name, hung := range map[string][]int{"middle": {4, 5}, "one row in the middle": {4}, "end": {8, 9}} {
		r := even(10)
		r.Read.IOs -= 4000 * uint64(len(hung))
		r.Intervals = append(r.Intervals[:hung[0]:hung[0]], r.Intervals[hung[len(hung)-1]+1:]...)
		parts := Parts(r)
		p := parts[hung[0]]
		if len(parts) != 11-len(hung) || p.IOs != 0 || p.StartNs != int64(hung[0])*400e6 || p.Seconds() != 0.4*float64(len(hung)) {
			t.Errorf("%s: %d parts, %+v", name, len(parts), parts)
		}
		if u := *judged(t, r, 10e6, 0).IOPSU95Rel; u < 0.2 {
			t.Errorf("%s: IOPS ± %.1f %%, though the drive hung", name, 100*u)
		}
	}
}

// Rows that were lost are silence, too, but the total has their IOs.
func TestLostRowsHaveTheTotalsIOs(t *testing.T) {
	r := even(10)
	r.Intervals = append(r.Intervals[:4:4], r.Intervals[6:]...)
	if p := Parts(r)[4]; p.IOs != 8000 || p.Bytes != 8000*4096 {
		t.Errorf("%+v, want the 8000 reads of two rows", p)
	}
}

// An hour's 7200 intervals become at most 128 parts that hold them all.
func TestLongWindowsHaveFewParts(t *testing.T) {
	parts := Parts(even(7200))
	if len(parts) > 128 || len(parts) < 100 || sumIOs(parts) != 7200*4000 {
		t.Errorf("%d parts with %g IOs", len(parts), sumIOs(parts))
	}
	if first, last := parts[0], parts[len(parts)-1]; first.StartNs != 0 || last.EndNs != 7200*400e6 {
		t.Errorf("parts from %d to %d", first.StartNs, last.EndNs)
	}
}

// Whatever intervals an engine left: parts are in order, apart, inside the window,
// few, and count nothing below zero.
func TestPartsStayInTheirWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &engine.Result{StartNs: 1e9, EndNs: 1e9 + rapid.Int64Range(1, 60e9).Draw(t, "window")}
		r.Read.IOs = rapid.Uint64Range(0, 1e6).Draw(t, "total")
		at := rapid.Int64Range(0, 2e9).Draw(t, "first")
		for range rapid.IntRange(0, 300).Draw(t, "rows") {
			at += rapid.SampledFrom([]int64{0, 0, 0, 1e6, 1e9}).Draw(t, "gap")
			end := at + rapid.Int64Range(1, 1e9).Draw(t, "length")
			r.Intervals = append(r.Intervals, engine.Interval{StartNs: at, EndNs: end, Reads: rapid.Uint64Range(0, 1e5).Draw(t, "reads")})
			at = end
		}
		end := r.StartNs
		parts := Parts(r)
		for _, p := range parts {
			if p.StartNs < end || p.EndNs <= p.StartNs || !(p.IOs >= 0) || math.IsInf(p.IOs, 0) {
				t.Fatalf("%+v after %d", p, end)
			}
			end = p.EndNs
		}
		if end > r.EndNs || len(parts) > maxParts {
			t.Fatalf("%d parts to %d, window to %d", len(parts), end, r.EndNs)
		}
	})
}

// Rows of a nanosecond, whose half is none, leave no part without a length between
// two that touch.
func TestPartsHaveALength(t *testing.T) {
	r := &engine.Result{EndNs: 3}
	for k := range int64(3) {
		r.Intervals = append(r.Intervals, engine.Interval{StartNs: k, EndNs: k + 1, Reads: 1})
	}
	if parts := Parts(r); len(parts) != 3 {
		t.Errorf("%+v, want one part a row", parts)
	}
}
