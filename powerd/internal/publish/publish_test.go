package publish

import (
	"bytes"
	"fmt"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/demand"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/analysis/inrush"
	"powerd/analysis/limits"
	"powerd/analysis/record"
	"powerd/analysis/recovery"
	"powerd/analysis/saturation"
	"powerd/analysis/scaling"
	"powerd/analysis/steady"
	"powerd/engine"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
)

// recorded is a run of a drive twin that was slowed by four: a power-up, an idle of
// 2.5 W + 3.0 W, and a matrix of two block sizes and two queue depths.
func recorded(t *testing.T, drive string) *resultstest.Recording {
	t.Helper()
	m := resultstest.Meta()
	m.Drive.Model, m.Drive.TwinScale, m.Suite.Simulated = drive, 4, true
	r := resultstest.Record(t, m)
	const upS = 1.1
	r.Stream(resultstest.Source{ToS: 3, PeriodNs: 64_000, EndReason: "done", Draw: func(s float64) []resultstest.Reading {
		switch {
		case s < upS:
			return []resultstest.Reading{{0, 0}, {0, 0}}
		case s < upS+0.5 || s >= upS+0.503:
			return resultstest.Idle(s)
		}
		return []resultstest.Reading{{5000, 900_000}, {12_000, 250_000}} // 3 ms of 0.9 A
	}})
	r.Event(results.StepStart(resultstest.Host(0.5), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
	r.Powered("up", true, upS-0.001)
	r.Event(results.StepEnd(resultstest.Host(2.9), "up", results.Completed, ""))
	r.Stream(resultstest.Source{FromS: 4, ToS: 20, PeriodNs: 1_024_000, Draw: resultstest.Idle, EndReason: "done"})
	r.Step("idle.long", "idle", 5, 8, nil)
	at := 9.0
	for _, bs := range []int64{4096, 131_072} {
		for _, qd := range []int{1, 32} {
			job := engine.Job{Step: fmt.Sprintf("mx-%d-qd%d", bs, qd), RW: "randread", BlockBytes: bs, QueueDepth: qd, Jobs: 1}
			r.Event(results.StepStart(resultstest.Host(at), results.StepMark{Step: job.Step, Group: "mx", Kind: "load", Job: &job}))
			r.Event(results.StepEnd(resultstest.Host(at+1.5), job.Step, results.Completed, ""))
			ios := uint64(qd) * 1000
			r.Loads[job.Step] = resultstest.Outcome{Result: &engine.Result{
				Engine: "fio", StartNs: resultstest.Host(at + 0.2), EndNs: resultstest.Host(at + 1.2), EdgeU95Ns: 1e6,
				Read:      engine.Direction{IOs: ios, Bytes: ios * uint64(bs)},
				Intervals: []engine.Interval{{StartNs: resultstest.Host(at + 0.2), EndNs: resultstest.Host(at + 1.2), Reads: ios}},
			}}
			at += 2
		}
	}
	r.Ended(20)
	return r
}

// files lists what is in a folder, but for the capture.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == "capture" {
			return fs.SkipDir
		}
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(dir, path)
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// All pictures, tables and both reports of a run, and nothing half written beside
// them. A step's name may hold a point; a file's does not.
func TestEveryFileOfAReport(t *testing.T) {
	r := recorded(t, "Model A")
	doc, err := Write(r.Dir, r.Compute())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := files(t, r.Dir), []string{
		"plots/alignment.png", "plots/idle_long.png", "plots/mx-iops-per-mw.png", "plots/mx-iops.png", "plots/mx-mb-per-s-per-mw.png", "plots/mx-power.png", "plots/power-and-iops.png",
		"plots/up-150ms.png", "plots/up.png", "report.html", "report.md",
		"tables/efficiency.csv", "tables/idle.csv", "tables/inrush.csv", "tables/start.csv",
	}; !slices.Equal(got, want) {
		t.Errorf("files\n  %q\nwant\n  %q", got, want)
	}
	for _, w := range doc.Warnings {
		if w.Code == "no_picture" {
			t.Errorf("a picture is missing: %s", w.Text)
		}
	}
	for _, p := range doc.Plots {
		picture, err := png.Decode(strings.NewReader(read(t, r.Dir, "plots", p.File)))
		if err != nil || picture.Bounds().Dx() < 1000 {
			t.Errorf("%s: %v", p.File, err)
		}
	}
	md := read(t, r.Dir, "report.md")
	for _, part := range []string{"SIMULATED", "IOPS 1:4", "Acme Model A", "QTL1", "stream 1: 64 µs", "stream 2: 1024 µs", "fio 3.36", "method hull"} {
		if !strings.Contains(md, part) {
			t.Errorf("report.md does not say %q", part)
		}
	}
}

// The headlines: idle watts of each rail and of both, the current of the highest single
// stripe, and the cells that give most for a milliwatt: 32,000 IOPS of 4 KiB or of
// 128 KiB at 5500 mW are 5.818 IOPS/mW, and the larger blocks 0.7626 MB/s/mW.
func TestSummary(t *testing.T) {
	type line struct {
		label string
		value float64
		unit  string
		note  string
	}
	want := []line{
		{"Idle power, 5 V", 2.5, "W", ""},
		{"Idle power, 12 V", 3, "W", ""},
		{"Idle power, total", 5.5, "W", ""},
		{"Start-up peak, 5 V, over 64 µs", 0.9, "A", "at 500 ms"},
		{"Start-up peak, 5 V, over 1 ms", 0.9, "A", ""}, // its middle is at 500.5 ms

		{"Start-up peak, 12 V, over 64 µs", 0.25, "A", ""},
		{"Start-up peak, 12 V, over 1 ms", 0.25, "A", ""},
		{"Best IOPS per milliwatt", 32_000 / 5500.0, "IOPS/mW", "mx-4096-qd32; without a ± it is not known whether it differs from mx-4096-qd1, mx-131072-qd1, mx-131072-qd32"},
		{"Best MB/s per milliwatt", 32_000 * 131_072e-6 / 5500, "MB/s/mW", "mx-131072-qd32; without a ± it is not known whether it differs from mx-4096-qd1, mx-4096-qd32, mx-131072-qd1"},
	}
	r := recorded(t, "Model A")
	d := r.Compute()
	got := summary(d)
	for _, w := range want {
		i := slices.IndexFunc(got, func(l report.Line) bool { return l.Label == w.label })
		if i < 0 {
			t.Errorf("no line %q", w.label)
			continue
		}
		l := got[i]
		if math.Abs(l.Figure.Value-w.value) > 1e-4*w.value || l.Unit != w.unit || (w.note != "" && l.Note != w.note) {
			t.Errorf("%s: %v %s (%s), want %v %s (%s)", w.label, l.Figure.Value, l.Unit, l.Note, w.value, w.unit, w.note)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
}

// What a terminal shows of a table are columns that the table has: one that was renamed
// there would go missing here without a word.
func TestBriefColumnsExist(t *testing.T) {
	r := recorded(t, "Model A")
	doc := Describe(r.Compute())
	doc.Plots = []report.Plot{{File: "idle.png"}}
	rounds := efficiency.Table(nil)
	rounds.Name = "rounds"
	timed := steady.Table([]*steady.Result{{Latency: "mean"}})
	tables := append(slices.Clone(doc.Tables), rounds, timed, efficiency.LatencyTable(nil), limits.Table(nil), record.Table(nil), record.MarksTable(nil), idle.StatesTable(nil),
		inrush.SpreadTable(nil), saturation.Table(nil), saturation.ShareTable(nil), scaling.Table(nil),
		demand.Table(nil), recovery.Table(nil))
	for _, chosen := range []map[string][]string{steadyColumns(briefColumns(), tables), steadyColumns(pageColumns(), tables)} {
		for name, columns := range chosen {
			i := slices.IndexFunc(tables, func(t *analysis.Table) bool { return t.Name == name })
			if i < 0 {
				t.Errorf("there is no table %q", name)
				continue
			}
			for _, column := range columns {
				if tables[i].Col(column) < 0 {
					t.Errorf("table %s has no column %q", name, column)
				}
			}
		}
	}
	brief := Brief(doc)
	if len(brief.Tables) != 3 || len(brief.Plots)+len(brief.Conditions) != 0 || len(doc.Plots)*len(doc.Conditions) == 0 {
		t.Errorf("brief has %d tables, %d plots, %d conditions", len(brief.Tables), len(brief.Plots), len(brief.Conditions))
	}
	var out bytes.Buffer
	if err := report.Terminal(&out, brief, 120); err != nil || !strings.Contains(out.String(), "5.818") {
		t.Errorf("the terminal shows (%v)\n%s", err, out.String())
	}
}

// A drive may call itself what it likes: it is text in the page, in Markdown and on the
// pictures, and moves no file.
func TestHostileDriveName(t *testing.T) {
	const hostile = `<script>alert(1)</script> ![x](http://e.example/x.png) ../../etc`
	r := recorded(t, hostile)
	if _, err := Write(r.Dir, r.Compute()); err != nil {
		t.Fatal(err)
	}
	page := read(t, r.Dir, "report.html")
	if strings.Contains(page, "<script>alert") || !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the drive's name is markup in report.html")
	}
	if md := read(t, r.Dir, "report.md"); strings.Contains(md, "![x](http") || strings.Contains(md, "<script>") {
		t.Error("the drive's name is markup in report.md")
	}
	if got := len(files(t, r.Dir)); got != 15 {
		t.Errorf("%d files, want 15", got)
	}
}

// A run that failed before its first sample still leaves a report. It says what
// happened, that there were no samples, and draws nothing.
func TestRunWithoutSamples(t *testing.T) {
	m := resultstest.Meta()
	m.Drive = results.Drive{}
	m.Run.FioVersion = ""
	r := resultstest.Record(t, m)
	r.Step("idle", "idle", 1, 3, nil)
	d := r.Compute()
	d.Run.Outcome, d.Run.Why = results.Failed, "module on /dev/ttyUSB0: port unplugged"
	doc, err := Write(r.Dir, d)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Tables)+len(doc.Plots)+len(doc.Summary) != 0 {
		t.Errorf("%d tables, %d plots, %d headlines of nothing", len(doc.Tables), len(doc.Plots), len(doc.Summary))
	}
	md := read(t, r.Dir, "report.md")
	for _, part := range []string{
		"drive on QTL1: demo (failed)", "this run is failed: module on /dev/ttyUSB0: port unplugged", "no alignment: there are no samples",
		"there are no samples of this time",
	} {
		if !strings.Contains(strings.ReplaceAll(md, `\`, ""), part) {
			t.Errorf("report.md does not say %q:\n%s", part, md)
		}
	}
	if Sampling(d) != "no samples" {
		t.Errorf("sampling is %q", Sampling(d))
	}
}

// A picture that cannot be drawn is named, and everything else is written: here the
// samples of an idle step are gone.
func TestPictureThatCannotBeDrawn(t *testing.T) {
	r := recorded(t, "Model A")
	d := r.Compute()
	d.Idles[0].StartMonoNs += 3600e9
	d.Idles[0].EndMonoNs += 3600e9
	doc, err := Write(r.Dir, d)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(doc.Warnings, func(w analysis.Warning) bool { return w.Code == "no_picture" }); i < 0 || !strings.Contains(doc.Warnings[i].Text, "Idle power") {
		t.Errorf("warnings %v name no picture", doc.Warnings)
	}
	if got := len(files(t, r.Dir)); got != 14 {
		t.Errorf("%d files, want all but one", got)
	}
}
