package report

import (
	"fmt"
	"io"
	"strings"

	"powerd/analysis"
)

// Markdown writes the report with its pictures by relative path.
func Markdown(w io.Writer, d *Doc) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", escape(d.Title))
	if d.Subtitle != "" {
		fmt.Fprintf(&b, "\n%s\n", escape(d.Subtitle))
	}
	if badge := analysis.Mark(d.Simulated, d.Scale); badge != "" {
		fmt.Fprintf(&b, "\n**%s**: these are not figures of a real drive at full rate.\n", escape(badge))
	}
	for _, text := range d.Headlines {
		fmt.Fprintf(&b, "\n%s\n", escape(text))
	}
	markdownSummary(&b, d.Summary)
	d.markdownTables(&b, true)
	if len(d.Conditions) > 0 {
		b.WriteString("\n## Conditions\n\n| | |\n|---|---|\n")
		for _, c := range d.Conditions {
			fmt.Fprintf(&b, "| %s | %s |\n", escape(c.Key), escape(c.Value))
		}
	}
	if d.Alignment != "" {
		fmt.Fprintf(&b, "\n## Alignment of IO and power\n\n%s\n", escape(d.Alignment))
	}
	d.markdownTables(&b, false)
	for _, p := range d.Plots {
		fmt.Fprintf(&b, "\n## %s\n\n![%s](plots/%s)\n", escape(p.Title), escape(p.Title), FileName(strings.TrimSuffix(p.File, ".png"))+".png")
		if p.Caption != "" {
			fmt.Fprintf(&b, "\n%s\n", escape(p.Caption))
		}
	}
	if len(d.Withheld) > 0 {
		b.WriteString("\n## Withheld\n\n")
		for _, h := range d.Withheld {
			fmt.Fprintf(&b, "- %s: %s\n", escape(h.What), escape(h.Why))
		}
	}
	if len(d.Warnings) > 0 {
		b.WriteString("\n## Warnings\n\n")
		for _, x := range d.Warnings {
			fmt.Fprintf(&b, "- %s (%s)\n", escape(x.Text), escape(x.Code))
		}
	}
	if len(d.Words) > 0 {
		b.WriteString("\n## Words\n\n")
		for _, w := range d.Words {
			fmt.Fprintf(&b, "- **%s**: %s\n", escape(w.Key), escape(w.Value))
		}
	}
	fmt.Fprintf(&b, "\n---\n\n%s\n", conventions)
	if len(d.Footer) > 0 {
		fmt.Fprintf(&b, "\n%s\n", escape(strings.Join(d.Footer, " · ")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownTables writes the table that leads, or the others.
func (d *Doc) markdownTables(b *strings.Builder, lead bool) {
	files := tableFiles(d.Tables)
	for i, t := range d.Tables {
		if (t.Name == d.Lead) == lead {
			markdownTable(b, newGrid(d.shown(t)), files[i])
		}
	}
}

func markdownSummary(b *strings.Builder, lines []Line) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n## Summary\n\n| Figure | Value | Note |\n|---|---:|---|\n")
	for _, l := range lines {
		fmt.Fprintf(b, "| %s | %s | %s |\n", escape(l.Label), escape(l.Text()), escape(judgement(l)))
	}
}

// judgement joins the verdict on a line with its note.
func judgement(l Line) string {
	if l.Verdict == "" || l.Note == "" {
		return l.Verdict + l.Note
	}
	return l.Verdict + " (" + l.Note + ")"
}

func markdownTable(b *strings.Builder, g grid, file string) {
	fmt.Fprintf(b, "\n## %s\n\n|", escape(g.Title))
	for _, h := range g.Heads {
		fmt.Fprintf(b, " %s |", escape(h.heading()))
	}
	b.WriteString("\n|")
	for _, h := range g.Heads {
		if h.Figure {
			b.WriteString("---:|")
		} else {
			b.WriteString("---|")
		}
	}
	b.WriteString("\n")
	for _, row := range g.Rows {
		b.WriteString("|")
		for _, s := range row {
			fmt.Fprintf(b, " %s |", escape(s.text()))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for i, why := range g.Reasons {
		fmt.Fprintf(b, "- \\[%d\\] %s\n", i+1, escape(why))
	}
	for _, note := range g.Notes {
		fmt.Fprintf(b, "- %s\n", escape(note))
	}
	if len(g.Reasons)+len(g.Notes) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "[%s](tables/%s)\n", escape(file), file)
}

// escape makes text of s in Markdown, also in a table's cell.
func escape(s string) string {
	var b strings.Builder
	for _, r := range plain(s) {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '\\', '`', '*', '_', '[', ']', '|', '#', '~', '!':
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
