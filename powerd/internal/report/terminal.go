package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"powerd/analysis"
)

// Terminal writes summary, tables and what was withheld as plain text that is at
// most width characters wide, if names and reasons allow it. A table that is wider
// continues below with its key columns repeated; width 0 means no limit.
func Terminal(w io.Writer, d *Doc, width int) error {
	var b strings.Builder
	title := plain(d.Title)
	if badge := analysis.Mark(d.Simulated, d.Scale); badge != "" {
		title = strings.TrimSpace(title + "  [" + plain(badge) + "]")
	}
	if title != "" {
		fmt.Fprintf(&b, "%s\n%s\n", title, strings.Repeat("=", utf8.RuneCountInString(title)))
	}
	for _, text := range d.Headlines {
		fmt.Fprintf(&b, "\n%s\n", plain(text))
	}
	terminalSummary(&b, d.Summary)
	if d.Alignment != "" {
		fmt.Fprintf(&b, "\nAlignment: %s\n", plain(d.Alignment))
	}
	for _, t := range d.Tables {
		terminalTable(&b, d.shown(t), width)
	}
	if len(d.Withheld) > 0 {
		b.WriteString("\nWithheld\n")
		for _, h := range d.Withheld {
			fmt.Fprintf(&b, "  %s: %s\n", plain(h.What), plain(h.Why))
		}
	}
	if len(d.Warnings) > 0 {
		b.WriteString("\nWarnings\n")
		for _, x := range d.Warnings {
			fmt.Fprintf(&b, "  %s (%s)\n", plain(x.Text), plain(x.Code))
		}
	}
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

func terminalSummary(b *strings.Builder, lines []Line) {
	label, value := 0, 0
	for _, l := range lines {
		label = max(label, utf8.RuneCountInString(plain(l.Label)))
		if l.Figure.Valid {
			value = max(value, utf8.RuneCountInString(l.Text()))
		}
	}
	if len(lines) > 0 {
		b.WriteString("\n")
	}
	for _, l := range lines {
		row := pad(plain(l.Label), label, false) + "  " + pad(plain(l.Text()), value, false) + "  " + plain(judgement(l))
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
}

func terminalTable(b *strings.Builder, t *analysis.Table, width int) {
	g := newGrid(t)
	fmt.Fprintf(b, "\n%s\n", g.Title)
	widths := columnWidths(g)
	for _, columns := range chunks(t, widths, width) {
		b.WriteString("\n")
		line := func(cell func(int) string) {
			var row []string
			for _, i := range columns {
				row = append(row, pad(cell(i), widths[i], g.Heads[i].Figure))
			}
			b.WriteString(strings.TrimRight("  "+strings.Join(row, "  "), " ") + "\n")
		}
		line(func(i int) string { return g.Heads[i].Name })
		if slices.ContainsFunc(columns, func(i int) bool { return g.Heads[i].Unit != "" }) {
			line(func(i int) string { return g.Heads[i].Unit })
		}
		line(func(i int) string { return strings.Repeat("-", widths[i]) })
		for _, row := range g.Rows {
			line(func(i int) string { return row[i].text() })
		}
	}
	for i, why := range g.Reasons {
		fmt.Fprintf(b, "  [%s] %s\n", strconv.Itoa(i+1), why)
	}
	for _, note := range g.Notes {
		fmt.Fprintf(b, "  %s\n", plain(note))
	}
}

// columnWidths returns how many characters each column needs.
func columnWidths(g grid) []int {
	widths := make([]int, len(g.Heads))
	for i, h := range g.Heads {
		widths[i] = max(utf8.RuneCountInString(h.Name), utf8.RuneCountInString(h.Unit))
		for _, row := range g.Rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i].text()))
		}
	}
	return widths
}

// chunks parts the columns so that each part fits, every part led by the table's
// leading key columns.
func chunks(t *analysis.Table, widths []int, width int) [][]int {
	var keys, rest []int
	for i, c := range t.Columns {
		if c.Kind == analysis.Key && len(rest) == 0 {
			keys = append(keys, i)
		} else {
			rest = append(rest, i)
		}
	}
	used := func(columns []int) int {
		n := 0
		for _, i := range columns {
			n += 2 + widths[i]
		}
		return n
	}
	parts := [][]int{append([]int(nil), keys...)}
	for _, i := range rest {
		last := len(parts) - 1
		if width > 0 && len(parts[last]) > len(keys) && used(parts[last])+2+widths[i] > width {
			parts = append(parts, append([]int(nil), keys...))
			last++
		}
		parts[last] = append(parts[last], i)
	}
	return parts
}

// pad fills s with spaces to n characters, on the left for figures.
func pad(s string, n int, right bool) string {
	gap := strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
	if right {
		return gap + s
	}
	return s + gap
}
