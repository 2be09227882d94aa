package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"powerd/analysis"
	"powerd/powerd/internal/textfile"
)

// Doc is all that a report shows. Empty parts are left out.
type Doc struct {
	Title, Subtitle string
	Simulated       bool     // the drive was emulated
	Scale           string   // "1:4" where rates were scaled down; empty = not scaled
	Headlines       []string // sentences that stand over the summary
	Summary         []Line
	Conditions      []KV   // drive, module, host, suite …
	Alignment       string // a sentence: method, offset ± U, drift, status
	Tables          []*analysis.Table
	Lead            string              // name of the table that follows the summary
	LeadWord        string              // what the page's index calls it; empty = Datasheet
	Columns         map[string][]string // by a table's name: the columns that pages show; nil = all
	Plots           []Plot
	Words           []KV // what a reader may not know
	Withheld        []analysis.Withheld
	Warnings        []analysis.Warning
	Footer          []string // program version, run id, UTC date …
}

// Line is a headline figure.
type Line struct {
	Label   string // "Idle power, total"
	Figure  analysis.Cell
	Unit    string
	Digits  int    // significant digits; 0 = 4
	Verdict string // "within", "above datasheet", "below datasheet", "inconclusive"; empty = not judged
	Note    string // "datasheet: at most 2.72 W"
}

// Text returns the figure with its unit, or why there is none.
func (l Line) Text() string {
	col := analysis.Column{Digits: l.Digits}
	switch {
	case !l.Figure.Valid && l.Figure.Why != "":
		return analysis.WithheldWord + ": " + l.Figure.Why
	case !l.Figure.Valid || l.Unit == "":
		return col.Format(l.Figure)
	}
	return col.Format(l.Figure) + " " + l.Unit
}

// KV is a condition of the run.
type KV struct{ Key, Value string }

// Plot is a picture of the report.
type Plot struct {
	File    string // base name in the folder plots, "idle.png"
	Title   string
	Caption string
	PNG     []byte // nil = already in the folder
}

// conventions is what a reader must know of all figures.
const conventions = "± is the half-width of the 95 % interval. MB = 10⁶ bytes, KiB = 1024 bytes. " +
	"A withheld figure is one that the samples cannot support."

// Write leaves report.html, report.md, tables/*.csv and the pictures given as bytes
// in dir. A picture that is missing is left out of report.html and named in the
// error; everything else is written.
func (d *Doc) Write(dir string) error {
	var problems []error
	for _, sub := range []string{"tables", "plots"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	put := func(path string, render func(io.Writer) error) {
		var b bytes.Buffer
		if err := render(&b); err != nil {
			problems = append(problems, fmt.Errorf("render %s: %w", path, err))
			return
		}
		if err := textfile.Replace(filepath.Join(dir, path), b.Bytes()); err != nil {
			problems = append(problems, fmt.Errorf("write report: %w", err))
		}
	}
	shown := *d
	shown.Plots = nil
	for _, p := range d.Plots {
		p.File = FileName(strings.TrimSuffix(p.File, ".png")) + ".png"
		path := filepath.Join("plots", p.File)
		if p.PNG != nil {
			put(path, func(w io.Writer) error { _, err := w.Write(p.PNG); return err })
		} else {
			png, err := os.ReadFile(filepath.Join(dir, path))
			if err != nil {
				problems = append(problems, fmt.Errorf("read picture %q: %w", p.Title, err))
				continue
			}
			p.PNG = png
		}
		shown.Plots = append(shown.Plots, p)
	}
	for i, name := range tableFiles(d.Tables) {
		put(filepath.Join("tables", name), func(w io.Writer) error { return CSV(w, d.Tables[i]) })
	}
	put("report.md", func(w io.Writer) error { return Markdown(w, &shown) })
	put("report.html", func(w io.Writer) error { return HTML(w, &shown) })
	return errors.Join(problems...)
}

// tableFiles returns a CSV file name for each table, all different.
func tableFiles(tables []*analysis.Table) []string {
	used := map[string]int{}
	names := make([]string, len(tables))
	for i, t := range tables {
		base := FileName(t.Name)
		used[base]++
		if n := used[base]; n > 1 {
			base += "-" + strconv.Itoa(n)
		}
		names[i] = base + ".csv"
	}
	return names
}

// FileName keeps what is harmless in a file name of s: that of a picture, without
// its ending, or of a table.
func FileName(s string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
	if safe == "" {
		return "table"
	}
	return safe
}
