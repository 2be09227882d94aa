package idle

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/quarch"
)

// plateaus makes a block of 10 ms stripes that draw each current, in mA at 5 V, for so
// many seconds.
func plateaus(secondsAndMilliAmps ...[2]float64) *quarch.Block {
	var mA []float64
	for _, p := range secondsAndMilliAmps {
		mA = append(mA, slices.Repeat([]float64{p[1]}, int(p[0]*100))...)
	}
	return &quarch.Block{PeriodNs: 10e6, Traces: []quarch.Trace{rail(quarch.Rail5V, len(mA), func(i int) float64 { return mA[i] })}}
}

// Link power management switched on half-way: 30 s at 70 mA, 0.2 s of change, 30 s at
// 7 mA. Two plateaus, 0.350 W and 0.035 W, each with its row and its window; no mean of
// both.
func TestTwoIdlesHaveARowEach(t *testing.T) {
	data, err := os.ReadFile("testdata/two_idles.rle")
	if err != nil {
		t.Fatal(err)
	}
	var stretches [][2]float64
	for line := range strings.Lines(string(data)) {
		var us, mV, mA float64
		if n, _ := fmt.Sscanf(line, "%g,%g,%g", &us, &mV, &mA); n == 3 {
			stretches = append(stretches, [2]float64{us * 1e-6, mA})
		}
	}
	rs := analyzeAll(t, 10e6, Options{Step: "idle", Kind: KindActive, LinkPower: "SATA link med_power_with_dipm"}, 60_200e6, plateaus(stretches...))
	if len(rs) != 2 {
		t.Fatalf("%d results, want two", len(rs))
	}
	for i, want := range []struct{ mean, fromS, toS float64 }{{0.350, 0, 30}, {0.035, 30.2, 60.2}} {
		r := rs[i]
		near(t, "mean", r.Total.MeanW, want.mean, 1e-9)
		near(t, "5 V mean", r.Rails[quarch.Rail5V].MeanW, want.mean, 1e-9)
		from, to := float64(r.StartMonoNs)*1e-9, float64(r.EndMonoNs)*1e-9
		if r.Level != i+1 || r.Kind != KindActive || from < want.fromS || from > want.fromS+2 || to > want.toS || to < want.toS-2 {
			t.Errorf("level %d: %s, %g s to %g s, want inside %g s to %g s", r.Level, r.Kind, from, to, want.fromS, want.toS)
		}
	}
	if w := rs[0].Withheld; len(w) == 0 || w[len(w)-1].What != "idle.idle.total" || !strings.HasPrefix(w[len(w)-1].Why, "two idles: 0.350 W for ") {
		t.Errorf("withheld %v", w)
	}
	tab := Table(rs)
	for i, r := range rs { // the drive went there by a setting of the host's, which stands beside each
		if want := fmt.Sprintf("idle step idle, level %d, with SATA link med_power_with_dipm: ", i+1); r.LinkPower == "" || !slices.ContainsFunc(tab.Notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("level %d: %q; notes %q, want one that begins %q", i+1, r.LinkPower, tab.Notes, want)
		}
	}
	for i := range tab.Rows {
		if v := tab.At(i, "mean_w").Value; v > 0.1 && v < 0.3 {
			t.Errorf("row %d is a mean over both: %g W", i, v)
		}
	}
	if tab.At(3, "level").Text != "2" || tab.At(3, "rail").Text != "total" {
		t.Errorf("row of the second level: %+v", tab.Rows[3])
	}
}

// A drive that sinks to a third level and comes back to the second: three rows, and the
// row of the second has two windows.
func TestThreeLevelsAndAReturn(t *testing.T) {
	rs := analyzeAll(t, 10e6, Options{Step: "idle"}, 160e9, plateaus([2]float64{40, 400}, [2]float64{40, 200}, [2]float64{40, 60}, [2]float64{40, 200}))
	if len(rs) != 3 {
		t.Fatalf("%d results, want three", len(rs))
	}
	for i, want := range []float64{2, 1, 0.3} { // 5 V · 400, 200, 60 mA
		near(t, "level", rs[i].Total.MeanW, want, 1e-9)
	}
	if w := rs[1].Windows; len(w) != 2 || w[1].StartMonoNs < 120e9 || w[0].EndMonoNs > 80e9 {
		t.Errorf("windows of the second level: %v", w)
	}
	if d := rs[1].DurationS; d < 76 || d > 80 {
		t.Errorf("second level lasts %g s, want 80 s less the seconds beside changes", d)
	}
}

// A drive that falls asleep 1.4 s before the end of 24 s, or is woken 3 s after the
// beginning: too short to be a level, and in the mean all the same, which is told. Longer
// than 6 s it is a level. A burst that comes elsewhere in the window too is the drive's
// idle.
func TestChangeBesideABorder(t *testing.T) {
	for name, c := range map[string]struct {
		power [][2]float64
		says  string // "" = no such warning
	}{
		"falls asleep":      {[][2]float64{{22.6, 76}, {1.4, 8}}, "its last 1 s draw 0.0400 W, all the rest 0.380 W"},
		"woken before":      {[][2]float64{{3, 200}, {21, 76}}, "its first 3 s draw 1.00 W, all the rest 0.380 W"},
		"one level":         {[][2]float64{{24, 76}}, ""},
		"less than matters": {[][2]float64{{21, 76}, {3, 74}}, ""}, // 2.7 %
		"comes and goes":    {[][2]float64{{10, 76}, {3, 200}, {20, 76}, {3, 200}}, ""},
		"two levels":        {[][2]float64{{20, 76}, {20, 8}}, ""},
	} {
		seconds := 0.0
		for _, p := range c.power {
			seconds += p[0]
		}
		r := analyzeAll(t, 10e6, Options{Step: "idle"}, int64(seconds*1e9), plateaus(c.power...))[0]
		i := slices.IndexFunc(r.Warnings, func(w analysis.Warning) bool { return w.Code == "changes_at_border" })
		if (i >= 0) != (c.says != "") || i >= 0 && (!strings.Contains(r.Warnings[i].Text, c.says) || !r.Drifts()) {
			t.Errorf("%s: warnings %v, want %q", name, r.Warnings, c.says)
		}
	}
}

// What idle drives do all the time is not two levels: noise, a slow slope, a
// bump every second, half a second of work now and then, a decay after work.
func TestOneLevelStaysOne(t *testing.T) {
	shapes := map[string]func(r *rand.Rand, i int) float64{
		"noise": func(r *rand.Rand, _ int) float64 { return 400 + 5*r.NormFloat64() },
		"slope": func(_ *rand.Rand, i int) float64 { return 400 + float64(i)/100 },
		"steep": func(_ *rand.Rand, i int) float64 { return 400 + float64(i)/5 },
		"bump each second": func(_ *rand.Rand, i int) float64 {
			if i%100 == 0 {
				return 900
			}
			return 400
		},
		"patrol reads": func(r *rand.Rand, i int) float64 {
			if i%100 < 10 && (i/100)*7%13 < 5 {
				return 560
			}
			return 400 + r.NormFloat64()
		},
		"work now and then": func(r *rand.Rand, i int) float64 {
			if i%2000 < 300 {
				return 800
			}
			return 400 + r.NormFloat64()
		},
	}
	for name, f := range shapes {
		for seed := range uint64(20) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			b := &quarch.Block{PeriodNs: 10e6, Traces: []quarch.Trace{rail(quarch.Rail5V, 12_000, func(i int) float64 { return f(rnd, i) })}}
			if rs := analyzeAll(t, 10e6, Options{}, 120e9, b); len(rs) != 1 {
				t.Errorf("%s: %d levels", name, len(rs))
			}
		}
	}
}
