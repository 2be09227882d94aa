package report

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"powerd/analysis"
)

// grid is a table as people see it.
type grid struct {
	Title   string
	Heads   []head
	Words   bool // it has words that take more than a line: on a narrow page its rows are stacked
	Rows    [][]square
	Reasons []string // why cells are withheld; a square names one by its number
	Notes   []string
}

// head is a column's heading.
type head struct {
	Name, Unit string
	Figure     bool // its cells are numbers: set to the right
}

// longText is how many letters of words stand on one line of a page's table.
const longText = 24

// square is a cell.
type square struct {
	Text   string
	Head   string // heading of its column
	Figure bool
	Long   bool   // words that take more than a line
	Why    string // why it is withheld
	Reason int    // number of Why in the grid's reasons, from 1; 0 = not withheld
}

// text returns the cell with the number of its reason: "withheld [1]".
func (s square) text() string {
	if s.Reason == 0 {
		return s.Text
	}
	return s.Text + " [" + strconv.Itoa(s.Reason) + "]"
}

// newGrid formats a table.
func newGrid(t *analysis.Table) grid {
	g := grid{Title: plain(t.Title), Notes: t.Notes}
	if g.Title == "" {
		g.Title = plain(t.Name)
	}
	for _, c := range t.Columns {
		name := c.Head
		if name == "" {
			name = c.Name
		}
		unit := c.Unit
		if unit == name { // IOPS in IOPS
			unit = ""
		}
		g.Heads = append(g.Heads, head{Name: plain(name), Unit: plain(unit), Figure: isFigure(c)})
	}
	numbers := map[string]int{}
	for _, r := range t.Rows {
		row := make([]square, len(t.Columns))
		for i, c := range t.Columns {
			cell := analysis.Cell{}
			if i < len(r.Cells) {
				cell = r.Cells[i]
			}
			s := square{Text: plain(c.Format(cell)), Head: g.Heads[i].heading(), Figure: isFigure(c)}
			if c.Kind == analysis.Text && !cell.Valid && cell.Why == "" { // nothing to be said is no figure that is missing
				s.Text = ""
			}
			s.Long = c.Kind == analysis.Text && utf8.RuneCountInString(s.Text) > longText
			g.Words = g.Words || s.Long
			if !cell.Valid && cell.Why != "" {
				s.Why = plain(cell.Why)
				if numbers[s.Why] == 0 {
					g.Reasons = append(g.Reasons, s.Why)
					numbers[s.Why] = len(g.Reasons)
				}
				s.Reason = numbers[s.Why]
			}
			row[i] = s
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func isFigure(c analysis.Column) bool {
	return c.Kind == analysis.Quantity || c.Kind == analysis.Count
}

// heading returns the column's name with its unit in brackets.
func (h head) heading() string {
	return analysis.Column{Head: h.Name, Unit: h.Unit}.Heading()
}

// plain makes one harmless line of s: control characters, which could move a
// terminal's cursor or end a table's row, become spaces.
func plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069) {
			return ' '
		}
		return r
	}, s))
}
