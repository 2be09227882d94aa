package check

import (
	"context"
	"errors"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"powerd/engine/enginetest"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/results"
	"powerd/quarch"
	"powerd/quarch/ppm"
	"powerd/quarch/sim"
)

// rig is an emulated module behind the real driver, in the virtual time of a bubble.
type rig struct {
	options Options
	mu      sync.Mutex
	log     []string // commands that the module was given
}

func (r *rig) commands() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.log...)
}

// newRig makes a bench "left" whose drive is a file, with 5.05 V and 11.5 V on its
// module's rails, and an averaging of 256 samples, 1.024 ms.
func newRig(t *testing.T, link string) *rig {
	t.Helper()
	began := time.Now()
	now := func() int64 { return int64(time.Hour) + time.Since(began).Nanoseconds() }
	r := &rig{}
	load := sim.NewConstantLoad(map[string]int{"5v": 5050, "12v": 11_500}, map[string]int{"5v": 420_000, "12v": 50_000})
	m := sim.New(sim.Options{Powered: true, Averaging: "256", Now: now, Log: func(c sim.Command) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.log = append(r.log, strings.ToLower(c.Text))
	}}, load)
	near, far := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() { m.Serve(ctx, far, link) })
	t.Cleanup(func() { cancel(); near.Close(); served.Wait() })

	dir := t.TempDir()
	drive := filepath.Join(dir, "drive")
	if err := os.WriteFile(drive, make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := &config.Config{Out: filepath.Join(dir, "not", "yet"), State: filepath.Join(dir, "state")}
	cfg.Sampling.Default = 64 * time.Microsecond
	bench := config.Bench{Name: "left", Module: config.Module{Port: "tcp:emulated"}, Target: drive}
	r.options = Options{
		Config: cfg, Bench: bench, Engine: &enginetest.Fake{},
		Open: func(ctx context.Context) (quarch.Module, error) {
			return ppm.Open(ctx, ppm.Options{Conn: near, Port: "emulated", Link: link, Now: now})
		},
		Fuse:  func() error { return nil },
		Clock: func() quarch.Clock { return quarch.Clock{MonoNs: now(), RawNs: now(), UTCNs: time.Now().UnixNano()} },
	}
	return r
}

// touches reports whether a command changes what the drive is given, or the module's
// setting beyond its stream.
func touches(command string) bool {
	for _, harmless := range []string{"rec:ave ", "rec stream", "rec stop", "conf stream enable on"} {
		if strings.HasPrefix(command, harmless) {
			return false
		}
	}
	return !strings.HasSuffix(command, "?")
}

// A module of 1.024 ms is let stream at 64 µs, as runs do, for a second, which is
// 15,625 stripes; then it is as it was. Nothing was sent that touches the drive.
func TestLookStreamsAndLeavesTheModuleAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, quarch.LinkFramed)
		book := benchbook.Open(r.options.Config.State)
		if err := book.Update("left", func(e *benchbook.Entry) { e.Zero = &results.Zero{Module: "M"} }); err != nil {
			t.Fatal(err)
		}
		f := Look(t.Context(), r.options)
		if f.ModuleErr != nil || f.StreamErr != nil || f.Info == nil || f.Info.Serial != "QTL1999-02-001" {
			t.Fatalf("%+v", f)
		}
		if rate := f.Stream.PerSecond(); math.Abs(rate/15_625-1) > rateWrong || f.Stream.Lost != 0 {
			t.Errorf("%.0f stripes/s, %d lost, want 15625", rate, f.Stream.Lost)
		}
		if v := f.Stream.Volts; math.Abs(v["5v"]-5.05) > 1e-9 || math.Abs(v["12v"]-11.5) > 1e-9 {
			t.Errorf("volts %v", v)
		}
		if f.Memory.Zero == nil || f.Target == nil || f.FreeErr != nil || f.FreeBytes == 0 || f.ClockPPM == nil || math.Abs(*f.ClockPPM) > 1e-3 {
			t.Errorf("%+v", f)
		}
		var averaging []string
		for _, c := range r.commands() {
			if touches(c) {
				t.Errorf("the module was sent %q", c)
			}
			if a, ok := strings.CutPrefix(c, "rec:ave "); ok {
				averaging = append(averaging, a)
			}
		}
		if got := strings.Join(averaging, " "); got != "16 256" { // 64 µs, and what it was
			t.Errorf("averaging was set to %q", got)
		}
	})
}

// A console is polled as it is.
func TestLookAtAPolledModule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, quarch.LinkTerminal)
		f := Look(t.Context(), r.options)
		if f.StreamErr != nil || f.Stream == nil || f.Stream.Stripes == 0 {
			t.Fatalf("%+v", f)
		}
		for _, c := range r.commands() {
			if touches(c) || strings.HasPrefix(c, "rec:ave ") {
				t.Errorf("the module was sent %q", c)
			}
		}
	})
}

// Without a module all else is still looked at.
func TestLookWithoutAModule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, quarch.LinkFramed)
		r.options.Open = func(context.Context) (quarch.Module, error) { return nil, quarch.ErrBusy }
		r.options.Bench.Target = filepath.Join(t.TempDir(), "gone")
		f := Look(t.Context(), r.options)
		if !errors.Is(f.ModuleErr, quarch.ErrBusy) || f.Info != nil || f.TargetErr == nil || f.Target != nil || f.FreeBytes == 0 {
			t.Errorf("%+v", f)
		}
	})
}

// A folder that is not there yet has the room of the one that it will be made in;
// below a file there can be none.
func TestRoomOfAFolder(t *testing.T) {
	dir := t.TempDir()
	if n, err := free("the folder of runs", filepath.Join(dir, "a", "b")); err != nil || n == 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := free("the folder of runs", filepath.Join(file, "a")); err == nil {
		t.Error("below a file: no error")
	}
	if err := writable(filepath.Join(dir, "state")); err != nil {
		t.Errorf("a folder of memory that is to be made: %v", err)
	}
	for _, state := range []string{file, "/proc"} {
		if err := writable(state); err == nil {
			t.Errorf("nothing can be written to %s: no error", state)
		}
	}
}
