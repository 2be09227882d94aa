package results_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
	"powerd/quarch"
)

// counted writes down what a kernel counts on the target, ten times a second from one
// second of the run to another, each time within ± 20 µs: so many reads of 4 KiB had
// been completed at a second.
func counted(t *testing.T, r *resultstest.Recording, fromS, toS float64, reads func(s float64) float64) {
	t.Helper()
	var b strings.Builder
	b.WriteString("mono_ns,u_ns,reads,read_bytes,writes,write_bytes,discards,discard_bytes,flushes,in_flight,busy_ms\n")
	for k := range int(math.Round((toS-fromS)*10)) + 1 {
		s := fromS + float64(k)/10
		n := uint64(math.Round(reads(s)))
		fmt.Fprintf(&b, "%d,20000,%d,%d,0,0,0,0,0,0,0\n", host(s), n, n*4096)
	}
	engineFile(t, r, "blockstat.csv", b.String())
}

func engineFile(t *testing.T, r *resultstest.Recording, name, text string) {
	t.Helper()
	dir := filepath.Join(r.Dir, "engine")
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// Somebody reads 1000 times a second from a drive that draws 2.5 W and 3 W. Ten seconds
// recorded are 55 J; the counters' first look that is surely inside is at 1.1 s, the
// last at 10.9 s, and in these 9.8 s there are 9800 reads: 1000 IOPS at 5500 mW.
func TestRecordedStep(t *testing.T) {
	m := meta()
	m.Module.Calibration = &results.Calibration{GainPct: 1, OffsetMA: 2, OffsetMV: 1}
	r := record(t, m)
	r.Stream(source{FromS: 0.5, ToS: 12, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("oltp", "record", 1, 11, nil)
	counted(t, r, 0, 12, func(s float64) float64 { return 7 + 1000*s })
	r.Ended(12)
	d := r.Compute()

	if len(d.Records) != 1 || len(d.Nothing()) != 0 {
		t.Fatalf("%d records, nothing of %v; withheld %v", len(d.Records), d.Nothing(), d.Withheld)
	}
	rec := d.Records[0]
	near(t, "mean_w", rec.Total.MeanW, 5.5, 1e-12)
	near(t, "min_w", rec.Total.MinW, 5.5, 1e-12)
	near(t, "max_w", rec.Total.MaxW, 5.5, 1e-12)
	near(t, "p99_w", rec.Total.P99W, 5.5, 0.004)
	near(t, "energy_j", rec.Total.EnergyJ, 55, 1e-9)
	near(t, "5v mean_w", rec.Rails[quarch.Rail5V].MeanW, 2.5, 1e-12)
	near(t, "12v energy_j", rec.Rails[quarch.Rail12V].EnergyJ, 30, 1e-9)
	// 1 % + 2 mA and 1 % + 1 mV at 5 V, 0.5 A: 5 · 2·7/√3 mA and 0.5 · 2·51/√3 mV, 40.4 mW
	// and 29.4 mW; at 12 V, 0.25 A: 62.4 mW and 34.9 mW. Together 87.3 mW, and no scatter.
	near(t, "u95_w", rec.Total.U95W, 0.0873, 0.01)
	io := rec.IO
	if io == nil || io.Engine != "diskstats" || io.Reads != 9800 || io.ReadBytes != 9800*4096 || io.Writes != 0 {
		t.Fatalf("io %+v", io)
	}
	if io.StartMonoNs != host(1.1) || io.EndMonoNs != host(10.9) {
		t.Errorf("io's window [%d, %d)", io.StartMonoNs-startNs, io.EndMonoNs-startNs)
	}
	near(t, "iops", io.IOPS, 1000, 1e-9)
	near(t, "mb_per_s", io.MBPerS, 4.096, 1e-9)
	near(t, "iops_per_mw", io.IOPSPerMW, 1000/5500.0, 1e-9)
	near(t, "uj_per_io", io.UJPerIO, 5500, 1e-9)
	near(t, "u95_rel", io.U95Rel, 0.0873/5.5, 0.02)
}

// Where the target was not followed, or not all the time, the watts stand and what is
// not known of the IO is not there.
func TestRecordedStepWithoutItsIO(t *testing.T) {
	for _, untilS := range []float64{0, 5, 11} {
		r := record(t, meta())
		r.Stream(source{FromS: 0.5, ToS: 12, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
		r.Step("oltp", "record", 1, 11, nil)
		switch untilS {
		case 5: // the drive went away and came again with its counters at nought
			counted(t, r, 0, 12, func(s float64) float64 {
				if s < untilS {
					return 1000 * s
				}
				return s
			})
		case 11: // everything was lost but the looks after it
			counted(t, r, untilS, 12, func(s float64) float64 { return s })
		}
		r.Ended(12)
		d := r.Compute()
		near(t, "energy_j", d.Records[0].Total.EnergyJ, 55, 1e-9)
		if d.Records[0].IO != nil {
			t.Errorf("until %g s: io %+v", untilS, d.Records[0].IO)
		}
		switch untilS {
		case 0:
			if len(d.Withheld) != 0 {
				t.Errorf("nobody followed it: withheld %v", d.Withheld)
			}
		case 5:
			if why := withheld(t, d, "record.oltp.io"); !strings.Contains(why, "gap") {
				t.Errorf("%s", why)
			}
		case 11:
			if why := withheld(t, d, "record.oltp.io"); !strings.Contains(why, "were not read") {
				t.Errorf("%s", why)
			}
		}
	}
}

// A recording whose samples lack a tenth has no watts, and a step that came to nothing is
// named.
func TestRecordedStepWithoutSamples(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{FromS: 0.5, ToS: 10, PeriodNs: 1_024_000, Draw: idle55, EndReason: "the cable was pulled"})
	r.Step("oltp", "record", 1, 11, nil)
	counted(t, r, 0, 12, func(s float64) float64 { return 1000 * s })
	r.Ended(12)
	d := r.Compute()
	if why := withheld(t, d, "record.oltp.mean_w"); !strings.Contains(why, "samples cover 90.0 %") {
		t.Errorf("%s", why)
	}
	if rec := d.Records[0]; rec.Total.MeanW != nil || rec.IO.IOPSPerMW != nil || rec.IO.IOPS == nil {
		t.Errorf("%+v, io %+v", rec.Total, rec.IO)
	}
	if got := d.Nothing(); len(got) != 1 || got[0] != "oltp" {
		t.Errorf("came to nothing: %v", got)
	}
}

// 4.096 s between two marks in which the drive draws 5 W are 20.48 J; 2048 transactions
// in them are 100 a joule and 500 a second. What began and never ended, and what lies
// where nobody sampled, is withheld with the reason; a line that is no mark is named.
func TestMarkedWindows(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 8000 * stripeS, PeriodNs: 1_024_000, Draw: busy, EndReason: "done"})
	r.Step("record", "record", 0, 8, nil)
	engineFile(t, r, "marks.jsonl", fmt.Sprintf(`{"mark":"start","name":"tpcc","mono_ns":%d}
{"mark":"start","name":"forgotten","mono_ns":%d}
{"mark":"end","name":"tpcc","mono_ns":%d,"count":2048,"unit":"transactions"}
{"mark":"end","name":"never-begun","mono_ns":%d}
{"mark":"start","name":"late","mono_ns":%d}
{"mark":"end","name":"late","mono_ns":%d}
{"mark":"sta`, host(2000*stripeS), host(5), host(6000*stripeS), host(7), host(20), host(30)))
	open := r.Compute()
	if why := withheld(t, open, "marks.forgotten"); why != "its end has not been marked yet" {
		t.Errorf("while it runs: %s", why)
	}
	r.Ended(31)
	d := r.Compute()

	if len(d.Marks) != 1 {
		t.Fatalf("%d marks; withheld %v", len(d.Marks), d.Withheld)
	}
	m := d.Marks[0]
	const placing = 2e-5 // 30 µs · 4.5 W of 20 J
	near(t, "duration_s", &m.DurationS, 4.096, 1e-9)
	near(t, "mean_w", m.MeanW, 5, placing)
	near(t, "energy_j", m.EnergyJ, 20.48, placing)
	near(t, "per_joule", m.PerJoule, 100, placing)
	near(t, "per_s", m.PerS, 500, 1e-9)
	if m.Name != "tpcc" || *m.Count != 2048 || m.Unit != "transactions" || m.IOPS != nil {
		t.Errorf("%+v", m)
	}
	if m.PerJouleU95 == nil || m.U95W == nil || math.Abs(*m.PerJouleU95/100-*m.U95W/5) > 1e-4 {
		t.Errorf("per joule ± %v, mean ± %v", m.PerJouleU95, m.U95W)
	}
	if why := withheld(t, d, "marks.forgotten"); !strings.Contains(why, "the run ended before") {
		t.Errorf("%s", why)
	}
	if why := withheld(t, d, "marks.late"); why != "there are no samples of this time" {
		t.Errorf("%s", why)
	}
	if !warned(d, "marks", `engine/marks.jsonl:4: a "end" of never-begun is out of place`) || !warned(d, "marks", "engine/marks.jsonl:7:") {
		t.Errorf("warnings %v", d.Warnings)
	}
	var names []string
	for _, table := range d.Tables() {
		names = append(names, table.Name)
	}
	if got := strings.Join(names, " "); got != "record marks" {
		t.Errorf("tables %s", got)
	}
}

// The same window marked by another host, whose clock is known to ± 5 ms: the drive draws
// 5 W in it and 0.5 W before and after, so either edge may have put 5 ms · 4.5 W on the wrong
// side, 22.5 mJ of 20.48 J, and both together are 31.8 mJ, 0.155 %: 7.8 mW of 5 W. A count
// a second is known as well as the window is long: 10 ms of 4.096 s.
func TestMarksOfAnotherHost(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 8000 * stripeS, PeriodNs: 1_024_000, Draw: busy, EndReason: "done"})
	r.Step("record", "record", 0, 8, nil)
	const far = `"from":{"host":"b","offset_s":3.5,"offset_u95_s":0.005,"round_trips":16,"least_round_trip_s":0.00015}`
	engineFile(t, r, "marks.jsonl", fmt.Sprintf(`{"mark":"start","name":"here","mono_ns":%d}
{"mark":"end","name":"here","mono_ns":%d,"count":2048,"unit":"transactions"}
{"mark":"start","name":"far","mono_ns":%d,%s}
{"mark":"end","name":"far","mono_ns":%d,"count":2048,"unit":"transactions",%s}
{"mark":"start","name":"nowhere","mono_ns":%d,"from":{"host":"b","offset_s":3.5,"offset_u95_s":7,"round_trips":16}}
`, host(2000*stripeS), host(6000*stripeS), host(2000*stripeS), far, host(6000*stripeS), far, host(7)))
	r.Ended(9)
	d := r.Compute()
	if len(d.Marks) != 2 {
		t.Fatalf("%d marks; withheld %v", len(d.Marks), d.Withheld)
	}
	here, far2 := d.Marks[0], d.Marks[1]
	if here.U95W == nil || far2.U95W == nil {
		t.Fatal("no ±")
	}
	added := math.Sqrt(*far2.U95W**far2.U95W - *here.U95W**here.U95W)
	if added < 0.9*0.0078 || added > 1.6*0.0078 { // both edges in quadrature, or their sum
		t.Errorf("the other host's clock adds %.4f W to ± %.4f W, want 0.0078 W", added, *here.U95W)
	}
	if here.PerSU95 != nil {
		t.Errorf("a count per second of this host's own marks has a ± of %g", *here.PerSU95)
	}
	near(t, "per_s_u95", far2.PerSU95, 500*0.010/4.096, 1e-9)
	if far2.Start == nil || far2.Start.Host != "b" || here.Start != nil {
		t.Errorf("marks from %+v and %+v", far2.Start, here.Start)
	}
	if !warned(d, "marks", "engine/marks.jsonl:5:") {
		t.Errorf("a clock that is known to 7 s: %v", d.Warnings)
	}
}

// What an engine says is held against what reached the target: fio says 204,800 reads in
// 4.096 s.
func TestEngineIsHeldAgainstTheKernel(t *testing.T) {
	const fromS, toS = 2000 * stripeS, 6000 * stripeS
	load := func(perS float64) func(float64) float64 {
		return func(s float64) float64 { return perS * (max(fromS, min(toS, s)) - fromS) }
	}
	for name, c := range map[string]struct {
		reads      func(s float64) float64
		code, says string
	}{
		"all of it":                 {load(50_000), "", ""},
		"none: another device":      {func(float64) float64 { return 5 }, "io_not_on_target", "fio says 204800 IOs of 838.861 MB, the kernel counted none on the target"},
		"a tenth: the page cache":   {load(5_000), "io_cached", "the kernel counted 20480 IOs of 83.8861 MB at most on the target"},
		"a fifth more: not alone":   {load(60_000), "io_of_others", "somebody else used it in these 4.1 s"},
		"half a per cent: no cause": {load(50_250), "", ""},
	} {
		r := record(t, meta())
		r.Stream(source{ToS: 8000 * stripeS, PeriodNs: 1_024_000, Draw: busy, EndReason: "done"})
		r.Load(randread, fromS, toS, done(204_800), nil)
		counted(t, r, 0, 8, c.reads)
		r.Ended(9)
		d := r.Compute()
		said := false
		for _, w := range d.Warnings {
			said = said || strings.HasPrefix(w.Code, "io_")
		}
		if said != (c.code != "") || c.code != "" && !warned(d, c.code, c.says) {
			t.Errorf("%s: warnings %v, want %s %q", name, d.Warnings, c.code, c.says)
		}
		if len(d.Efficiency) != 1 || d.Efficiency[0].IOPSPerMW == nil {
			t.Errorf("%s: the figures are gone: %v", name, d.Withheld)
		}
	}
}

// An idle step says how many IOs the host asked for in it. That of the load right before
// it, in the interval across its border, is none of them.
func TestIdleKnowsOfTheHostsIO(t *testing.T) {
	compute := func(reads func(s float64) float64) *results.Document {
		r := record(t, meta())
		r.Stream(source{FromS: 0.2, ToS: 12, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
		r.Step("idle", "idle", 1.05, 11, nil)
		if reads != nil {
			counted(t, r, 0, 12, reads)
		}
		r.Ended(12)
		return r.Compute()
	}
	quiet := func(s float64) float64 { return 1000 * min(s, 1.04) }
	if d := compute(quiet); d.Idle.Trust.HostIOs == nil || *d.Idle.Trust.HostIOs != 0 || warned(d, "host_io", "") {
		t.Errorf("quiet: %+v, warnings %v", d.Idle.Trust, d.Warnings)
	}
	d := compute(func(s float64) float64 {
		if s > 6 {
			return quiet(s) + 3
		}
		return quiet(s)
	})
	if d.Idle.Trust.HostIOs == nil || *d.Idle.Trust.HostIOs != 3 || !warned(d, "host_io", "3 IOs") {
		t.Errorf("three reads: %+v, warnings %v", d.Idle.Trust, d.Warnings)
	}
	if d := compute(nil); d.Idle.Trust.HostIOs != nil {
		t.Errorf("nobody watched: %d", *d.Idle.Trust.HostIOs)
	}
}

// Flushes and discards are no reads and writes, but a drive that gets them is not idle
// either.
func TestIdleKnowsOfFlushes(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{FromS: 0.2, ToS: 5, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("idle", "idle", 1, 5, nil)
	engineFile(t, r, "blockstat.csv", fmt.Sprintf(`mono_ns,u_ns,reads,read_bytes,writes,write_bytes,discards,discard_bytes,flushes,in_flight,busy_ms
%d,20000,9,4096,0,0,7,4096,3,0,0
%d,20000,9,4096,0,0,9,8192,6,0,0
`, host(1.5), host(4.5)))
	r.Ended(5)
	if d := r.Compute(); !warned(d, "host_requests", "2 discards and 3 flushes") || warned(d, "host_io", "") {
		t.Errorf("warnings %v", d.Warnings)
	}
}

// A file of statistics that is damaged costs what it told, and nothing else.
func TestDamagedStatistics(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{FromS: 0.5, ToS: 8, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("oltp", "record", 1, 7, nil)
	counted(t, r, 0, 8, func(s float64) float64 { return 1000 * s })
	path := filepath.Join(r.Dir, "engine", "blockstat.csv")
	b, err := os.ReadFile(path)
	must(t, err)
	lines := strings.SplitAfter(string(b), "\n")
	lines[30] = "nonsense\n"
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644))
	r.Ended(8)
	d := r.Compute()
	if !warned(d, "capture", "engine/blockstat.csv:31: 1 columns, want 11") || d.Records[0].Total.MeanW == nil || d.Records[0].IO != nil {
		t.Errorf("warnings %v, record %+v", d.Warnings, d.Records[0])
	}
}

// marking returns the folder of a run that can be marked.
func marking(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "engine"), 0o755))
	return dir
}

// A mark that cannot be what its user means is refused with the reason, and leaves the
// file as it was.
func TestMarksThatMakeNoSense(t *testing.T) {
	dir := marking(t)
	for _, c := range []struct {
		mark results.UserMark
		want string // "" = taken
	}{
		{results.UserMark{Mark: "end", Name: "a"}, "a was not started"},
		{results.UserMark{Mark: "start", Name: "a", MonoNs: 1}, ""},
		{results.UserMark{Mark: "start", Name: "a", MonoNs: 2}, "a was started already"},
		{results.UserMark{Mark: "start", Name: "b", MonoNs: 2, Count: new(uint64(1)), Unit: "x"}, "a count is known at the end"},
		{results.UserMark{Mark: "end", Name: "a", MonoNs: 3, Count: new(uint64(12))}, "12 of what?"},
		{results.UserMark{Mark: "end", Name: "a", MonoNs: 3, Unit: "transactions"}, "how many transactions?"},
		{results.UserMark{Mark: "end", Name: "a", MonoNs: 3, Count: new(uint64(1)), Unit: "x\ny"}, "is no unit"},
		{results.UserMark{Mark: "end", Name: "a", MonoNs: 3, Count: new(uint64(0)), Unit: "transactions"}, ""}, // none were done
		{results.UserMark{Mark: "end", Name: "a", MonoNs: 4}, "a was not started, or has ended already"},
		{results.UserMark{Mark: "start", Name: "a", MonoNs: 5}, ""}, // once more
		{results.UserMark{Mark: "start", Name: ""}, "is no name"},
		{results.UserMark{Mark: "start", Name: "state:"}, "is no name"}, // of which state?
		{results.UserMark{Mark: "start", Name: "../a"}, "is no name"},
		{results.UserMark{Mark: "start", Name: strings.Repeat("a", 65)}, "is no name"},
	} {
		_, err := results.AddMark(dir, c.mark)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.mark, err)
		case c.want != "" && (!errors.Is(err, results.ErrMark) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: %v, want %q", c.mark, err, c.want)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "engine", "marks.jsonl"))
	must(t, err)
	want := `{"mark":"start","name":"a","mono_ns":1}
{"mark":"end","name":"a","mono_ns":3,"count":0,"unit":"transactions"}
{"mark":"start","name":"a","mono_ns":5}
`
	if string(b) != want {
		t.Errorf("%s", b)
	}
}

// Many shells may mark at once: each mark is a line of its own, and of two that start
// the same only one does. A line that was torn costs itself alone.
func TestMarksFromManyShells(t *testing.T) {
	dir := marking(t)
	path := filepath.Join(dir, "engine", "marks.jsonl")
	must(t, os.WriteFile(path, []byte(`{"mark":"start","na`), 0o644))
	var shells sync.WaitGroup
	taken := make([]error, 40)
	for i := range taken {
		shells.Go(func() {
			_, taken[i] = results.AddMark(dir, results.UserMark{Mark: "start", Name: fmt.Sprintf("m%d", i/2), MonoNs: int64(i)})
		})
	}
	shells.Wait()
	refused := 0
	for _, err := range taken {
		if errors.Is(err, results.ErrMark) {
			refused++
		} else {
			must(t, err)
		}
	}
	b, err := os.ReadFile(path)
	must(t, err)
	if n := strings.Count(string(b), "\n"); refused != 20 || n != 21 {
		t.Errorf("%d refused, %d lines; want 20 and 20 after the torn one", refused, n)
	}
	if _, err := results.AddMark(dir, results.UserMark{Mark: "end", Name: "m7", MonoNs: 100}); err != nil {
		t.Error(err)
	}
}
