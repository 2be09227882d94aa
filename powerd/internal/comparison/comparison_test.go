package comparison

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/analysis/compare"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
)

// released is a document that a released version wrote.
const released = "../results/testdata/results-1.json"

// subjects are the released document and a changed copy of it.
func subjects(t *testing.T, change func(*results.Document)) []*Subject {
	t.Helper()
	var out []*Subject
	for _, label := range []string{"A", "B"} {
		d, err := results.Load(released)
		if err != nil {
			t.Fatal(err)
		}
		if label == "B" && change != nil {
			change(d)
		}
		out = append(out, &Subject{Label: label, Path: label + ".json", Document: d})
	}
	return out
}

func compared(t *testing.T, o Options, change func(*results.Document)) *Comparison {
	t.Helper()
	c, err := Make(subjects(t, change), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A run against itself under another name: every ratio is 1, and nothing differs; and with
// half the idle watts it is lower, by half.
func TestARunAgainstItsCopy(t *testing.T) {
	c := compared(t, Options{OneModule: true}, nil)
	n := 0
	for _, list := range [][]*compare.Match{c.Cells, c.Idle, c.StartUp, c.Saturation} {
		for _, m := range list {
			for _, f := range m.Figures {
				x := f.Against[0]
				if x.Ratio == nil || *x.Ratio != 1 || x.Verdict == compare.Higher || x.Verdict == compare.Lower {
					t.Errorf("%s of %s: %+v", f.Name, m.Name, x)
				}
				if x.Verdict == compare.NoDifference {
					n++
				}
			}
		}
	}
	if n < 20 || len(c.Missing) != 0 {
		t.Errorf("%d figures without a difference, missing %+v", n, c.Missing)
	}
	if names := differing(c.Conditions); len(names) != 0 {
		t.Errorf("these differ: %v", names)
	}
	c = compared(t, Options{}, func(d *results.Document) { *d.Idles[0].Total.MeanW /= 2 })
	total := c.Idle[len(c.Idle)-1]
	if x := total.Figures[0].Against[0]; total.Rail != "total" || *x.Ratio != 0.5 || x.Verdict != compare.Lower {
		t.Errorf("%s: %+v", total.Rail, x)
	}
}

// What differs beside the drive is told, by a name that people know, and a thing that only
// one of the results tells differs, too.
func TestConditionsThatDiffer(t *testing.T) {
	for want, change := range map[string]func(*results.Document){
		"module's serial number":            func(d *results.Document) { d.Module.Serial = "QTL1999-02-002" },
		"module accuracy":                   func(d *results.Document) { d.Module.Calibration.CalDate = "2026-01-01" },
		"suite's SHA-256":                   func(d *results.Document) { d.Suite.SHA256 = "0123456789abcdef" },
		"fio":                               func(d *results.Document) { d.Run.FioVersion = "fio-3.41" },
		"sampling":                          func(d *results.Document) { d.Module.PeriodUs = 128 },
		"simulated":                         func(d *results.Document) { d.Suite.Simulated = false },
		"emulated drive's rates divided by": func(d *results.Document) { d.Drive.TwinScale = 4 },
		"times shortened by":                func(d *results.Document) { d.Suite.Scale = 30 },
		"short form of the suite":           func(d *results.Document) { d.Suite.Trial = true },
		"drive's state in the cells":        func(d *results.Document) { d.Efficiency[0].State = "steady" },
		"commands and purges":               func(d *results.Document) { d.Commands = nil },
		"fixture":                           func(d *results.Document) { d.Bench.Fixture = "riser" },
		"kernel":                            func(d *results.Document) { d.Host.Kernel = "" },
		"zero":                              func(d *results.Document) { d.Bench.Zero = &results.Zero{DateUTC: "2026-01-01"} },
		"power saving of its link":          func(d *results.Document) { d.Drive.LinkPower = "ASPM L1" },
		"outcome":                           func(d *results.Document) { d.Run.Outcome = results.Interrupted },
	} {
		c := compared(t, Options{Simulated: true}, change)
		if names := differing(c.Conditions); len(names) != 1 || names[0] != want {
			t.Errorf("%s: these differ: %q", want, names)
		}
		if first := c.Report().Headlines[0]; !strings.Contains(first, want) {
			t.Errorf("the report begins with %q", first)
		}
	}
	c := compared(t, Options{}, func(d *results.Document) { d.Drive.Firmware = "0005" })
	if names := differing(c.Conditions); len(names) != 0 { // it is what is compared
		t.Errorf("another firmware: these differ: %q", names)
	}
	if table := conditionTable(c.Conditions, c.subjects, true); !strings.Contains(string(must(json.Marshal(table))), "0005") {
		t.Error("the firmware is not shown")
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// An emulated drive is not held against a real one unless that is asked for, nor is one
// module supposed where there were two.
func TestWhatMayNotBeCompared(t *testing.T) {
	for want, c := range map[string]struct {
		o      Options
		change func(*results.Document)
	}{
		"A.json is of an emulated drive and B.json of a real one: --simulated": {Options{}, func(d *results.Document) { d.Suite.Simulated = false }},
		"--one-module: A was measured on module QTL1999-02-001, B on X":        {Options{OneModule: true}, func(d *results.Document) { d.Module.Serial = "X" }},
		"--one-module: module QTL1999-02-001 has another accuracy":             {Options{OneModule: true}, func(d *results.Document) { d.Module.Calibration.GainPct = 0.5 }},
		"accuracy of the module is not told":                                   {Options{OneModule: true}, func(d *results.Document) { d.Module.Calibration = nil }},
		`no cell that the runs have in common is called "x"`:                   {Options{Economics: compare.Economics{Duty: []compare.Share{{Of: "x", Pct: 100}}}}, nil},
	} {
		if _, err := Make(subjects(t, c.change), c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := Make(subjects(t, nil)[:1], Options{}); err == nil {
		t.Error("one run was compared")
	}
}

// A run is a file, its folder, or a name in the folder of runs; the same one twice is a
// slip.
func TestOpen(t *testing.T) {
	root := t.TempDir()
	b, err := os.ReadFile(released)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name, results.File), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	list, err := Open([]string{"one", filepath.Join(root, "two"), released}, root)
	if err != nil || len(list) != 3 || list[2].Label != "C" {
		t.Fatalf("%d subjects, %v", len(list), err)
	}
	for want, names := range map[string][]string{
		"is named twice":           {"one", filepath.Join(root, "one", results.File)},
		`no run is called "three"`: {"one", "three"},
		"once its first step":      {"one", "empty"},
	} {
		if _, err := Open(names, root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", names, err, want)
		}
	}
}

// The report has the pictures of what the runs have, each with a name, and says what is
// simulated; a terminal gets the same without the matrices.
func TestReport(t *testing.T) {
	c := compared(t, Options{}, nil)
	dir := t.TempDir()
	doc, err := c.Write(dir)
	if err != nil || len(doc.Warnings) > len(c.Warnings) {
		t.Fatalf("%v, warnings %+v", err, doc.Warnings)
	}
	for _, name := range []string{
		"report.html", "report.md", "tables/compare_conditions.csv", "tables/compare_buyer.csv", "tables/compare_iops_per_mw.csv", "tables/compare_start.csv",
		"plots/iops-per-mw.png", "plots/watts.png", "plots/idle.png", "plots/start-current.png",
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	var text bytes.Buffer
	if err := report.Terminal(&text, c.Brief(), 120); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"SIMULATED", "What differs", "For who buys them", "no difference", "Ratios are over A"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not said:\n%s", want, text.String())
		}
	}
}

// FuzzMake: whatever two results hold, comparing them ends with a comparison that can be
// printed, or with an error.
func FuzzMake(f *testing.F) {
	b, err := os.ReadFile(released)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, b)
	f.Add([]byte(`{"schema":"powerd.results/1","efficiency":[{"rails":{"5v":{}},"mean_w":0,"iops":0}],"idles":[{}],"inrush":{"cycles":[{"rails":{"5v":{"peaks":[{}]}}}]},"saturation":[{"fresh":{},"last":{}}]}`), b)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var list []*Subject
		for i, text := range [][]byte{a, b} {
			d, err := results.Decode(text)
			if err != nil {
				return
			}
			list = append(list, &Subject{Label: string(rune('A' + i)), Path: "x", Document: d})
		}
		c, err := Make(list, Options{Simulated: true})
		if err != nil {
			return
		}
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
		var text bytes.Buffer
		if err := report.Terminal(&text, c.Brief(), 80); err != nil {
			t.Error(err)
		}
	})
}
