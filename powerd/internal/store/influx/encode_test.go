package influx

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	lp "github.com/influxdata/line-protocol"

	"powerd/powerd/internal/store"
)

// A whole number first, a fraction later, then zero: all are written as floats,
// so the first does not fix the field to whole numbers.
func TestWholeNumberThenFraction(t *testing.T) {
	f, err := os.Open("testdata/whole_then_fraction.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/whole_then_fraction.lp")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, row := range rows[1:] {
		ns, err1 := strconv.ParseInt(row[0], 10, 64)
		watts, err2 := strconv.ParseFloat(row[1], 64)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		got.WriteString(line(t, store.Point{
			Measurement: "power", Tags: []store.Tag{{Name: "rail", Value: "5V"}, {Name: "module", Value: "M1"}},
			Fields: []store.Field{store.Float("watts", watts)}, TimeNs: ns,
		}))
	}
	if got.String() != string(want) {
		t.Errorf("got:\n%swant:\n%s", got.String(), want)
	}
}

// Counts are whole numbers of 64 bits, marked so.
func TestCounts(t *testing.T) {
	got := line(t, store.Point{
		Measurement: "m", Tags: []store.Tag{{Name: "run", Value: "r"}}, TimeNs: 1,
		Fields: []store.Field{store.Int("n", 0), store.Int("big", math.MaxInt64)},
	})
	if want := "m,run=r n=0i,big=9223372036854775807i 1\n"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

// Model names with spaces, commas and equals signs, and serial numbers with a
// slash, come through a parser as they were. A final backslash is replaced by its
// stand-in, a line end by a space, and an empty tag is left out.
func TestTagsRoundTrip(t *testing.T) {
	text, err := os.ReadFile("testdata/tags.json")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	given["remark"], given["none"] = "a\nb", ""
	want := map[string]string{
		"module": "bench 3, left", "model": "ACME=X1 4TB U.2", "note": "path C:⧵", "serial": "S/N 00 12", "remark": "a b",
	}
	var tags []store.Tag
	for name, value := range given {
		tags = append(tags, store.Tag{Name: name, Value: value})
	}
	_, got, _ := parse(t, line(t, store.Point{Measurement: "m", Tags: tags, Fields: []store.Field{store.Float("v", 1)}, TimeNs: 1}))
	if len(got) != len(want) {
		t.Errorf("tags %q", got)
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s = %q; want %q", name, got[name], w)
		}
	}
}

// Names that a server would take for something else, and points that it would
// refuse, with the whole batch around them.
func TestNamesThatAreRefused(t *testing.T) {
	field := []store.Field{store.Float("time", 1), store.Float("a b", 2)}
	got := line(t, store.Point{Measurement: "#my, m=1", Tags: []store.Tag{{Name: "time", Value: "x"}}, Fields: field, TimeNs: 3})
	if want := `my\,\ m=1,time_=x time_=1,a\ b=2 3` + "\n"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	tag := []store.Tag{{Name: "run", Value: "r"}}
	for name, p := range map[string]store.Point{
		"no measurement": {Measurement: "##", Tags: tag, Fields: field},
		"no tag":         {Measurement: "m", Tags: []store.Tag{{Name: "run"}}, Fields: field},
		"no field":       {Measurement: "m", Tags: tag},
	} {
		if l, err := encode(p); err == nil {
			t.Errorf("%s: encoded as %q", name, l)
		}
	}
}

// Lines are cut into batches of at most so many points; a message names what is
// in them.
func TestBatches(t *testing.T) {
	lines := []string{"a,x=1 v=1 1\n", "a,x=1 v=1 2\n", "b,x=1 v=1 1\n"}
	got := batches(lines, 2)
	if len(got) != 2 || got[0].Points != 2 || got[0].Lines != lines[0]+lines[1] || got[1].Points != 1 || got[1].Lines != lines[2] {
		t.Errorf("batches %+v", got)
	}
	if got := measurements(strings.Join(lines, "")); got != "a, b" {
		t.Errorf("measurements %q; want a, b", got)
	}
}

// FuzzEncode: whatever the words, one point is one line, and a parser reads it
// back as it was cleaned.
func FuzzEncode(f *testing.F) {
	f.Add("powerd_step", "drive", "ACME=X1 4TB, U.2", "mean_w", 1.5, int64(1))
	f.Add("#", "time", `\`, "time", math.NaN(), int64(-1))
	f.Add("a\nb", "", "a\tb", "\xff", 0.0, int64(math.MaxInt64))
	f.Add(`m\`, `k\`, `\ \,\=`, `"`, 1e300, int64(0))
	f.Fuzz(func(t *testing.T, name, tag, value, field string, v float64, ns int64) {
		points, _ := store.Clean([]store.Point{{
			Measurement: name, Tags: []store.Tag{{Name: "run", Value: "r"}, {Name: tag, Value: value}},
			Fields: []store.Field{store.Float("x", v), store.Int("n_"+field, 1)}, TimeNs: ns,
		}})
		l, err := encode(points[0])
		if err != nil {
			return // refused in words
		}
		if strings.Count(l, "\n") != 1 || !strings.HasSuffix(l, "\n") || strings.HasPrefix(l, "#") {
			t.Fatalf("%q is not one line", l)
		}
		if strings.Contains(l, `\`) || tag == "" || tag == "run" {
			return // the parser at hand reads backslashes otherwise than servers do
		}
		gotName, tags, fields := parse(t, l)
		if want := strings.TrimLeft(clean(name), "#"); gotName != want {
			t.Errorf("measurement %q; want %q", gotName, want)
		}
		if want := clean(value); tags[key(tag)] != want {
			t.Errorf("tag %q; want %q", tags[key(tag)], want)
		}
		if !math.IsNaN(v) && !math.IsInf(v, 0) && fields["x"] != v {
			t.Errorf("field %v; want %v", fields["x"], v)
		}
	})
}

func line(t *testing.T, p store.Point) string {
	t.Helper()
	l, err := encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// parse reads one line with a parser that is not ours.
func parse(t *testing.T, l string) (name string, tags map[string]string, fields map[string]any) {
	t.Helper()
	metrics, err := lp.NewParser(lp.NewMetricHandler()).Parse([]byte(l))
	if err != nil || len(metrics) != 1 {
		t.Fatalf("%q reads as %d points: %v", l, len(metrics), err)
	}
	tags, fields = map[string]string{}, map[string]any{}
	for _, tag := range metrics[0].TagList() {
		tags[tag.Key] = tag.Value
	}
	for _, f := range metrics[0].FieldList() {
		fields[f.Key] = f.Value
	}
	return metrics[0].Name(), tags, fields
}

// BenchmarkEncode encodes one second of live summaries of two rails.
func BenchmarkEncode(b *testing.B) {
	run := store.Run{ID: "r", Suite: "demo", Drive: "Model A", DriveSerial: "SN 1", Module: "QTL1999-01-001"}
	var rails []store.Rail100ms
	for i := range int64(20) {
		s := store.Stats{Min: 4.912345, Mean: 5.0123456, Max: 5.1234, Std: 0.0123}
		rails = append(rails, store.Rail100ms{EndNs: i, Rail: "5v", Step: "idle", N: 1562, V: s, A: s, W: s})
	}
	start := time.Now()
	for b.Loop() {
		if _, _, err := encodeAll(run.RailPoints(rails)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(rails))/time.Since(start).Seconds(), "points/s")
}
