package comparison

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"powerd/analysis"
	"powerd/analysis/compare"
	"powerd/plots"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
)

// barsAPicture is how many groups one picture has room for.
const barsAPicture = 24

// Write draws the pictures and writes the report into dir. It returns the report.
func (c *Comparison) Write(dir string) (*report.Doc, error) {
	a := &artist{c: c, doc: c.Report()}
	random := func(m *compare.Match) bool { return m.Cell.Random() }
	sequential := func(m *compare.Match) bool { return !m.Cell.Random() }
	every := func(*compare.Match) bool { return true }
	a.cells("iops-per-mw", "IOPS per milliwatt", "iops_per_mw", "IOPS/mW", random)
	a.cells("mb-per-s-per-mw", "MB/s per milliwatt", "mb_per_s_per_mw", "MB/s/mW", sequential)
	a.matrices()
	a.cells("watts", "Mean power", "mean_w", "W", every)
	a.cells("iops", "IOPS", "iops", "IOPS", random)
	a.cells("mb-per-s", "Throughput", "mb_per_s", "MB/s", sequential)
	a.others("idle", "Idle power", c.Idle, "mean_w", "W")
	a.others("start-current", "Peak current at start-up", c.StartUp, "amps", "A")
	return a.doc, a.doc.Write(dir)
}

type artist struct {
	c   *Comparison
	doc *report.Doc
}

// cells draws a quantity of the cells that keep lets pass, on one scale.
func (a *artist) cells(file, title, quantity, unit string, keep func(*compare.Match) bool) {
	var matches []*compare.Match
	for _, m := range a.c.Cells {
		if keep(m) {
			matches = append(matches, m)
		}
	}
	a.bars(file, title, unit, a.c.BarsTable(matches, quantity))
}

func (a *artist) others(file, title string, matches []*compare.Match, quantity, unit string) {
	a.bars(file, title, unit, a.c.BarsTable(matches, quantity))
}

// bars draws a table in as many pictures as it needs, all on one scale.
func (a *artist) bars(file, title, unit string, t *analysis.Table) {
	n := (len(t.Rows) + barsAPicture - 1) / barsAPicture
	for i := range n {
		part := *t
		part.Rows = t.Rows[i*barsAPicture : min(len(t.Rows), (i+1)*barsAPicture)]
		labels := plots.BarLabels{Title: title, Subtitle: "whiskers: half-width of the 95 % interval", Unit: unit, Most: plots.MostOf(t)}
		name := file
		if n > 1 {
			labels.Title += fmt.Sprintf(", %d of %d", i+1, n)
			name += fmt.Sprintf("-%d", i+1)
		}
		p, err := plots.Bars(&part, labels, a.footer())
		a.add(name, labels.Title, "", p, err)
	}
}

// matrices draws those that stand beside one another, on one scale of colours.
func (a *artist) matrices() {
	for _, t := range a.c.beside() {
		title := strings.TrimPrefix(t.Title, t.Columns[1].Unit+", ")
		title = strings.ToUpper(title[:1]) + title[1:]
		p, err := plots.Matrix(t, plots.MatrixLabels{Title: title, ColumnTitle: "Run, and what varies in it", Unit: t.Columns[1].Unit}, a.footer())
		a.add(strings.ReplaceAll(t.Name, "_", "-"), t.Title, "", p, err)
	}
}

func (a *artist) add(file, title, caption string, p *plots.Picture, err error) {
	var b bytes.Buffer
	if err == nil {
		err = p.Encode(&b, "png")
	}
	switch {
	case errors.Is(err, plots.ErrNoData): // the tables say why
	case err != nil:
		a.doc.Warnings = append(a.doc.Warnings, results.Warning{Code: "picture", Text: err.Error()})
	default:
		a.doc.Plots = append(a.doc.Plots, report.Plot{File: file + ".png", Title: title, Caption: caption, PNG: b.Bytes()})
	}
}

// footer names all runs.
func (a *artist) footer() plots.Footer {
	f := plots.Footer{Simulated: a.doc.Simulated, Scale: a.doc.Scale}
	var drives, modules, suites, runs []string
	for _, s := range a.c.subjects {
		drives = append(drives, s.Label+": "+nameOf(s.Document))
		modules = append(modules, s.Label+" "+s.Module.Serial)
		suites = append(suites, s.Label+" "+s.Suite.Name)
		runs = append(runs, s.Label+" "+s.Run.ID)
	}
	f.Drive, f.Module, f.Suite, f.RunID = strings.Join(drives, "; "), strings.Join(modules, ", "), strings.Join(suites, ", "), strings.Join(runs, ", ")
	return f
}
