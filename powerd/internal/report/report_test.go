package report_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"powerd/analysis"
	"powerd/powerd/internal/report"
)

func render(t *testing.T, f func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// equal compares line by line, so that a failure shows the line.
func equal(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("line %d\n got %q\nwant %q", i+1, a, b)
		}
	}
}

// In Markdown every figure has its unit in the heading, its ± beside it, and a
// withheld one the number of its reason. 18.2998 ± 0.0944 is shown to the second
// digit of the uncertainty: 18.300 ± 0.094.
func TestMarkdown(t *testing.T) {
	d := sampleDoc()
	d.Plots = []report.Plot{{File: "idle.png", Title: "Idle power", Caption: "30 s after settling."}}
	equal(t, render(t, func(b *bytes.Buffer) error { return report.Markdown(b, d) }), `# Seagate ST400FM0053, demo

run r-7f3a

**SIMULATED · SCALED 1:4**: these are not figures of a real drive at full rate.

## Summary

| Figure | Value | Note |
|---|---:|---|
| Idle power, total | 2.981 ± 0.014 W | above datasheet (at most 2.72 W) |
| 5 V peak over 100 µs | withheld: needs ≤ 10 µs samples; these are 64 µs |  |
| Best efficiency | 18.300 ± 0.094 IOPS/mW | r100-qd32 |

## Conditions

| | |
|---|---|
| Drive | Seagate ST400FM0053 |
| Module | QTL1999-05-001 |

## Alignment of IO and power

hull + 2 bounds: offset 0.0142 s ± 3.1 ms, status ok.

## Efficiency

| Step | Reads (%) | QD | IOPS | Mean power (W) | Efficiency (IOPS/mW) |
|---|---:|---:|---:|---:|---:|
| r0-qd32 | 0 | 32 | 42,000.0 | 6.000 ± 0.031 | 7.000 ± 0.036 |
| r0-qd8 | 0 | 8 | 41,000.0 | withheld \[1\] | withheld \[1\] |
| r100-qd32 | 100 | 32 | 110,000 | 6.011 ± 0.031 | 18.300 ± 0.094 |
| r100-qd8 | 100 | 8 | 60,000.5 | 5.000 ± 0.030 | 12.000 ± 0.072 |

- \[1\] coverage 97.1 %, 99 % needed
- Ratio of sums over the same window.

[efficiency.csv](tables/efficiency.csv)

## Idle power

![Idle power](plots/idle.png)

30 s after settling.

## Withheld

- inrush.rails.5v.peaks.100us: needs ≤ 10 µs samples; these are 64 µs

## Warnings

- 97.1 % of samples in r0-qd8 (low\_coverage)

---

± is the half-width of the 95 % interval. MB = 10⁶ bytes, KiB = 1024 bytes. A withheld figure is one that the samples cannot support.

powerd 0.1.0 · 2026-11-30 20:14:05 UTC
`)
}

// Programs get full precision, an empty field for what is withheld, the reason in
// the last column, and the window of each row.
func TestCSV(t *testing.T) {
	why := `"mean_w: coverage 97.1 %, 99 % needed; iops_per_mw: coverage 97.1 %, 99 % needed"`
	equal(t, render(t, func(b *bytes.Buffer) error { return report.CSV(b, efficiency()) }),
		`step,read_pct,qd,iops,mean_w,mean_w_u95,iops_per_mw,iops_per_mw_u95,start_mono_ns,end_mono_ns,why
r0-qd32,0,32,42000,6,0.031,7,0.036,1000000000,6000000000,
r0-qd8,0,8,41000,,,,,1000000000,6000000000,`+why+`
r100-qd32,100,32,110000,6.011,0.031,18.2998,0.0944,1000000000,6000000000,
r100-qd8,100,8,60000.5,5,0.03,12.0001,0.0721,1000000000,6000000000,
`)
}

// A terminal of 60 characters is too narrow for the table: it goes on below, with
// the step's name repeated.
func TestTerminal(t *testing.T) {
	equal(t, render(t, func(b *bytes.Buffer) error { return report.Terminal(b, sampleDoc(), 60) }),
		`Seagate ST400FM0053, demo  [SIMULATED · SCALED 1:4]
===================================================

Idle power, total     2.981 ± 0.014 W         above datasheet (at most 2.72 W)
5 V peak over 100 µs  withheld: needs ≤ 10 µs samples; these are 64 µs
Best efficiency       18.300 ± 0.094 IOPS/mW  r100-qd32

Alignment: hull + 2 bounds: offset 0.0142 s ± 3.1 ms, status ok.

Efficiency

  Step       Reads  QD      IOPS     Mean power
                 %                            W
  ---------  -----  --  --------  -------------
  r0-qd32        0  32  42,000.0  6.000 ± 0.031
  r0-qd8         0   8  41,000.0   withheld [1]
  r100-qd32    100  32   110,000  6.011 ± 0.031
  r100-qd8     100   8  60,000.5  5.000 ± 0.030

  Step           Efficiency
                    IOPS/mW
  ---------  --------------
  r0-qd32     7.000 ± 0.036
  r0-qd8       withheld [1]
  r100-qd32  18.300 ± 0.094
  r100-qd8   12.000 ± 0.072
  [1] coverage 97.1 %, 99 % needed
  Ratio of sums over the same window.

Withheld
  inrush.rails.5v.peaks.100us: needs ≤ 10 µs samples; these are 64 µs

Warnings
  97.1 % of samples in r0-qd8 (low_coverage)
`)
}

// hostile is a drive's model name that tries markup, Markdown, a terminal command
// and a new line.
const hostile = "<script>alert(1)</script> | ![x](http://e.example/x.png) \x1b[2J\r\nZ"

func hostileDoc() *report.Doc {
	d := sampleDoc()
	d.Title, d.Alignment = hostile, hostile
	d.Conditions[0].Value, d.Summary[0].Label, d.Summary[1].Figure.Why = hostile, hostile, hostile
	d.Tables[0].Rows[0].Cells[0], d.Tables[0].Rows[0].Cells[4] = analysis.Word(hostile), analysis.No(hostile)
	d.Tables[0].Title, d.Tables[0].Columns[3].Head, d.Tables[0].Notes[0] = hostile, hostile, hostile
	d.Tables[0].Name = "../../" + hostile
	d.Plots = []report.Plot{{File: "../x.png", Title: hostile, Caption: hostile, PNG: []byte("png")}}
	d.Withheld[0].What, d.Warnings[0].Text, d.Footer[0] = hostile, hostile, hostile
	return d
}

// The page loads nothing from anywhere, holds its pictures, and shows names as
// text: its only elements are those of the template.
func TestHTMLIsSelfContainedAndEscapes(t *testing.T) {
	text := render(t, func(b *bytes.Buffer) error { return report.HTML(b, hostileDoc()) })
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, n := range elements(root) {
		seen[n.Data]++
		for _, a := range n.Attr {
			ref := a.Key == "src" || a.Key == "href" || a.Key == "srcset" || a.Key == "action"
			if ref && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "data:image/png;base64,") {
				t.Errorf("<%s %s=%q> points outside the page", n.Data, a.Key, a.Val)
			}
		}
	}
	for _, never := range []string{"script", "link", "iframe", "object"} {
		if seen[never] > 0 {
			t.Errorf("the page has a <%s>", never)
		}
	}
	if seen["img"] != 1 || seen["table"] != 1 || seen["h1"] != 1 {
		t.Errorf("elements: %v; want one img, table and h1", seen)
	}
	if strings.Contains(text, "url(") || strings.Contains(text, "@import") {
		t.Error("the styles load something")
	}
	if !strings.Contains(text, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Error("the name is not shown as text")
	}
}

// elements returns all elements below n.
func elements(n *html.Node) []*html.Node {
	var out []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			out = append(out, c)
		}
		out = append(out, elements(c)...)
	}
	return out
}

// A withheld cell says so, tells why when pointed at, and has its reason below the
// table; units stand in the heading, ± beside the value.
func TestHTMLTable(t *testing.T) {
	text := render(t, func(b *bytes.Buffer) error { return report.HTML(b, sampleDoc()) })
	for _, want := range []string{
		`<td class="figure withheld" title="coverage 97.1 %, 99 % needed">withheld<sup>1</sup></td>`,
		`<ol class="reasons"><li>coverage 97.1 %, 99 % needed</li></ol>`,
		`<th scope="col" class="figure">Mean power<br><span class="unit">W</span></th>`,
		`<td class="figure">18.300 ± 0.094</td>`,
		`<div class="value">2.981 ± 0.014 <span class="unit">W</span></div>`,
		`<span class="verdict bad">above datasheet</span>`,
		`<span class="badge">SIMULATED · SCALED 1:4</span>`,
		`MB = 10⁶ bytes`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// Read by a Markdown program the hostile names are text, and the table keeps its
// shape: no element comes from a name.
func TestMarkdownEscapes(t *testing.T) {
	text := render(t, func(b *bytes.Buffer) error { return report.Markdown(b, hostileDoc()) })
	var page bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	got := page.String()
	if strings.Contains(got, "<script") || strings.Contains(got, `src="http`) || strings.Contains(got, "raw HTML omitted") {
		t.Error("a name became markup")
	}
	// Summary, conditions and efficiency; four rows of six cells in the last.
	if n := strings.Count(got, "<table>"); n != 3 {
		t.Errorf("%d tables, want 3", n)
	}
	last := got[strings.LastIndex(got, "<tbody>"):]
	if n := strings.Count(last, "<td"); n != 24 {
		t.Errorf("%d cells in the efficiency table, want 24", n)
	}
}

// No control character of a name reaches the terminal or breaks a line there.
func TestTerminalEscapes(t *testing.T) {
	text := render(t, func(b *bytes.Buffer) error { return report.Terminal(b, hostileDoc(), 0) })
	if strings.ContainsAny(text, "\x1b\r") {
		t.Error("a control character reached the terminal")
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "Z") {
			t.Error("a name broke its line")
		}
	}
}

// All files appear under the names that the report links to, and no other. The
// missing picture is reported, everything else is written.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	d := sampleDoc()
	d.Tables = append(d.Tables, efficiency()) // the same name twice
	d.Plots = []report.Plot{
		{File: "idle.png", Title: "Idle", PNG: []byte("not really a png")},
		{File: "gone.png", Title: "Power-up"},
	}
	err := d.Write(dir)
	if err == nil || !strings.Contains(err.Error(), `read picture "Power-up"`) {
		t.Errorf("error %v, want one that names the missing picture", err)
	}
	var files []string
	walk := func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, rel)
		}
		return err
	}
	if err := filepath.WalkDir(dir, walk); err != nil {
		t.Fatal(err)
	}
	want := "plots/idle.png report.html report.md tables/efficiency-2.csv tables/efficiency.csv"
	if got := strings.Join(files, " "); got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !bytes.Contains(page, []byte("data:image/png;base64,bm90IHJlYWxseSBhIHBuZw==")) { // base64 of the text above
		t.Errorf("the page does not hold the picture (%v)", err)
	}
}

// A name that would leave the folder stays in it.
func TestWriteStaysInFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := hostileDoc().Write(dir); err != nil {
		t.Fatal(err)
	}
	above, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(above) != 1 {
		t.Errorf("entries beside the run: %v, %v", above, err)
	}
}

// Whatever the words in a table, CSV reads back with the same number of fields in
// every record.
func FuzzCSV(f *testing.F) {
	f.Add("plain", "why")
	f.Add(hostile, "a,b\"c\n;")
	f.Fuzz(func(t *testing.T, word, why string) {
		table := efficiency()
		table.Rows[0].Cells[0], table.Rows[1].Cells[4] = analysis.Word(word), analysis.No(why)
		var b bytes.Buffer
		if err := report.CSV(&b, table); err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(records) != 1+len(table.Rows) {
			t.Fatalf("%d records, %v", len(records), err)
		}
	})
}

// wordy is a table of words and of a unit that is its column's name.
func wordy() *report.Doc {
	t := &analysis.Table{Name: "limits", Title: "Claims", Columns: []analysis.Column{
		{Name: "what", Head: "Quantity", Kind: analysis.Text}, {Name: "iops", Head: "IOPS", Unit: "IOPS"}, {Name: "why", Head: "Why", Kind: analysis.Text},
	}}
	for _, why := range []string{"closer to the limit than its ±; 78 % that it is above", ""} {
		t.Rows = append(t.Rows, analysis.Row{Cells: []analysis.Cell{analysis.Word("rate"), analysis.Val(5), analysis.Word(why)}})
	}
	return &report.Doc{Title: "x", Tables: []*analysis.Table{t}}
}

// Under a head there is no second line that repeats it, nor an empty one; and words that
// nobody has to say are no figure that is missing.
func TestHeadsOfATerminalTable(t *testing.T) {
	var b strings.Builder
	if err := report.Terminal(&b, wordy(), 0); err != nil {
		t.Fatal(err)
	}
	want := `
  Quantity   IOPS  Why
  --------  -----  -----------------------------------------------------
  rate      5.000  closer to the limit than its ±; 78 % that it is above
  rate      5.000
`
	if !strings.Contains(b.String(), want) {
		t.Errorf("%s\nwant %s", b.String(), want)
	}
}

// On a narrow page the rows of a wordy table are stacked: every cell then carries its
// head. Tables of figures stay as they are.
func TestWordyTableCarriesItsHeads(t *testing.T) {
	var b strings.Builder
	if err := report.HTML(&b, wordy()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<table class="words">`, `<td data-head="IOPS" class="figure">5.000</td>`, `<td data-head="Why" class="long">closer`, `<td data-head="Why" class="none"></td>`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
