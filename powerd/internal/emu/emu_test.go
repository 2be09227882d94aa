package emu

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"powerd/engine/twin/serve"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
)

const (
	driveBytes = 64 << 20
	blockBytes = 4096
)

// TestMain makes this test program the child: it serves a twin as `powerd sim --twin` does.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "child" {
		err := Serve(context.Background(), catalog.TwinOptions{
			Name: os.Args[2], Scale: 4, Dir: os.Args[3], SizeBytes: driveBytes, Seed: 1, Now: clock.Mono,
			Sim: catalog.SimOptions{Serial: "QTL1999-02-007"},
		}, os.Stdin, os.Stdout)
		if err != nil {
			fmt.Fprintln(os.Stderr, "powerd:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// started starts a child with a twin in a folder of its own.
func started(t *testing.T) *Twin {
	t.Helper()
	if err := serve.Available(); err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "drive")
	twin, err := Start(t.Context(), dir, "child", "seagate-1200-400", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := twin.Close(); err != nil {
			t.Error(err)
		}
	})
	return twin
}

// mounted reports whether something is mounted at the folder of a twin's file. It asks
// the kernel's table: a look at a mount that nobody serves would hang.
func mounted(t *testing.T, target string) bool {
	t.Helper()
	table, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(table), " "+filepath.Dir(target)+" ")
}

// reads reads n blocks of the drive, one after the other, and returns the host time
// before the first and after the last.
func reads(t *testing.T, target string, n int) (fromNs, toNs int64) {
	t.Helper()
	f, err := os.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, blockBytes)
	fromNs = clock.Mono()
	for i := range n {
		if _, err := f.ReadAt(buf, int64(i)*blockBytes); err != nil {
			t.Fatal(err)
		}
	}
	return fromNs, clock.Mono()
}

// A child serves a drive and a module, and answers afterwards what really happened in
// any window: 200 reads of 4 KiB are 200 IOs between their first and last moment, and
// none before. Joules of neighbouring windows add up, and rails add up to the total.
func TestTruthOfWindows(t *testing.T) {
	twin := started(t)
	if st, err := os.Stat(twin.Target); err != nil || st.Size() != driveBytes {
		t.Fatalf("the drive's file: %v, %v", st, err)
	}
	if _, err := os.Stat(twin.Port); err != nil || !strings.HasPrefix(twin.Port, "/dev/pts/") {
		t.Errorf("the module's port %s: %v", twin.Port, err)
	}
	began := clock.Mono()
	<-time.After(300 * time.Millisecond) // an idle stretch of real time: the model's own clock is the host's
	from, to := reads(t, twin.Target, 200)
	middle := from + (to-from)/2
	window := func(step string, a, b int64, ramped bool) Window {
		return Window{Step: step, StartMonoNs: a, EndMonoNs: b, Ramped: ramped}
	}
	<-time.After(50 * time.Millisecond) // the truth is asked of the past
	idle := window("idle", began, from, false)
	got, err := twin.Truth(t.Context(), Request{StartedMonoNs: began, EndedMonoNs: to, Stream: 1, Idle: &idle, Steps: []Window{
		window("all", from, to, false), window("first half", from, middle, false), window("second half", middle, to, true), idle,
	}, Windows: []Window{idle}})
	if err != nil {
		t.Fatal(err)
	}
	all, first, second, none := got.Steps[0], got.Steps[1], got.Steps[2], got.Steps[3]
	if all.IOs != 200 || all.Bytes != 200*blockBytes || first.IOs+second.IOs != 200 || none.IOs != 0 {
		t.Errorf("IOs: %d in all (%d bytes), %d and %d in the halves, %d before", all.IOs, all.Bytes, first.IOs, second.IOs, none.IOs)
	}
	if all.FirstIOMonoNs < from || all.FirstIOMonoNs > middle || all.LastIOMonoNs < middle || all.LastIOMonoNs > to {
		t.Errorf("first IO %d µs after the first read began, last %d µs before the end", (all.FirstIOMonoNs-from)/1000, (to-all.LastIOMonoNs)/1000)
	}
	if second.FirstIOMonoNs < middle { // what came before a ramped window was its ramp
		t.Error("the first IO of a ramped window is of its ramp")
	}
	if all.FirstCurrentMonoNs < all.FirstIOMonoNs-10e6 || all.FirstCurrentMonoNs > all.LastCurrentMonoNs || none.Reads != 0 || all.Reads != 200 || all.Writes != 0 {
		t.Errorf("current from %d to %d ns after the first IO; %d reads, %d writes", all.FirstCurrentMonoNs-all.FirstIOMonoNs, all.LastCurrentMonoNs-all.FirstIOMonoNs, all.Reads, all.Writes)
	}
	var ios uint64
	for _, row := range got.Intervals.Rows {
		if ios += row.Reads + row.Writes; (row.StartMonoNs-began)%1e9 != 0 || row.Bytes != blockBytes*row.Reads || row.EnergyJ <= 0 {
			t.Errorf("interval %+v of a run from %d on", row, began)
		}
	}
	if ios != 200 || got.Intervals.LengthS != 1 || got.Scale != 4 {
		t.Errorf("%d IOs in intervals of %d s, scale %d", ios, got.Intervals.LengthS, got.Scale)
	}
	if len(got.Windows) != 1 || got.Windows[0].MeanW != none.MeanW || len(got.Edges) != 0 || len(got.Cycles) != 0 {
		t.Errorf("windows %+v, edges %v, cycles %v", got.Windows, got.Edges, got.Cycles)
	}
	equal(t, "joules of both halves", first.EnergyJ+second.EnergyJ, all.EnergyJ, 1e-6)
	equal(t, "mean watts", all.MeanW, all.EnergyJ/(float64(to-from)*1e-9), 1e-9)
	if got.Idle == nil {
		t.Fatal("no idle")
	}
	equal(t, "5 V and 12 V", got.Idle.Rail5VW+got.Idle.Rail12VW, got.Idle.TotalW, 1e-9)
	equal(t, "idle as a step", none.MeanW, got.Idle.TotalW, 1e-9)
	// The published drive draws 2.100 W and 0.881 W when idle, on average; a third of a
	// second holds its noise.
	equal(t, "idle 5 V", got.Idle.Rail5VW, 2.1, 0.03)
	equal(t, "idle 12 V", got.Idle.Rail12VW, 0.881, 0.03)
	if got.Inrush != nil || len(got.Losses) != 0 || len(got.Clocks) != 0 {
		t.Errorf("inrush %v, losses %v, clocks %v: nothing was switched and nothing streamed", got.Inrush, got.Losses, got.Clocks)
	}
}

func equal(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// The truth of a stream and of a power-up: what a client of the module did to it.
func TestTruthOfTheModule(t *testing.T) {
	twin := started(t)
	began := clock.Mono()
	m, err := catalog.OpenModule(t.Context(), catalog.ModuleOptions{Port: twin.Port, Link: "framed", Timeout: 10 * time.Second, Now: clock.Mono})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if info, err := m.Info(t.Context()); err != nil || info.Serial != "QTL1999-02-007" {
		t.Errorf("module %q, %v", info.Serial, err)
	}
	for _, on := range []bool{false, true} {
		if err := m.SetPower(t.Context(), on); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stripes uint64
	for b, err := range m.Stream(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if stripes = b.End(); stripes > 100_000 {
			cancel()
		}
	}
	<-time.After(50 * time.Millisecond) // the truth is asked of the past
	cycle := Cycle{Window: Window{Step: "up", StartMonoNs: began, EndMonoNs: clock.Mono()}, WindowsUs: []float64{4, 1000}, LimitsA: map[string][]float64{"5v": {0.1, 5}}}
	got, err := twin.Truth(t.Context(), Request{StartedMonoNs: began, Stream: 1, Cycles: []Cycle{cycle}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Clocks) != 1 || got.Clock != got.Clocks[0] || got.Clock.Stripes < stripes || got.Clock.OffsetS <= 0 || got.Clock.Overrun {
		t.Errorf("clock %+v of %d; the host has %d stripes", got.Clock, len(got.Clocks), stripes)
	}
	if got.Inrush == nil || len(got.Inrush.Rails["5v"].Peaks) == 0 || got.Inrush.ReadyS <= 0 {
		t.Errorf("inrush %+v", got.Inrush)
	}
	// Each rail was switched off and on; the drive came to life on the ramp.
	if len(got.Edges) != 4 || !got.Edges[0].Off || got.Edges[2].Off || got.Edges[2].ToV+got.Edges[3].ToV != 17 {
		t.Fatalf("edges %+v", got.Edges)
	}
	up := got.Cycles[0]
	if up.OnMonoNs != got.Edges[2].StartMonoNs || up.UVLOMonoNs <= up.OnMonoNs || up.UVLOMonoNs >= got.Edges[2].EndMonoNs || up.EndMonoNs != cycle.EndMonoNs {
		t.Errorf("on %d, life %d, end %d; the ramp is %+v", up.OnMonoNs, up.UVLOMonoNs, up.EndMonoNs, got.Edges[2])
	}
	equal(t, "UVLO, V", up.UVLOV, 3.9, 1e-3)
	five := up.Rails["5v"]
	if len(five.Peaks) != 2 || five.Peaks[1].WindowUs != 1000 || five.Peaks[0].Amps < five.Peaks[1].Amps || five.ChargeC <= 0 || up.Total.EnergyJ <= five.EnergyJ {
		t.Errorf("5 V %+v, total %+v", five, up.Total)
	}
	if len(five.Above) != 2 || five.Above[0].TotalS <= 0 || five.Above[1] != (Above{LimitA: 5}) {
		t.Errorf("5 V above %+v", five.Above)
	}
}

// The child's input ends, as it does however the parent dies: it takes the drive's file
// away and leaves well.
func TestChildGoesWhenItsInputEnds(t *testing.T) {
	twin := started(t)
	if !mounted(t, twin.Target) {
		t.Fatal("the drive's file is not mounted")
	}
	if err := twin.child.In.Close(); err != nil {
		t.Fatal(err)
	}
	<-twin.child.Done()
	if err := twin.child.Err(); err != nil {
		t.Errorf("the child left badly: %v", err)
	}
	if mounted(t, twin.Target) {
		t.Error("the drive's file is still mounted")
	}
	if _, err := twin.Truth(t.Context(), Request{}); err == nil {
		t.Error("a child that has gone gave an answer")
	}
}

// A child that was killed cannot clean up; Close does, and says what happened.
func TestKilledChild(t *testing.T) {
	if err := serve.Available(); err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "drive")
	twin, err := Start(t.Context(), dir, "child", "seagate-1200-400", dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(twin.child.Pid())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := twin.Truth(t.Context(), Request{}); err == nil || !strings.Contains(err.Error(), "the twin has ended: powerd child: signal: killed") {
		t.Errorf("question: error %v, want what the twin died of", err)
	}
	<-twin.child.Done()
	for range 2 {
		if err := twin.Close(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("close: %v, want that it was killed", err)
		}
	}
	if mounted(t, twin.Target) {
		t.Error("the drive's file is still mounted")
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("its folder is still there")
	}
}

// A twin that cannot be made is told in the child's own words.
func TestChildThatCannotStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drive")
	_, err := Start(t.Context(), dir, "child", "no-such-drive", dir)
	if err == nil || !strings.Contains(err.Error(), `no twin is called "no-such-drive"`) || !strings.Contains(err.Error(), "seagate-1200-400") {
		t.Errorf("error %v, want the child's own, with the names there are", err)
	}
}

// The protocol itself, over pipes and in this process: one line says where the twin is,
// one line answers each question, and a line that is no question ends it as the end of
// the input does.
func TestProtocol(t *testing.T) {
	if err := serve.Available(); err != nil {
		t.Skip(err)
	}
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(t.Context(), catalog.TwinOptions{
			Name: "seagate-1200-400", Scale: 4, Dir: filepath.Join(t.TempDir(), "drive"), SizeBytes: driveBytes, Now: clock.Mono,
		}, in, out)
	}()
	lines := json.NewDecoder(answers)
	var ready map[string]string
	if err := lines.Decode(&ready); err != nil || len(ready) != 2 || ready["port"] == "" || ready["target"] == "" {
		t.Fatalf("first line %v, %v", ready, err)
	}
	now := clock.Mono()
	if _, err := io.WriteString(ask, `{"started_mono_ns":`+strconv.FormatInt(now, 10)+`,"steps":[]}`+"\n"); err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := lines.Decode(&answer); err != nil || answer["steps"] == nil || answer["losses"] == nil || answer["clock"] == nil {
		t.Errorf("answer %v, %v", answer, err)
	}
	if _, err := io.WriteString(ask, "what?\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("it ended badly: %v", err)
	}
	if mounted(t, ready["target"]) {
		t.Error("the drive's file is still mounted")
	}
}
