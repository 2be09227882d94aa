package recovery_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/recovery"
	"powerd/analysis/window"
	"powerd/engine"
	"powerd/quarch"
)

const (
	second  = int64(time.Second)
	tick    = second / 10
	iopsNow = 1000
)

// counted returns what the kernel counts each 100 ms of IO at 1000 IOPS in the given spans of
// seconds, from 0 s to 60 s.
func counted(spans ...[2]float64) []engine.Interval {
	var out []engine.Interval
	for at := int64(0); at < 60*second; at += tick {
		v := engine.Interval{StartNs: at, EndNs: at + tick}
		for _, s := range spans {
			from, to := max(float64(at), s[0]*1e9), min(float64(at+tick), s[1]*1e9)
			v.Writes += uint64(max(0, math.Round((to-from)*1e-9*iopsNow)))
		}
		v.WriteBytes = 4096 * v.Writes
		out = append(out, v)
	}
	return out
}

func whole() analysis.Window { return analysis.Window{StartNs: 0, EndNs: 60 * second} }

// The first load, which follows no pause, is left out, and so is the last, which was cut
// short. The borders lie where the IO of the interval began: 30 ms before its end at 1000
// IOPS are 30 IOs. All IOs of a burst are its own.
func TestBurstsBetweenPauses(t *testing.T) {
	counts := counted([2]float64{1, 4}, [2]float64{9.07, 14.07}, [2]float64{19.1, 24.13}, [2]float64{29.1, 30})
	got := recovery.Find(counts, whole(), 5*second, 5*second, 10)
	if len(got) != 2 {
		t.Fatalf("%d bursts, want 2: %+v", len(got), got)
	}
	for i, want := range []struct {
		from, to float64
		ios      uint64
	}{{9.07, 14.07, 5000}, {19.1, 24.13, 5030}} {
		b := got[i]
		if math.Abs(float64(b.StartNs)*1e-9-want.from) > 2e-3 || math.Abs(float64(b.EndNs)*1e-9-want.to) > 2e-3 || b.IOs != want.ios || b.Bytes != 4096*want.ios {
			t.Errorf("burst %d: %+v, want %+v", i, b, want)
		}
	}
	if got := recovery.Find(counts, whole(), 5*second, 5*second, 1); len(got) != 1 {
		t.Errorf("at most one was asked for, and there are %d", len(got))
	}
	if got := recovery.Find(counted(), whole(), 5*second, 5*second, 9); got != nil {
		t.Errorf("nothing was loaded: %+v", got)
	}
}

// A drive that stands still for a second inside a load makes no pause of that.
func TestStallIsNoPause(t *testing.T) {
	counts := counted([2]float64{1, 2}, [2]float64{7, 9}, [2]float64{10, 12}, [2]float64{17, 22})
	if got := recovery.Find(counts, whole(), 5*second, 5*second, 10); len(got) != 2 || got[0].IOs != 4000 {
		t.Errorf("%+v, want two bursts, the first of 4000 IOs", got)
	}
}

// watts makes the figures of windows with a power each.
func watts(windows []analysis.Window, of ...float64) []window.Stats {
	var out []window.Stats
	for i, w := range windows {
		p := window.Power{MeanW: of[i], Coverage: 1, EnergyJ: of[i] * w.Seconds()}
		out = append(out, window.Stats{Window: w, Total: p, Rails: []window.RailStats{{Rail: quarch.Rail5V, Power: p, MeanV: 5, MeanA: of[i] / 5}}})
	}
	return out
}

func job() engine.Job {
	return engine.Job{Step: "hir-5s", RW: "randwrite", BlockBytes: 4096, QueueDepth: 32, Jobs: 1, Pause: 5 * time.Second, PauseEvery: 5 * time.Second}
}

// bursts of 5 s with 5 s between: 5000 IOs at 6 W, 7000 at 8 W, 6000 at 7 W; pauses at 3 and
// 4 W.
func judged() *recovery.Result {
	var b []recovery.Burst
	for i, ios := range []uint64{5000, 7000, 6000} {
		from := int64(10*i) * second
		b = append(b, recovery.Burst{Window: analysis.Window{StartNs: from, EndNs: from + 5*second}, IOs: ios, Bytes: 4096 * ios, U95Ns: tick / 2})
	}
	w := recovery.Windows(b)
	return recovery.Judge(recovery.Input{Job: job(), Group: "hir", Window: whole(), Bursts: b, Power: watts(w, 6, 3, 8, 4, 7)})
}

// Sums over sums: 18,000 IOs in 15 s are 1200 IOPS, 6·5 + 8·5 + 7·5 = 105 J are 7 W, and
// 1200/7000 IOPS/mW; the pauses draw (15 + 20) J / 10 s = 3.5 W. Of what had been lost from
// 2000 to 800 IOPS, 400 of 1200 came back, a third, and 1200 are 1.5 × 800.
func TestSumsAndShares(t *testing.T) {
	r := judged()
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-9*want {
			t.Errorf("%s: %v, want %g", what, got, want)
		}
	}
	near("IOPS", r.After.IOPS, 1200)
	near("watts", r.After.MeanW, 7)
	near("IOPS/mW", r.After.IOPSPerMW, 1200.0/7000)
	near("pause", r.Pause.MeanW, 3.5)
	near("seen pause", r.SeenPauseS, 5)
	cell := func(iops float64) *efficiency.Cell { return &efficiency.Cell{Rates: efficiency.Rates{IOPS: &iops}} }
	r.Compare(cell(800), cell(810), cell(2000))
	near("gain", r.Gain, 1.5)
	near("share", r.Share, 1.0/3)
	near("then", r.ThenIOPS, 810)
	if len(r.Withheld) != 0 || len(r.Warnings) != 0 {
		t.Errorf("withheld %v, warnings %v", r.Withheld, r.Warnings)
	}
	if row := recovery.Table([]*recovery.Result{r}); row.At(0, "gain").Value != 1.5 || row.At(0, "pause_mean_w").Value != 3.5 {
		t.Errorf("table: %+v", row.Rows)
	}
}

// A share is withheld where there is nothing to be a share of.
func TestSharesThatSayNothing(t *testing.T) {
	cell := func(iops float64) *efficiency.Cell { return &efficiency.Cell{Rates: efficiency.Rates{IOPS: &iops}} }
	for _, c := range []struct {
		name          string
		before, fresh *efficiency.Cell
		why           string
	}{
		{"no fresh drive", cell(800), nil, "no load of the fresh drive"},
		{"nothing lost", cell(800), cell(830), "nothing was lost"},
		{"slower after", cell(1300), cell(2000), "nothing came back"},
		{"no load before", nil, cell(2000), "left no IOPS"},
	} {
		r := judged()
		r.Compare(c.before, nil, c.fresh)
		if r.Share != nil || len(r.Withheld) != 1 || !strings.Contains(r.Withheld[0].Why, c.why) {
			t.Errorf("%s: share %v, withheld %v", c.name, r.Share, r.Withheld)
		}
	}
}

// Pauses that were not kept are told; without two loads after a pause there are no figures;
// without samples no watts, while the IOPS stand.
func TestWhatIsMissing(t *testing.T) {
	in := recovery.Input{Job: job(), Window: whole()}
	if r := recovery.Judge(in); r.After != nil || len(r.Withheld) != 1 || !strings.HasPrefix(r.Withheld[0].Why, "0 whole loads") {
		t.Errorf("no bursts: %+v", r)
	}
	in.Why = "nobody followed"
	if r := recovery.Judge(in); r.Withheld[0].Why != "nobody followed" {
		t.Errorf("not followed: %+v", r.Withheld)
	}
	for i := range 3 {
		from := int64(8*i) * second
		in.Bursts = append(in.Bursts, recovery.Burst{Window: analysis.Window{StartNs: from, EndNs: from + 5*second}, IOs: 5000, U95Ns: tick / 2})
	}
	r := recovery.Judge(in)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Text, "lasted 3.00 s, and 5 s were asked for") {
		t.Errorf("pauses of 3 s: %+v", r.Warnings)
	}
	if *r.After.IOPS != 1000 || r.After.MeanW != nil || len(r.Withheld) != 2 {
		t.Errorf("without samples: %+v, %v", r.After, r.Withheld)
	}
	in.Power = watts(recovery.Windows(in.Bursts), 6, 3, 6, 3, 6)
	in.Power[2].Total.Coverage = 0.5
	if r := recovery.Judge(in); r.After.MeanW != nil || r.Pause.MeanW == nil || len(r.Withheld) != 1 {
		t.Errorf("half of a burst's samples are missing: %+v, %v", r.After, r.Withheld)
	}
}
