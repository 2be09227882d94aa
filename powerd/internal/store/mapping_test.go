package store_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/storetest"
)

// show writes a point as text: measurement, tags, fields (a count with an i), ns.
func show(p store.Point) string {
	var b strings.Builder
	b.WriteString(p.Measurement)
	for _, t := range p.Tags {
		if t.Value != "" {
			fmt.Fprintf(&b, "\n  %s = %s", t.Name, t.Value)
		}
	}
	for _, f := range p.Fields {
		if n, isInt := f.Value().(int64); isInt {
			fmt.Fprintf(&b, "\n  %s: %di", f.Name(), n)
		} else {
			fmt.Fprintf(&b, "\n  %s: %v", f.Name(), f.Value())
		}
	}
	fmt.Fprintf(&b, "\n  @ %d", p.TimeNs)
	return b.String()
}

// A cell of the workload matrix: words and parameters become tags, quantities
// floats with their uncertainty, counts whole numbers. The run began at monotonic
// 5 s; the window ends at 15 s, so the point stands 10 s after the run's start.
// The remark is left out. In the second cell power is withheld: no field.
func TestEfficiencyTable(t *testing.T) {
	run := storetest.Drive("run-1", "Model A", "SN1")
	const tags = `powerd_step
  run = run-1
  suite = demo
  bench = bench 1
  drive = Model A
  drive_serial = SN1
  firmware = 0003
  module = QTL1999-01-001
  simulated = yes
  step = randread-4k-qd%s
  rw = randread
  bs = 4096
  read_pct = 100
  qd = %[1]s
  jobs = 1
  state = not_judged
`
	want := []string{
		fmt.Sprintf(tags, "1") + `  ios: 50000i
  iops: 10000
  mean_w: 0.5
  mean_w_u95: 0.01
  iops_per_mw: 20
  iops_per_mw_u95: 0.05
  @ 1790000010000000000`,
		fmt.Sprintf(tags, "32") + `  ios: 137500i
  iops: 27500
  @ 1790000020000000000`,
	}
	for i, p := range run.TablePoints(storetest.Efficiency(20)) {
		if got := show(p); got != want[i] {
			t.Errorf("row %d:\n%s\nwant:\n%s", i, got, want[i])
		}
	}
}

// Tables and the measurements that they become. A table that nobody knows yet
// needs no line in this package.
func TestMeasurementOfTable(t *testing.T) {
	for table, want := range map[string]string{
		"efficiency": "powerd_step", "limits": "powerd_limit", "idle": "powerd_idle", "inrush": "powerd_inrush",
		"housekeeping": "powerd_housekeeping",
	} {
		points := store.Run{ID: "r"}.TablePoints(&analysis.Table{Name: table, Rows: []analysis.Row{{}}})
		if len(points) != 1 || points[0].Measurement != want {
			t.Errorf("table %s becomes %+v; want %s", table, points, want)
		}
	}
}

// A row without a window stands at the run's start. One that names a drive of its
// own is about that drive. A cell that is missing at the row's end is absent.
func TestRowsOfTheirOwn(t *testing.T) {
	table := &analysis.Table{
		Name: "comparison",
		Columns: []analysis.Column{
			{Name: "drive", Kind: analysis.Key}, {Name: "mean_w", Unit: "W"}, {Name: "n", Kind: analysis.Count},
		},
		Rows: []analysis.Row{{Cells: []analysis.Cell{analysis.Word("Model B"), analysis.Val(1.5)}}},
	}
	got := show(store.Run{ID: "r", Drive: "Model A", StartedUTCNs: 42}.TablePoints(table)[0])
	want := "powerd_comparison\n  run = r\n  drive = Model B\n  mean_w: 1.5\n  @ 42"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Live summaries: 100 ms that end 0.1 s after the run's start.
func TestLivePoints(t *testing.T) {
	run := store.Run{ID: "r", StartedUTCNs: 1_790_000_000_000_000_000, StartedMonoNs: 5_000_000_000}
	rail, _ := store.Clean(run.RailPoints(storetest.Rails(5_000_000_000, 1)))
	want := `powerd_rail
  run = r
  rail = 5v
  step = idle
  n: 1562i
  lost: 1i
  min_v: 4.9
  mean_v: 5
  max_v: 5.1
  std_v: 0.01
  min_a: 0.1
  mean_a: 0.2
  max_a: 0.3
  std_a: 0.02
  min_w: 0.5
  mean_w: 1
  max_w: 1.5
  @ 1790000000100000000` // the deviation of the power was not a number: absent
	if got := show(rail[0]); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	want = `powerd_engine
  run = r
  step = randread-4k-qd32
  reads: 1000i
  writes: 0i
  read_bytes: 4096000i
  write_bytes: 0i
  duration_s: 0.1
  @ 1790000000100000000`
	if got := show(run.EnginePoints(storetest.Engines(5_000_000_000, 1))[0]); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Figures that are not finite are left out; a point of nothing else is dropped
// and counted.
func TestClean(t *testing.T) {
	points := []store.Point{
		{Measurement: "a", Fields: []store.Field{store.Float("x", 1), store.Float("y", math.NaN())}},
		{Measurement: "b", Fields: []store.Field{store.Float("x", math.Inf(-1))}},
		{Measurement: "c"},
		{Measurement: "d", Fields: []store.Field{store.Int("n", 0)}},
	}
	kept, dropped := store.Clean(points)
	if len(kept) != 2 || dropped != 2 || len(kept[0].Fields) != 1 || kept[1].Measurement != "d" {
		t.Errorf("kept %+v, dropped %d; want a and d kept, 2 dropped", kept, dropped)
	}
	if len(points[0].Fields) != 2 {
		t.Error("the caller's points were changed")
	}
}

// Ten samples of module M1 within one second and one of M2 at the time of M1's
// first are eleven points, ten and one. Cut to whole seconds they would overwrite
// one another: an error that names the series, not a silent loss.
func TestTenSamplesInASecond(t *testing.T) {
	f, err := os.Open("testdata/ten_in_a_second.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var points []store.Point
	for _, row := range rows[1:] {
		us, err1 := strconv.ParseInt(row[0], 10, 64)
		watts, err2 := strconv.ParseFloat(row[2], 64)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		points = append(points, store.Point{
			Measurement: "power", Tags: []store.Tag{{Name: "module", Value: row[1]}},
			Fields: []store.Field{store.Float("watts", watts)}, TimeNs: us * 1000,
		})
	}
	perModule := map[string]int{}
	for _, p := range points {
		perModule[p.Tags[0].Value]++
	}
	if want := map[string]int{"M1": 10, "M2": 1}; len(points) != 11 || !maps.Equal(perModule, want) {
		t.Errorf("points %v; want %v", perModule, want)
	}
	if err := store.Check(points); err != nil {
		t.Errorf("at full resolution: %v", err)
	}
	inSeconds := slices.Clone(points)
	for i := range inSeconds {
		inSeconds[i].TimeNs -= inSeconds[i].TimeNs % 1_000_000_000
	}
	if err := store.Check(inSeconds); err == nil || !strings.Contains(err.Error(), `module="M1"`) {
		t.Errorf("in whole seconds: %v; want an error that names M1", err)
	}
	for i := range points {
		points[i].Tags = nil // two modules without a tag of their own
	}
	if err := store.Check(points); err == nil {
		t.Error("two modules without a tag of their own pass")
	}
}

// A tag and a field of one name read back under made-up names, so they are
// refused.
func TestTagAndFieldOfOneName(t *testing.T) {
	p := store.Point{
		Measurement: "m", Tags: []store.Tag{{Name: "v", Value: "x"}}, Fields: []store.Field{store.Float("v", 1)},
	}
	if err := store.Check([]store.Point{p}); err == nil || !strings.Contains(err.Error(), `"v"`) {
		t.Errorf("error %v; want one that names v", err)
	}
}

// Peaks over several windows of one power cycle end at one time: the window is
// what tells their series apart, so it is a tag though it is a number.
func TestPeaksOfOneCycle(t *testing.T) {
	table := &analysis.Table{
		Name: "inrush",
		Columns: []analysis.Column{
			{Name: "cycle", Kind: analysis.Count},
			{Name: "rail", Kind: analysis.Key},
			{Name: "window_us", Unit: "µs"},
			{Name: "amps", Unit: "A"},
		},
	}
	for _, us := range []float64{4, 1000} {
		table.Rows = append(table.Rows, analysis.Row{StartNs: 1, EndNs: 2, Cells: []analysis.Cell{
			analysis.Val(1), analysis.Word("5v"), analysis.Val(us), analysis.Val(0.7),
		}})
	}
	points := store.Run{ID: "r"}.TablePoints(table)
	if err := store.Check(points); err != nil {
		t.Error(err)
	}
	want := "powerd_inrush\n  run = r\n  cycle = 1\n  rail = 5v\n  window_us = 1000\n  amps: 0.7\n  @ 2"
	if got := show(points[1]); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
