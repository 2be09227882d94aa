package comparison

import (
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/analysis/compare"
	"powerd/powerd/internal/publish"
	"powerd/powerd/internal/report"
)

// beside returns the matrices that are shown run beside run: IOPS/mW of random cells, and
// MB/s/mW of the others.
func (c *Comparison) beside() []*analysis.Table {
	return append(c.BesideTables("iops_per_mw", true), c.BesideTables("mb_per_s_per_mw", false)...)
}

// Report is the comparison without its pictures.
func (c *Comparison) Report() *report.Doc {
	doc := &report.Doc{
		Title: c.title(), Subtitle: c.subtitle(), Simulated: c.simulated(), Scale: c.scale(), Headlines: c.headlines(), Lead: "compare_conditions",
		Columns: c.columns(), Words: words(), Warnings: c.Warnings,
	}
	doc.LeadWord = "Conditions"
	doc.Tables = append(doc.Tables, conditionTable(c.Conditions, c.subjects, true), c.BuyersTable(c.Buyers, c.Economics))
	doc.Tables = append(doc.Tables, c.beside()...)
	doc.Tables = append(doc.Tables, c.CellTables()...)
	doc.Tables = append(doc.Tables, c.OtherTables()...)
	for _, t := range []*analysis.Table{c.MissingTable(), conditionTable(c.Conditions, c.subjects, false)} {
		if len(t.Rows) > 0 {
			doc.Tables = append(doc.Tables, t)
		}
	}
	for _, r := range c.Runs {
		doc.Footer = append(doc.Footer, r.Label+": run "+r.RunID)
	}
	return doc
}

// Brief is what a terminal shows: without the matrices, of which the lists hold every
// cell, and without what is alike.
func (c *Comparison) Brief() *report.Doc {
	doc := c.Report()
	var tables []*analysis.Table
	for _, t := range doc.Tables {
		switch {
		case strings.HasPrefix(t.Name, "beside_"), t.Name == "compare_common", t.Name == "compare_latency_mean_us", t.Name == "compare_mb_per_s":
			continue
		case t.Name == "compare_conditions": // the runs' names are as long as a line
			t.Rows = slices.DeleteFunc(t.Rows, func(r analysis.Row) bool { return r.Cells[0].Text == runName })
		}
		tables = append(tables, t)
	}
	doc.Tables = tables
	return doc
}

func (c *Comparison) title() string {
	names := make([]string, len(c.Runs))
	for i, r := range c.Runs {
		names[i] = r.Label + " " + r.Drive
	}
	return strings.Join(names, ", ")
}

func (c *Comparison) subtitle() string {
	if c.OneModule {
		return "One module read all runs: what its readings have in common drops out of the ± of a ratio"
	}
	return "The ± of two figures adds up as root of squares, the module's part too: of one module it is wider than need be (--one-module)"
}

func (c *Comparison) simulated() bool {
	for _, r := range c.Runs {
		if r.Simulated {
			return true
		}
	}
	return false
}

// scale is that of the runs; where they differ, each with its label.
func (c *Comparison) scale() string {
	var texts []string
	of := map[string][]string{}
	for _, s := range c.subjects {
		text := publish.Scale(s.Document)
		if of[text] == nil {
			texts = append(texts, text)
		}
		of[text] = append(of[text], s.Label)
	}
	if len(texts) == 1 {
		return texts[0]
	}
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, strings.Join(of[text], ", ")+": "+text)
		}
	}
	return strings.Join(all, "; ")
}

// headlines say first what differs beside the drive, then what the verdicts come to.
func (c *Comparison) headlines() []string {
	first := "Beside the drive nothing differs of what the results tell."
	if names := differing(c.Conditions); len(names) > 0 {
		first = "Beside the drive these differ: " + strings.Join(names, ", ") + "."
	}
	last := "Ratios are over " + c.Runs[0].Label + ". No difference: |Δ| is not above the combined ±. Where nothing differs, one verdict in twenty is higher or lower by chance."
	return append(append([]string{first}, c.Headlines()...), last)
}

// columns are those of the cells that pages show: the name says the workload.
func (c *Comparison) columns() map[string][]string {
	out := map[string][]string{}
	for _, t := range c.CellTables() {
		shown := []string{"cell", "state"}
		for _, col := range t.Columns {
			if col.Kind != analysis.Key {
				shown = append(shown, col.Name)
			}
		}
		out[t.Name] = shown
	}
	return out
}

func words() []report.KV {
	return []report.KV{
		{Key: "ratio", Value: "the figure of one run over that of the first; its ± holds that of both"},
		{Key: compare.NoDifference, Value: "the difference is not above the combined ±: these runs do not show one, which does not show that there is none"},
		{Key: compare.NotJudged, Value: "a ± is not known, a figure is withheld, or the two are not of the same thing"},
		{Key: "cell", Value: "a workload as fio takes it: pattern, block size, share of reads (r), jobs (j), queue depth (qd), demand (d)"},
		{Key: "state", Value: "steady if a steady-state rule said so; cells of different states are not compared"},
	}
}
