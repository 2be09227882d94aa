package fio

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostAt is a host whose process ran for 3 s up to "now": Unix 1790000003 s,
// 500 s after boot.
func hostAt() hostTimes {
	return hostTimes{spawnMonoMs: 497_000, exitMonoMs: 500_000, spawnUnixMs: 1_790_000_000_000, exitUnixMs: 1_790_000_003_000}
}

// sections returns the rows of the made file's sections by name.
func sections(t *testing.T) map[string][]row {
	t.Helper()
	out := map[string][]row{}
	for part := range strings.SplitSeq(made(t, "time-bases.log"), "[") {
		name, text, ok := strings.Cut(part, "]")
		if !ok {
			continue
		}
		rows, err := parseRows(name, strings.NewReader(text), layout{windowMs: 1000}, 0)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = rows
	}
	return out
}

// Relative and Unix stamps are told apart by where they fall; one that counts
// from another host's boot falls nowhere and is refused.
func TestTimeBaseIsRecognised(t *testing.T) {
	logs := sections(t)
	for _, c := range []struct {
		section string
		want    timeBase
	}{{"relative", baseRelative}, {"unix", baseUnix}} {
		rows := logs[c.section]
		got, err := recognise(rows[0].timeMs, rows[len(rows)-1].timeMs, baseRelative, hostAt())
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.section, got, err, c.want)
		}
	}
	rows := logs["uptime"]
	_, err := recognise(rows[0].timeMs, rows[len(rows)-1].timeMs, baseUnix, hostAt())
	if err == nil || !strings.Contains(err.Error(), "time base implausible") || !strings.Contains(err.Error(), "host time now") {
		t.Errorf("uptime of another host: %v, want it refused with the host's time", err)
	}
}

// On a host that has just booted, monotonic and relative stamps look alike; the
// options decide.
func TestTimeBaseOfAFreshHostFollowsTheOptions(t *testing.T) {
	h := hostTimes{spawnMonoMs: 900, exitMonoMs: 4000, spawnUnixMs: 1_790_000_000_000, exitUnixMs: 1_790_000_003_100}
	for _, asked := range []timeBase{baseRelative, baseMonotonic} {
		if got, err := recognise(1500, 3000, asked, h); err != nil || got != asked {
			t.Errorf("asked for %v: %v, %v", asked, got, err)
		}
	}
}

// The work done for a row does not depend on its stamp: rows at the end of time
// make no more than rows at its beginning.
func TestNothingGrowsWithAStamp(t *testing.T) {
	log := "1000, 5, 0, 0\n9223372036854775807, 5, 0, 0\n"
	rows, err := parseRows("far.log", strings.NewReader(log), layout{windowMs: 500}, 0)
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	allocs := testing.AllocsPerRun(5, func() { partsOf(rows, ddirRead, 500, 500, 1) })
	if allocs > 4 {
		t.Errorf("%.0f allocations for two rows", allocs)
	}
}

// Averaged over 200 ms, rows at 141, 400, 600, 800, 1000 and 1210 ms. Each row
// is a rate over the time since the one before: from the second on 20000 IOPS
// over 259, 200, 200, 200 and 210 ms, that is 5180, 4000, 4000, 4000 and 4200.
func TestRowsAreRatesOverTheirRealSpacing(t *testing.T) {
	rows, err := parseRows("late-rows.log", strings.NewReader(made(t, "late-rows.log")), layout{windowMs: 200}, 0)
	if err != nil {
		t.Fatal(err)
	}
	parts := partsOf(rows, ddirRead, 0, 200, 1)
	want := []float64{272269 * 0.141, 5180, 4000, 4000, 4000, 4200}
	if len(parts) != len(want) {
		t.Fatalf("%d parts, want %d", len(parts), len(want))
	}
	for i, w := range want {
		if !within(parts[i].count, w, 1e-9) {
			t.Errorf("row %d: %.1f IOs, want %.1f", i+1, parts[i].count, w)
		}
		if rate := parts[i].count / float64(parts[i].endNs-parts[i].startNs) * 1e9; i > 0 && !within(rate, 20_000, 1e-9) {
			t.Errorf("row %d: %.0f IOPS, want 20000", i+1, rate)
		}
	}
}

// A log whose first row is a start-up artefact (272269 IOPS over 141 ms) adds up
// to 59770 IOs where the report says 24200: it is reported, and the report's
// total stands.
func TestLogThatDisagreesIsReported(t *testing.T) {
	document := `{"fio version":"fio-3.16","jobs":[{"jobname":"r","error":0,
"job options":{"rw":"randread","write_iops_log":"r","log_avg_msec":"200","log_unix_epoch":"1"},
"read":{"total_ios":24200,"io_bytes":99123200,"runtime":1210},"write":{"total_ios":0,"io_bytes":0,"runtime":0}}]}`
	job := stageDocument(t, document)
	var log strings.Builder
	for line := range strings.Lines(made(t, "late-rows.log")) {
		var ms, value int64
		if n, _ := fmt.Sscanf(line, "%d, %d", &ms, &value); n == 2 {
			fmt.Fprintf(&log, "%d, %d, 0, 0\n", 1_796_061_000_000+ms, value)
		}
	}
	writeFile(t, job.Dir+"/r_iops.1.log", log.String())
	rec := ended(1_796_060_999_700, 1_796_061_001_300, 0)
	if err := rec.write(files{job.Dir, job.Step}.record()); err != nil {
		t.Fatal(err)
	}
	res := mustLoad(t, job)
	if text := warned(res, "log-disagrees"); !strings.Contains(text, "24200") {
		t.Errorf("warnings %v, want one that the log disagrees with 24200 IOs", res.Warnings)
	}
	if res.IOs() != 24_200 {
		t.Errorf("%d IOs, want the report's 24200", res.IOs())
	}
}

// Of a log's seven windows of 500 ms, a row each way, the last four are gone: that
// is more than fio ever keeps to itself.
func TestLogWithoutItsEndIsReported(t *testing.T) {
	job := stage(t, "3.33-unix-log", ended(1_796_061_412_953, 1_796_061_417_269, 0))
	path := job.Dir + "/l_iops.1.log"
	lines := slices.Collect(strings.Lines(readFile(t, path)))
	if text := warned(mustLoad(t, job), "log-disagrees"); text != "" {
		t.Errorf("the whole log: %s", text)
	}
	writeFile(t, path, strings.Join(lines[:6], ""))
	if res := mustLoad(t, job); warned(res, "log-disagrees") == "" {
		t.Errorf("three windows: warnings %v", res.Warnings)
	}
}

// Two seconds of load (four here: fio 3.33 doubles the first), two of pause, two
// of load, and a pause to the end. No interval covers a pause, the row after one
// covers one window of 500 ms, and the rows still add up to the report's 350159.
func TestPausesHaveNoIntervals(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-pauses", ended(1_796_061_447_994, 1_796_061_458_308, 0)))
	if len(res.Intervals) != 12 {
		t.Fatalf("%d intervals, want one for each of the 12 rows", len(res.Intervals))
	}
	sum := uint64(0)
	for i, iv := range res.Intervals {
		sum += iv.Writes
		if iv.EndNs-iv.StartNs != 500*msNs {
			t.Errorf("interval %d is %d ms long, want 500", i, (iv.EndNs-iv.StartNs)/msNs)
		}
		if iv.WriteBytes != iv.Writes*4096 {
			t.Errorf("interval %d: %d bytes for %d writes of 4096", i, iv.WriteBytes, iv.Writes)
		}
	}
	if gap := res.Intervals[8].StartNs - res.Intervals[7].EndNs; gap != 2000*msNs {
		t.Errorf("pause of %d ms, want 2000", gap/msNs)
	}
	if !within(float64(sum), 350_159, 0.02) || warned(res, "log-disagrees") != "" {
		t.Errorf("rows add up to %d, want 350159 within 2 %%; %v", sum, res.Warnings)
	}
}

// Both directions have rows of their own at the same stamps: seven intervals
// with reads and writes. Row 2 of the iops log says 51693 and 22236 IOPS, over
// 500 ms.
func TestDirectionsShareIntervals(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-unix-log", ended(1_796_061_412_953, 1_796_061_417_269, 0)))
	if len(res.Intervals) != 7 {
		t.Fatalf("%d intervals, want 7", len(res.Intervals))
	}
	if iv := res.Intervals[1]; !within(float64(iv.Reads), 51693/2, 1e-4) || !within(float64(iv.Writes), 22236/2, 1e-4) {
		t.Errorf("second interval %+v", iv)
	}
}

// The columns follow from options and version. With offset, priority and issue
// time there are seven; a log that has other ones is refused, with the place.
func TestColumnsFollowFromTheOptions(t *testing.T) {
	o := options{job: map[string]string{"log_offset": "1", "log_issue_time": "1", "log_prio": "1"}}
	l := layoutOf(o, Version{3, 42})
	rows, err := readRows("testdata/3.42-seven-columns/n_iops.1.log", l, 0)
	if err != nil || len(rows) != 12 || rows[0] != (row{1_796_061_515_222, 1, ddirRead}) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	_, err = parseRows("x.log", strings.NewReader("# note\n500, 1, 0, 0, 0\n1000, 1, 0\n"), layoutOf(options{}, Version{3, 33}), 0)
	if err == nil || !strings.Contains(err.Error(), "x.log:3:") || !strings.Contains(err.Error(), "time, value, ddir, bs, prio") {
		t.Errorf("%v, want line 3 and the columns that were expected", err)
	}
	// Six columns twice, with another meaning each time.
	both := layoutOf(options{job: map[string]string{"log_window_value": "both"}}, Version{3, 42}).columns()
	offset := layoutOf(options{job: map[string]string{"log_offset": "1"}}, Version{3, 42}).columns()
	if len(both) != 6 || len(offset) != 6 || both[2] != "max" || offset[2] != "ddir" {
		t.Errorf("columns %v and %v", both, offset)
	}
}

// What the kernel saw: the runs' system calls were traced on CLOCK_MONOTONIC.
// First and last IO lie in the window, and the window is no more than ± its
// stated half-width wider.
func TestWindowHoldsWhatTheKernelSaw(t *testing.T) {
	for _, c := range []struct{ fixture, step string }{
		{"3.33-traced-qd4", "randread-4k-qd4"},
		{"3.33-traced-jobs2", "randread-4k-jobs2"},
	} {
		job := stage(t, c.fixture, nil)
		job.Step, job.Duration = c.step, 1500*time.Millisecond
		res := mustLoad(t, job)
		var first, last int64
		if _, err := fmt.Sscanf(readFile(t, job.Dir+"/truth.txt"), "first_io_mono_ns %d\nlast_io_mono_ns %d", &first, &last); err != nil {
			t.Fatal(err)
		}
		for _, edge := range []struct {
			name   string
			inside int64
		}{{"first IO after start", first - res.StartNs}, {"end after last IO", res.EndNs - last}} {
			if edge.inside < -edgeU95Ns || edge.inside > res.EdgeU95Ns {
				t.Errorf("%s: %s is %.3f ms, want within -2 ms and + %.1f ms", c.fixture, edge.name, float64(edge.inside)/1e6, float64(res.EdgeU95Ns)/1e6)
			}
		}
	}
}

// fio 3.36 and later say when the job began: 1207362 ms after boot, for 2001 ms.
// That it is a monotonic stamp follows from the option and from where it falls;
// it places the relative rows, too.
func TestJobStartGivesTheWindow(t *testing.T) {
	const spawnMs = 1_796_061_524_233
	rec := ended(spawnMs, 1_796_061_526_633, 0)
	boot := int64(1_796_061_526_628 - 10 - (1_207_362 + 2001)) // the document was written about 10 ms after the end
	rec.SpawnMonoNs, rec.ExitMonoNs = (spawnMs-boot)*msNs, (1_796_061_526_633-boot)*msNs
	res := mustLoad(t, stage(t, "3.42-job-start", rec))
	if res.StartNs != 1_207_363*msNs || res.EndNs != (1_207_363+2001)*msNs || res.EdgeU95Ns != 2*msNs {
		t.Errorf("window [%d, %d) ± %d", res.StartNs, res.EndNs, res.EdgeU95Ns)
	}
	if len(res.Intervals) != 4 || res.Intervals[0].EndNs != (1_207_362+501)*msNs {
		t.Errorf("%d intervals from %v", len(res.Intervals), res.Intervals)
	}
	// The same stamp outside the process's life is no monotonic one.
	rec.SpawnMonoNs, rec.ExitMonoNs = 1e9, 3e9
	if res := mustLoad(t, stage(t, "3.42-job-start", rec)); res.StartNs != 0 || warned(res, "window-unknown") == "" {
		t.Errorf("window from %d, want none", res.StartNs)
	}
}

// A relative log of a version without job_start: the figures stand, the window
// is unknown, nothing is made up.
func TestRelativeLogHasNoWindow(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-relative-log", ended(1_796_061_442_000, 1_796_061_447_700, 0)))
	if res.StartNs != 0 || res.EndNs != 0 || len(res.Intervals) != 0 || res.IOs() != 213_496 {
		t.Errorf("window [%d, %d), %d intervals, %d IOs", res.StartNs, res.EndNs, len(res.Intervals), res.IOs())
	}
	if warned(res, "window-unknown") == "" || warned(res, "log-relative") == "" {
		t.Errorf("warnings %v", res.Warnings)
	}
}

// Both clones of a group have logs of their own; none is left out. 32836 + 32916
// IOPS in the first row, over 500 ms.
func TestAllClonesCount(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-two-clones", ended(1_796_061_427_125, 1_796_061_430_459, 0)))
	if len(res.Intervals) != 5 || !within(float64(res.Intervals[0].Reads), (32836+32916)/2, 1e-4) {
		t.Errorf("%d intervals, the first %+v", len(res.Intervals), res.Intervals)
	}
}

// A drive that woke for 1.2 s has no rows for its first two windows of 500 ms:
// the first stamp would put the window's end after fio's exit. It is moved back
// by whole windows, and the edges are no better than one.
func TestWindowCannotEndAfterFioDid(t *testing.T) {
	runtime, ios := uint64(3000), uint64(100)
	d := &document{version: Version{3, 33}, Entries: []entry{{Read: &totals{RuntimeMs: &runtime, IOs: &ios}}}}
	h := hostTimes{spawnMonoMs: 10_000, exitMonoMs: 13_400} // IO from 10300 to 13300
	clones := []clone{{entry: 0, placed: true, epochMs: 11_300, layout: layout{windowMs: 500}}}
	res := resultForWarnings()
	w, ok := windowOf(d, clones, h, warnInto(res))
	if !ok || w.startNs != 10_301*msNs || w.endNs != 13_301*msNs || w.edgeNs != 500*msNs || warned(res, "window-moved") == "" {
		t.Errorf("window %+v, warnings %v", w, res.Warnings)
	}
}

// Two jobs, one after the other, are one window only in name.
func TestJobsThatRanApartAreReported(t *testing.T) {
	runtime := uint64(1000)
	one := entry{Name: "a", Read: &totals{RuntimeMs: &runtime}}
	d := &document{version: Version{3, 33}, Entries: []entry{one, one}}
	clones := []clone{{entry: 0, placed: true, epochMs: 1000}, {entry: 1, placed: true, epochMs: 2300}}
	res := resultForWarnings()
	w, _ := windowOf(d, clones, hostTimes{exitMonoMs: 4000}, warnInto(res))
	if w.startNs != 1001*msNs || w.endNs != 3301*msNs || warned(res, "jobs-not-together") == "" {
		t.Errorf("window %+v, warnings %v", w, res.Warnings)
	}
}

// Windows end on a grid from the epoch (here 10000, every 500 ms), and stamps
// are late by the sampler or by the wait for the next IO, never early: a first
// row that is 44 ms late is put right by two that are prompt. One row that is
// late by most of a window looks early, and moves nothing.
func TestLateFirstRowDoesNotMoveTheEpoch(t *testing.T) {
	rows := []row{{timeMs: 10_544}, {timeMs: 11_001}, {timeMs: 11_530}, {timeMs: 12_000}, {timeMs: 13_520}}
	if got := gridStart(rows, 500); got != 10_000 {
		t.Errorf("epoch %d, want 10000", got)
	}
	rows = []row{{timeMs: 10_500}, {timeMs: 11_000}, {timeMs: 11_910}, {timeMs: 12_000}}
	if got := gridStart(rows, 500); got != 10_000 {
		t.Errorf("epoch %d, want 10000", got)
	}
}

// Logs of stamps that count from another host's boot are not used.
func TestImplausibleLogIsRefused(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-two-clones", ended(1_700_000_000_000, 1_700_000_004_000, 0)))
	if text := warned(res, "time-base-implausible"); !strings.Contains(text, "l_iops.1.log") {
		t.Errorf("warnings %v", res.Warnings)
	}
	if res.StartNs != 0 || len(res.Intervals) != 0 {
		t.Errorf("window from %d, %d intervals; want none", res.StartNs, len(res.Intervals))
	}
}
