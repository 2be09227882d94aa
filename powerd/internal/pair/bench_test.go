package pair

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"powerd/analysis/pairing"
	"powerd/engine/twin/serve"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/emu"
	"powerd/quarch"
)

// TestMain makes this test program the child: it serves a twin as `powerd sim --twin` does.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "twin" {
		seed, err := strconv.ParseUint(os.Args[2], 10, 64)
		if err == nil {
			err = emu.Serve(context.Background(), catalog.TwinOptions{
				Name: "seagate-1200-400", Scale: 4, Dir: os.Args[3], SizeBytes: 64 << 20, Seed: seed, Now: clock.Mono,
				Sim: catalog.SimOptions{Serial: "QTL1999-02-00" + os.Args[2], DriftPPM: 20, ArrivalJitterNs: 2e6},
			}, os.Stdin, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "powerd:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// twin is a drive that is served as a file, with the module in its supply, both in a
// process of their own.
type twin struct {
	target, serial string
	module         quarch.Module
}

func startTwin(t *testing.T, number int, link string) twin {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "drive")
	child, err := emu.Start(t.Context(), dir, "twin", strconv.Itoa(number), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := child.Close(); err != nil {
			t.Error(err)
		}
	})
	m, err := catalog.OpenModule(t.Context(), catalog.ModuleOptions{Port: child.Port, Link: link, Timeout: 10 * time.Second, Now: clock.Mono})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return twin{target: child.Target, serial: fmt.Sprintf("QTL1999-02-00%d", number), module: m}
}

// Two real benches with their modules as they should be, and crossed: the right pairs
// are confirmed and the wrong ones found, every time, while both are looked at in the
// same seconds, and while the other drive is idle. A third one is polled.
func TestTwoBenches(t *testing.T) {
	if err := serve.Available(); err != nil {
		t.Skip(err)
	}
	rounds := 2 // of two pairs at once and of one, each right and crossed
	if os.Getenv("POWERD_TEST_LONG") != "" {
		rounds = 34
	}
	a, b, polled := startTwin(t, 1, quarch.LinkFramed), startTwin(t, 2, quarch.LinkFramed), startTwin(t, 3, quarch.LinkTerminal)
	for i := range rounds {
		for _, crossed := range []bool{false, true} {
			pairs := [][2]twin{{a, a}, {b, b}}
			if crossed {
				pairs = [][2]twin{{a, b}, {b, a}}
			}
			if i%2 == 1 {
				pairs = pairs[:1]
				if !crossed {
					pairs = append(pairs, [2]twin{polled, polled})
				}
			}
			var all sync.WaitGroup
			for _, pair := range pairs {
				all.Go(func() { proved(t, pair[0], pair[1], !crossed) })
			}
			all.Wait()
		}
	}
}

// proved looks for IO on drive in the power of module.
func proved(t *testing.T, drive, module twin, want bool) {
	begun := time.Now()
	e, err := Prove(t.Context(), Parts{Module: module.module, Now: clock.Mono, Clock: clock.Read}, Spec{Target: drive.target, ModuleSerial: module.serial, DriveSerial: drive.target})
	if err != nil || e.Confirmed != want {
		t.Errorf("IO on %s in the power of module %s: confirmed %v, want %v; %s, %v", drive.target, module.serial, e.Confirmed, want, describe(e), err)
	}
	t.Logf("%v after %.1f s: %s", e.Confirmed, time.Since(begun).Seconds(), describe(e))
}

// describe says what each burst showed.
func describe(e pairing.Evidence) (s string) {
	for _, b := range e.Bursts {
		if b.DeltaW != nil {
			s += fmt.Sprintf("%d reads %+.3f W, σ %.1f mW", b.Reads, *b.DeltaW, *b.SigmaW*1e3)
		}
		if b.OffsetMs != nil {
			s += fmt.Sprintf(", %+.0f ms", *b.OffsetMs)
		}
		s += "; "
	}
	return s + e.Why
}
