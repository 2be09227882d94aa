package results_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/emu"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

const (
	twinName = "seagate-1200-400"
	slowPPM  = 137
)

// TestMain makes this test program the child too that serves a twin, on a module that is
// 137 ppm slow.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "child" {
		err := emu.Serve(context.Background(), catalog.TwinOptions{
			Name: twinName, Scale: 4, Dir: os.Args[2], SizeBytes: 256 << 20, Seed: 1, Now: clock.Mono,
			Sim: catalog.SimOptions{Serial: "QTL1999-02-001", DriftPPM: slowPPM},
		}, os.Stdin, os.Stdout)
		if err != nil {
			fmt.Fprintln(os.Stderr, "powerd:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// Everything is real but drive and module, which are in a process of their own: clocks, the
// pseudo-terminal, fio, and powerd's reads between its jobs. At every beacon the truth lies
// within the ± of the map, and no IO was too late for its samples. The ± is that of a
// machine which may be busy with other tests: 2 ms; POWERD_TEST_LONG=1 makes it the 120 s of
// a machine that has nothing else to do, and 0.5 ms.
func TestAlignmentInRealTime(t *testing.T) {
	if _, err := exec.LookPath("fio"); err != nil {
		t.Skip("fio is not installed")
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip("no drive can be served here:", err)
	}
	steps, length, widestUs := 3, 3*time.Second, 2000.0
	if os.Getenv("POWERD_TEST_LONG") == "1" {
		steps, length, widestUs = 11, 9*time.Second, 500
	}
	dir := t.TempDir()
	out := realRun(t, dir, steps, length)

	var truth emu.Truth
	text, err := os.ReadFile(filepath.Join(out.Dir, "truth.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &truth))
	if truth.LateIOs != 0 {
		t.Errorf("%d IOs were late for their samples", truth.LateIOs)
	}
	d := out.Document
	a, c := d.Alignment, truth.Clock
	m := d.MapOf(a.Stream)
	bursts, err := d.BurstsOf(a.Stream)
	must(t, err)
	if want := 4 * (steps + 1); len(bursts) != want {
		t.Errorf("%d bursts, want 4 before each of %d jobs and 4 at the end", len(bursts), steps)
	}
	periodNs := a.PeriodUs * 1e3
	var widest, worst float64
	for _, b := range bursts {
		k := m.IndexAt(float64(b.SubmitNs))
		ns, u := m.TimeOf(k)
		is := float64(d.Run.StartedMonoNs) + c.OffsetS*1e9 + k*periodNs*(1+c.DriftPPM*1e-6)
		if off := math.Abs(ns - is); off > u {
			t.Errorf("at %.3f s the map is off by %.0f µs, states ± %.0f µs", (is-float64(d.Run.StartedMonoNs))*1e-9, off*1e-3, u*1e-3)
		} else {
			worst = max(worst, off)
		}
		widest = max(widest, u)
	}
	t.Logf("%s", a.Line())
	t.Logf("± %.0f µs at most, off by %.0f µs at most, at %d beacon edges; rate %+.2f ppm, is %+.0f", widest*1e-3, worst*1e-3, len(bursts), *a.DriftPPM, c.DriftPPM)
	if widest > widestUs*1e3 {
		t.Errorf("± %.0f µs at a beacon, want %.0f µs at most", widest*1e-3, widestUs)
	}
	if math.Abs(*a.DriftPPM-slowPPM) > *a.DriftU95PPM {
		t.Errorf("rate %+.2f ± %.2f ppm, is %+d", *a.DriftPPM, *a.DriftU95PPM, slowPPM)
	}
}

// realRun runs jobs of fio on an emulated bench, with a beacon before each.
func realRun(t *testing.T, dir string, steps int, length time.Duration) bench.Outcome {
	t.Helper()
	text := "name: jobs\nsteps:\n"
	for i := range steps {
		text += fmt.Sprintf("  - {name: job-%d, kind: load, duration: %v, fio: {rw: randread, bs: 4k, qd: %d}}\n", i, length, 1+i%8)
	}
	s, err := suite.Parse("jobs.yaml", []byte(text))
	must(t, err)
	cfg, err := config.Read(config.Sources{Flags: []config.Flag{
		{Name: "--out", Key: "out", Value: dir},
		{Name: "--state", Key: "state", Value: filepath.Join(dir, "state")},
		{Name: "--beacons", Key: "alignment.beacons", Value: "1s"},
	}})
	must(t, err)
	out, err := bench.Run(t.Context(), bench.Request{
		Config: cfg, Suite: s, Plan: s.Plan(suite.Defaults{Sampling: 64 * time.Microsecond, IOEngine: "libaio", Twin: true}), Out: filepath.Join(dir, "run"),
		Log: slog.New(slog.DiscardHandler),
		Twin: &bench.Twin{Name: twinName, Rails: []quarch.Rail{quarch.Rail5V, quarch.Rail12V}, Scale: 4, Seed: 1, Start: func(ctx context.Context) (*emu.Twin, error) {
			mount := filepath.Join(dir, "drive")
			return emu.Start(ctx, mount, "child", mount)
		}},
	})
	must(t, err)
	return out
}
