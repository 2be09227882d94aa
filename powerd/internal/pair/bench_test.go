package pair

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
	if len(os.Args) == 5 && os.Args[1] == "twin" {
		seed, err := strconv.ParseUint(os.Args[2], 10, 64)
		if err == nil {
			err = emu.Serve(context.Background(), catalog.TwinOptions{
				Name: os.Args[3], Scale: scaleOf(os.Args[3]), Dir: os.Args[4], SizeBytes: 64 << 20, Seed: seed, Now: clock.Mono,
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
	name, target, serial string
	module               quarch.Module
}

func startTwin(t *testing.T, number int, name, link string) twin {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "drive")
	child, err := emu.Start(t.Context(), dir, "twin", strconv.Itoa(number), name, dir)
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
	return twin{name: name, target: child.Target, serial: fmt.Sprintf("QTL1999-02-00%d", number), module: m}
}

// Real benches with their modules as they should be, and crossed: the right pairs are
// confirmed and the wrong ones found, every time, while others are looked at in the same
// seconds, and while the other drive is idle. One of them is polled. Two of a kind are
// crossed, and drives of different kinds. The long test has fifty rounds with every twin but
// the unlimited one, takes 35 minutes, and so needs -timeout 60m.
func TestBenches(t *testing.T) {
	if err := serve.Available(); err != nil {
		t.Skip(err)
	}
	names, rounds := []string{"seagate-1200-400", "seagate-1200-400", "sata-ssd-devslp"}, 1
	long := os.Getenv("POWERD_TEST_LONG") != ""
	if long {
		names, rounds = append(names, "hdd-7200", "nvme-12v", "seagate-1200-400-patrol", "ssd-gc-90s"), 50
	}
	var benches []twin
	for i, name := range names {
		benches = append(benches, startTwin(t, 1+i, name, quarch.LinkFramed))
	}
	benches = append(benches, startTwin(t, 8, "seagate-1200-400", quarch.LinkTerminal))
	counts := tally{}
	r := rand.New(rand.NewPCG(1, 1))
	for range rounds {
		for some := range slices.Chunk(benches, 4) { // as many as two cores carry at once
			keepBusy(t, some)
			counts.prove(t, some, some)
			keepBusy(t, some)
			counts.prove(t, some, append(some[1:len(some):len(some)], some[0]))
		}
		r.Shuffle(len(benches), func(i, j int) { benches[i], benches[j] = benches[j], benches[i] })
	}
	for _, line := range counts.lines() {
		t.Log(line)
	}
}

// A drive as fast as the host takes all of it, and so is looked for alone: fifty times in
// the power of its own module, fifty times in that of others whose drives are idle. It
// takes 14 minutes.
func TestUnlimitedBench(t *testing.T) {
	if os.Getenv("POWERD_TEST_LONG") == "" {
		t.Skip("a long test: set POWERD_TEST_LONG=1 for it")
	}
	if err := serve.Available(); err != nil {
		t.Skip(err)
	}
	fast := startTwin(t, 9, "unlimited", quarch.LinkFramed)
	others := []twin{startTwin(t, 1, "seagate-1200-400", quarch.LinkFramed), startTwin(t, 2, "nvme-12v", quarch.LinkFramed), startTwin(t, 3, "sata-ssd-devslp", quarch.LinkFramed)}
	counts := tally{}
	for i := range 50 {
		counts.prove(t, []twin{fast}, []twin{fast})
		counts.prove(t, []twin{fast}, []twin{others[i%len(others)]})
	}
	for _, line := range counts.lines() {
		t.Log(line)
	}
}

// keepBusy writes to the drives that collect garbage afterwards, so that they do while
// they are looked for: 2 s of writes make 20 s of it.
func keepBusy(t *testing.T, benches []twin) {
	t.Helper()
	for _, b := range benches {
		if b.name != "ssd-gc-90s" {
			continue
		}
		f, err := os.OpenFile(b.target, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		block := make([]byte, blockBytes)
		for n, until := int64(0), clock.Mono()+2e9; clock.Mono() < until; n++ {
			if _, err := f.WriteAt(block, n%512*blockBytes); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// tally counts answers by twin.
type tally map[string]*answers

// answers are how many proofs were right of how many, and the longest of all.
type answers struct {
	confirmed, of, found, ofCrossed int
	longest                         time.Duration
}

// prove looks for IO on each of drives in the power of the module beside it, all at once.
func (c tally) prove(t *testing.T, drives, modules []twin) {
	ok, took := make([]bool, len(drives)), make([]time.Duration, len(drives))
	var all sync.WaitGroup
	for i := range drives {
		all.Go(func() { ok[i], took[i] = proved(t, drives[i], modules[i]) })
	}
	all.Wait()
	for i, d := range drives {
		if c[d.name] == nil {
			c[d.name] = &answers{}
		}
		a, good := c[d.name], 0
		if ok[i] {
			good = 1
		}
		if d.serial == modules[i].serial {
			a.confirmed, a.of = a.confirmed+good, a.of+1
		} else {
			a.found, a.ofCrossed = a.found+good, a.ofCrossed+1
		}
		a.longest = max(a.longest, took[i])
	}
}

func (c tally) lines() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		a := c[name]
		lines = append(lines, fmt.Sprintf("%s: right %d of %d confirmed, wrong %d of %d found, %.1f s at most", name, a.confirmed, a.of, a.found, a.ofCrossed, a.longest.Seconds()))
	}
	return lines
}

// proved looks for IO on drive in the power of module, and reports whether the answer is
// the right one and came in time.
func proved(t *testing.T, drive, module twin) (ok bool, took time.Duration) {
	begun, want := time.Now(), drive.serial == module.serial
	e, err := Prove(t.Context(), Parts{Module: module.module, Now: clock.Mono, Clock: clock.Read}, Spec{Target: drive.target, ModuleSerial: module.serial, DriveSerial: drive.target})
	took = time.Since(begun)
	ok = err == nil && e.Confirmed == want && (want || took <= 10*time.Second) // a right one may be disturbed
	if !ok {
		t.Errorf("IO on a %s in the power of the module of a %s: confirmed %v, want %v; %s, %v", drive.name, module.name, e.Confirmed, want, describe(e), err)
	}
	t.Logf("%s on %s: %v after %.1f s: %s", drive.name, module.name, e.Confirmed, took.Seconds(), describe(e))
	return ok, took
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
