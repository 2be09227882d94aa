package plots_test

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/plots"
)

// points returns a waveform of single samples, a second apart.
func points(step float64, values ...float64) *analysis.Waveform {
	return &analysis.Waveform{Name: "total_w", Label: "Total power", Unit: "W", StepS: step, Min: values, Mean: values, Max: values}
}

// svg returns the picture as text, in which labels and notes can be found.
func svg(t *testing.T, p *plots.Picture, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Encode(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func idle(t *testing.T, w *analysis.Waveform) string {
	t.Helper()
	p, err := plots.IdleTrace([]*analysis.Waveform{w}, nil, nil, plots.Footer{})
	return svg(t, p, err)
}

// NaN and both infinities among 1, 2 and 3 W: three points are left out, the note
// says so, and the axis holds 1 … 3 W, not zero and not infinity.
func TestBadPointsAreLeftOut(t *testing.T) {
	got := idle(t, points(1, 1, math.NaN(), 2, math.Inf(1), math.Inf(-1), 3))
	for _, want := range []string{"3 of 6 points left out", ">1.0<", ">3.0<"} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	for _, never := range []string{"NaN", "Inf", ">0.0<", ">4.0<"} {
		if strings.Contains(got, never) {
			t.Errorf("the picture shows %q", never)
		}
	}
}

// A flat line, a single sample, and two samples at the same time are drawn; the
// value can be read.
func TestFlatAndShortTraces(t *testing.T) {
	for what, w := range map[string]*analysis.Waveform{
		"five equal values":       points(1, 24.6, 24.6, 24.6, 24.6, 24.6),
		"one sample":              points(1, 24.6),
		"one sample of no length": points(0, 24.6),
		"two at the same time":    points(0, 24.6, 24.6),
	} {
		if got := idle(t, w); !strings.Contains(got, "constant at 24.60 W") || !strings.Contains(got, ">24") {
			t.Errorf("%s: the value cannot be read", what)
		}
	}
	if got := idle(t, points(1, 0, 0)); !strings.Contains(got, "constant at 0.000 W") {
		t.Error("two zeros: the value cannot be read")
	}
}

// Nothing to draw is an error that names what is missing and the window, and
// leaves no file.
func TestNoData(t *testing.T) {
	nan := math.NaN()
	window := points(1, nan, nan, nan)
	window.StartS = 3600
	_, err := plots.IdleTrace([]*analysis.Waveform{window}, nil, nil, plots.Footer{})
	if !errors.Is(err, plots.ErrNoData) || !strings.Contains(err.Error(), "Total power has no sample in the window from 3600 s to 3603 s") {
		t.Errorf("no samples: %v", err)
	}
	for what, make := range map[string]func() (*plots.Picture, error){
		"an empty trace": func() (*plots.Picture, error) {
			return plots.IdleTrace([]*analysis.Waveform{points(1)}, nil, nil, footer())
		},
		"no traces": func() (*plots.Picture, error) { return plots.PowerUp(nil, nil, footer()) },
		"a nil trace": func() (*plots.Picture, error) {
			return plots.IdleTrace([]*analysis.Waveform{nil}, nil, nil, footer())
		},
		"no current":        func() (*plots.Picture, error) { return plots.PowerUp(idleWaves(1, 9), nil, footer()) },
		"no rounds":         func() (*plots.Picture, error) { return plots.Rounds(idleWaves(1, 9), nil, nil, footer()) },
		"rounds, no power":  func() (*plots.Picture, error) { return plots.Rounds(nil, idleWaves(1, 9)[0], nil, footer()) },
		"an empty matrix":   func() (*plots.Picture, error) { return plots.Matrix(&analysis.Table{}, plots.MatrixLabels{}, footer()) },
		"no bars":           func() (*plots.Picture, error) { return plots.Bars(nil, plots.BarLabels{}, footer()) },
		"withheld bars":     func() (*plots.Picture, error) { return plots.Bars(withheldMatrix(), plots.BarLabels{}, footer()) },
		"a withheld matrix": func() (*plots.Picture, error) { return plots.Matrix(withheldMatrix(), plots.MatrixLabels{}, footer()) },
	} {
		if p, err := make(); !errors.Is(err, plots.ErrNoData) || p != nil {
			t.Errorf("%s: picture %v, error %v", what, p, err)
		}
	}
}

// Where nobody knows what was done there is power alone, and no second axis that stands
// at nought.
func TestPowerWithoutWork(t *testing.T) {
	p, err := plots.PowerAndIOPS(idleWaves(1, 9), nil, nil, footer())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "power.svg")
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(svg), "IOPS") || !strings.Contains(string(svg), "Power (W)") {
		t.Errorf("%v; the picture speaks of IOPS, or not of power", err)
	}
}

// Bars carry their figures, and say what is withheld; what is not there is a dash. Pictures
// that belong together end their scale where the longest bar of all does.
func TestBarsSayTheirFigures(t *testing.T) {
	p, err := plots.Bars(twoDrives(), plots.BarLabels{Title: "IOPS per milliwatt", Unit: "IOPS/mW"}, footer())
	got := svg(t, p, err)
	for _, want := range []string{"15.30 ± 0.40", "24.1 ± 3.9", ">withheld<", ">–<", "12.25", "A: Seagate 1200 400 GB", "B: Toshiba PX02SM", ">IOPS/mW<", "randrw-4k-r35-qd32"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the picture", want)
		}
	}
	if most := plots.MostOf(twoDrives(), nothingButNegative()); most != 24.1+3.9 {
		t.Errorf("the scale ends at %g, want 28", most)
	}
	if most := plots.MostOf(nothingButNegative()); most != 0 {
		t.Errorf("the scale of a bar to the left ends at %g", most)
	}
	p, err = plots.Bars(nothingButNegative(), plots.BarLabels{Title: "x", Unit: "W"}, footer())
	if got := svg(t, p, err); !strings.Contains(got, "-1.50") {
		t.Error("a bar to the left has no figure")
	}
}

func nothingButNegative() *analysis.Table {
	return &analysis.Table{
		Columns: []analysis.Column{{Name: "cell", Kind: analysis.Key}, {Name: "a", Head: "A"}},
		Rows:    []analysis.Row{{Cells: []analysis.Cell{analysis.Word("x"), analysis.ValU(-1.5, 0.25)}}},
	}
}

func withheldMatrix() *analysis.Table {
	return &analysis.Table{
		Columns: []analysis.Column{{Name: "qd", Kind: analysis.Key}, {Name: "x"}},
		Rows:    []analysis.Row{{Cells: []analysis.Cell{analysis.Word("1"), analysis.No("no samples")}}},
	}
}

// A rail without a sample does not take the others' picture away; it is named.
func TestOneRailMissing(t *testing.T) {
	waves := idleWaves(30, 100)
	for i := range waves[1].Mean {
		waves[1].Mean[i] = math.NaN()
	}
	p, err := plots.IdleTrace(waves, nil, nil, footer())
	got := svg(t, p, err)
	if !strings.Contains(got, "12 V power: no sample in the window from 0 s to 30 s") || !strings.Contains(got, ">Total<") {
		t.Error("the missing rail is not named, or the others are not drawn")
	}
}

// A trace whose parts disagree is broken input: an error, not a panic.
func TestBrokenInput(t *testing.T) {
	short := points(1, 1, 2, 3)
	short.Max = short.Max[:2]
	backwards := points(-1, 1, 2)
	for what, w := range map[string]*analysis.Waveform{"maxima missing": short, "time runs backwards": backwards} {
		if _, err := plots.IdleTrace([]*analysis.Waveform{w}, nil, nil, footer()); err == nil || errors.Is(err, plots.ErrNoData) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	ragged := efficiencyMatrix()
	ragged.Rows[0].Cells = ragged.Rows[0].Cells[:2]
	if _, err := plots.Matrix(ragged, plots.MatrixLabels{}, footer()); err == nil {
		t.Error("a row with too few cells was drawn")
	}
}

// A file appears whole or not at all, and no temporary one stays.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	p, err := plots.IdleTrace(idleWaves(30, 100), idleStats(), nil, footer())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.png", "a.svg"} {
		if err := p.Save(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || img.Width != 1536 {
		t.Errorf("width %d, error %v; want 1536 pixels", img.Width, err)
	}
	if err := p.Save(filepath.Join(dir, "a.gif")); err == nil || !strings.Contains(err.Error(), "neither png nor svg") {
		t.Errorf("gif: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "b.png"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := p.Save(filepath.Join(dir, "b.png")); err == nil {
		t.Error("a folder was replaced by a picture")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 3 {
		t.Errorf("files left: %v, %v; want a.png, a.svg and the folder", left, err)
	}
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".tmp-*")); len(hidden) > 0 {
		t.Errorf("temporary files left: %v", hidden)
	}
}

// The picture says where it comes from, and that it was simulated.
func TestFooterAndBadge(t *testing.T) {
	p, err := plots.IdleTrace(idleWaves(30, 100), nil, nil, footer())
	got := svg(t, p, err)
	for _, want := range []string{
		"SIMULATED · SCALED 1:4", "Seagate ST400FM0053", "firmware 0004", "module QTL1999-05-001",
		"suite demo", "sampling 4 µs", "start 2026-11-30 20:14:05 UTC", "run r-7f3a",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	p, err = plots.IdleTrace(idleWaves(30, 100), nil, nil, plots.Footer{Drive: "X"})
	if got := svg(t, p, err); strings.Contains(got, "SIMULATED") || strings.Contains(got, "firmware") {
		t.Error("a mark or a field that was not given is shown")
	}
}

// Characters that the font does not have become question marks instead of nothing,
// and markup stays text.
func TestForeignNames(t *testing.T) {
	p, err := plots.IdleTrace(idleWaves(30, 100), nil, nil, plots.Footer{Drive: "希捷 <script>\n1200"})
	got := svg(t, p, err)
	if strings.Contains(got, "<script>") || !strings.Contains(got, "?? &lt;script&gt;?1200") {
		t.Error("the drive's name is not shown as harmless text")
	}
}

// The time axis counts from the run's start, so the zone of the machine is never
// in the picture.
func TestTimeZoneDoesNotMatter(t *testing.T) {
	draw := func(zone string) string {
		t.Setenv("TZ", zone)
		p, err := plots.IdleTrace(idleWaves(30, 100), nil, nil, footer())
		return svg(t, p, err)
	}
	if draw("Asia/Tokyo") != draw("UTC") {
		t.Error("the picture depends on TZ")
	}
}

// A waveform wider than the frame keeps its peak: column 1234 of 100,000 reaches
// 9 W, so the axis must hold 9 W although every other value is 1 W.
func TestReductionKeepsPeaks(t *testing.T) {
	const n = 100_000
	w := points(1e-3)
	for range n {
		w.Mean = append(w.Mean, 1)
	}
	w.Min = w.Mean
	w.Max = append([]float64(nil), w.Mean...)
	w.Max[1234] = 9
	got := idle(t, w)
	if !strings.Contains(got, ">9<") && !strings.Contains(got, ">8<") {
		t.Error("the peak is not on the axis")
	}
	if size := len(got); size > 400_000 {
		t.Errorf("the picture has %d bytes: it was not reduced", size)
	}
}

// One picture may be drawn while another is: nothing is shared.
func TestConcurrentPictures(t *testing.T) {
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			p, err := plots.IdleTrace(idleWaves(30, 100), idleStats(), nil, footer())
			svg(t, p, err)
		})
	}
}

func BenchmarkWaveform1600(b *testing.B) {
	waves, limits, foot := startUpWaves(4, 1600), startLimits(), footer()
	for b.Loop() {
		p, err := plots.PowerUp(waves, limits, foot)
		if err != nil {
			b.Fatal(err)
		}
		var out bytes.Buffer
		if err := p.Encode(&out, "png"); err != nil {
			b.Fatal(err)
		}
	}
}

// What a reader must know of a picture is never cut off: a note that is wider than the
// page goes on in the next line, to its last word, and the picture grows by that.
func TestLongNoteIsWholeOnThePicture(t *testing.T) {
	note := "±: half-width of the 95 % interval of the long-run value of the state that the window shows, as far as it tells: scatter of IOs and power together, " +
		"borders, lost samples, and the module's accuracy, which is the same in all cells of a run: u95_scatter_rel leaves it out. Changes slower than the window are not in it"
	table := efficiencyMatrix()
	height := func() (text string, h float64) {
		p, err := plots.Matrix(table, plots.MatrixLabels{Title: "IOPS per milliwatt", Unit: "IOPS/mW"}, footer())
		text = svg(t, p, err)
		_, after, _ := strings.Cut(text, `height="`)
		after, _, _ = strings.Cut(after, "pt")
		if h, err = strconv.ParseFloat(after, 64); err != nil {
			t.Error(err)
		}
		return text, h
	}
	_, before := height()
	table.Notes = []string{note}
	text, after := height()
	for word := range strings.FieldsSeq(note) {
		if !strings.Contains(strings.NewReplacer("&#39;", "'", "&apos;", "'").Replace(text), word) {
			t.Errorf("%q is not on the picture", word)
		}
	}
	if strings.Contains(text, "…") || !(after > before) {
		t.Errorf("it is cut, or the picture of %g pt has not grown (%g)", before, after)
	}
}

// The colours of one row with 2.4 and 2.92 reach from 2.19 (three quarters of the highest)
// to 2.92. On so short a bar the only round value is 2.5: its ends are named instead.
func TestShortColourBarNamesItsEnds(t *testing.T) {
	table := &analysis.Table{
		Columns: []analysis.Column{{Name: "rw", Kind: analysis.Key}, {Name: "a", Digits: 2}, {Name: "b", Digits: 2}},
		Rows:    []analysis.Row{{Cells: []analysis.Cell{analysis.Word("randread"), analysis.Val(2.4), analysis.Val(2.92)}}},
	}
	p, err := plots.Matrix(table, plots.MatrixLabels{Title: "x", Unit: "IOPS/mW"}, footer())
	got := svg(t, p, err)
	for _, want := range []string{">2.19<", ">2.92<"} {
		if !strings.Contains(got, want) {
			t.Errorf("the bar lacks %s", want)
		}
	}
}

// Between two steps the stream is set anew: 2 of 9 points of each rail have no samples.
// That is told once, with what it comes from.
func TestTimeBetweenStepsIsToldOnce(t *testing.T) {
	waves := idleWaves(1, 9)
	for _, w := range waves {
		for i := 3; i < 5; i++ {
			w.Mean[i] = math.NaN()
		}
	}
	p, err := plots.PowerAndIOPS(waves, nil, nil, footer())
	got := svg(t, p, err)
	if n := strings.Count(got, "2 of 9 points without samples, as before the first and between two steps"); n != 1 || strings.Contains(got, "left out") {
		t.Errorf("it is told %d times", n)
	}
}
