package results_test

import (
	"strings"
	"testing"
	"time"

	"powerd/analysis/idle"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// behindRiser draws 48 mA from 5 V, of which a riser has 8 mA, and nothing from 12 V.
var behindRiser = steady(reading{5000, 48_000}, reading{12_000, 0})

// idleOf returns the idle result of 4 s, on a bench that remembers zero, held against
// claims.
func idleOf(t *testing.T, zero *results.Zero, claimed ...string) *results.Document {
	t.Helper()
	m := meta()
	m.Bench.Fixture, m.Bench.Zero = "riser", zero
	r := record(t, m)
	if claimed != nil {
		r.DriveFile("drive.yaml", claims(claimed...))
	}
	r.Stream(source{ToS: 6, PeriodNs: 1_024_000, Draw: behindRiser, EndReason: "done"})
	r.Step("idle", "idle", 1, 5, nil)
	r.Ended(6)
	return r.Compute()
}

// A riser of 8 mA that was measured on this module: gross 48 mA · 5 V = 0.240 W, zero
// 0.040 W, net 0.200 W, in results and table under these names.
func TestIdleIsGivenGrossAndNet(t *testing.T) {
	d := idleOf(t, riserZero("2026-09-01T10:00:00Z", "QTL1", "riser"))
	for name, f := range map[string]*idle.Figures{"5 V": d.Idle.Rails[quarch.Rail5V], "total": d.Idle.Total} {
		near(t, name+" gross", f.MeanW, 0.240, 1e-9)
		near(t, name+" zero", f.ZeroW, 0.040, 1e-9)
		near(t, name+" net", f.NetW, 0.200, 1e-9)
	}
	table := d.Tables()[0]
	for _, name := range []string{"gross_w", "zero_w", "net_w"} {
		if table.Col(name) < 0 {
			t.Errorf("the table has no column %s", name)
		}
	}
	if len(d.Warnings) > 0 || !d.Idle.Trust.ZeroSubtracted {
		t.Errorf("warnings %v, trust %+v", d.Warnings, d.Idle.Trust)
	}
}

// A datasheet speaks of the drive, not of the riser under it: of 48 mA · 5 V gross, 40 mA
// and 0.200 W are the drive's. Without a zero nobody knows, and gross is judged.
func TestClaimsAreHeldAgainstNet(t *testing.T) {
	for name, c := range map[string]struct {
		zero        *results.Zero
		amps, watts float64
		as          string
	}{
		"zero":    {riserZero("2026-09-01T10:00:00Z", "QTL1", "riser"), 0.040, 0.200, "net of the zero"},
		"no zero": {nil, 0.048, 0.240, ""},
	} {
		d := idleOf(t, c.zero,
			"name: amps, quantity: idle_current, kind: max, value: 44 mA, rail: 5v",
			"name: watts, quantity: idle_power, kind: max, value: 220 mW, rail: 5v")
		for claim, want := range map[string]float64{"amps": c.amps, "watts": c.watts} {
			v := verdict(t, d, claim)
			near(t, name+", "+claim, v.Value, want, 1e-9)
			if v.Of != "idle" || v.As != c.as || v.U95 == nil {
				t.Errorf("%s, %s: measured in %q, %q, ± %v", name, claim, v.Of, v.As, v.U95)
			}
		}
	}
}

func riserZero(date, module, fixture string) *results.Zero {
	return &results.Zero{DateUTC: date, Module: module, Fixture: fixture, Seconds: 60, Rails: map[quarch.Rail]*results.ZeroFigure{
		quarch.Rail5V: {MeanV: 5, MeanA: 8e-3, MeanW: 40e-3, U95A: 1e-6, U95W: 5e-6}, quarch.Rail12V: {MeanV: 12, U95A: 1e-6, U95W: 12e-6},
	}}
}

// A zero of another module or of another fixture is none of this bench, and one of more
// than a year ago may not hold any more: the run is of 21 Sep 2026. No zero is silence.
func TestZeroThatDoesNotHold(t *testing.T) {
	for name, c := range map[string]struct {
		zero *results.Zero
		code string
		used bool
	}{
		"none":            {nil, "", false},
		"another module":  {riserZero("2026-09-01T10:00:00Z", "QTL2", "riser"), "zero_not_used", false},
		"another fixture": {riserZero("2026-09-01T10:00:00Z", "QTL1", "bare"), "zero_not_used", false},
		"old":             {riserZero("2025-09-20T10:00:00Z", "QTL1", "riser"), "zero_old", true},
		"not so old":      {riserZero("2025-09-22T10:00:00Z", "QTL1", "riser"), "", true},
	} {
		d := idleOf(t, c.zero)
		if (d.Idle.Total.NetW != nil) != c.used || d.Idle.Trust.ZeroSubtracted != c.used {
			t.Errorf("%s: net %v", name, d.Idle.Total.NetW)
		}
		if c.code == "" && len(d.Warnings) > 0 || c.code != "" && !warned(d, c.code, "powerd zero") {
			t.Errorf("%s: warnings %v, want %s", name, d.Warnings, c.code)
		}
	}
}

// settles draws 5 V · 0.5 A from second 8 of the run on, and 0.1 A a second more before.
func settles(s float64) []reading {
	extra := int32(max(0, 8-s) * 100_000)
	return []reading{{5000, 500_000 + extra}, {12_000, 0}}
}

// A step waited from 2 s to 14 s, and measured then: by the folder alone the figure is
// of what it measured, 2.5 W, and the drive had settled 6 s after the step began. A step
// that was cut short while it waited has no figure.
func TestWindowBeginsAfterTheWait(t *testing.T) {
	mark := results.StepMark{
		Step: "idle", Group: "idle", Kind: "idle",
		Settle: &idle.Rule{Mean: time.Second, WithinPct: 1, For: 4 * time.Second, AtMost: time.Minute},
	}
	r := record(t, meta())
	r.Stream(source{ToS: 20, PeriodNs: 1_024_000, Draw: settles, EndReason: "done"})
	r.Event(results.StepStart(host(2), mark))
	if d := r.Compute(); d.Idle != nil || !strings.Contains(withheld(t, d, "idle.idle"), "while it waited") {
		t.Errorf("idle %+v", d.Idle)
	}
	r.Event(results.WindowStart(host(14), "idle", ""))
	r.Event(results.StepEnd(host(19), "idle", results.Completed, ""))
	r.Ended(20)
	d := r.Compute()
	if d.Idle == nil || d.Idle.StartMonoNs != host(14) || d.Idle.EndMonoNs != host(19) {
		t.Fatalf("idle %+v", d.Idle)
	}
	near(t, "total", d.Idle.Total.MeanW, 2.5, 1e-9)
	if s := d.Idle.SettledAfterS; s == nil || *s < 5 || *s > 6 || d.Idle.Settled == nil || !*d.Idle.Settled {
		t.Errorf("settled %v after %v", d.Idle.Settled, s)
	}
}

// Link power management set in after 20 s of 40 s: two results of one step, in one
// table, and the first of them is the run's idle.
func TestTwoIdlesOfOneStep(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 42, PeriodNs: 4_096_000, EndReason: "done", Draw: func(s float64) []reading {
		if s < 21 {
			return []reading{{5000, 70_000}, {12_000, 0}}
		}
		return []reading{{5000, 7000}, {12_000, 0}}
	}})
	r.Step("idle", "idle", 1, 41, nil)
	r.Ended(42)
	d := r.Compute()
	if len(d.Idles) != 2 || d.Idle != d.Idles[0] || d.Idles[1].Level != 2 {
		t.Fatalf("%d idles", len(d.Idles))
	}
	near(t, "first", d.Idles[0].Total.MeanW, 0.350, 1e-9)
	near(t, "second", d.Idles[1].Total.MeanW, 0.035, 1e-9)
	if why := withheld(t, d, "idle.idle.total"); !strings.HasPrefix(why, "two idles: 0.350 W for ") {
		t.Errorf("withheld because %q", why)
	}
}

// A polled module that reads whole steps of 10 mA, on a drive of 2 mA: what the module
// counts in is known from the samples themselves.
func TestResolutionIsTheModules(t *testing.T) {
	m := meta()
	r := record(t, m)
	r.Stream(source{ToS: 30, PeriodNs: 1_024_000, LSBAmps: 10e-3, EndReason: "done", Draw: func(s float64) []reading {
		return []reading{{5000, 0}, {12_000, int32(s*10) % 5 / 4}} // 1 count in a fifth of the time: 2 mA
	}})
	r.Step("idle", "idle", 1, 29, nil)
	r.Ended(30)
	d := r.Compute()
	if why := withheld(t, d, "idle.idle.rails.12v"); why != "below resolution (10 mA, 0.12 W)" {
		t.Errorf("withheld because %q", why)
	}
}
