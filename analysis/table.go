package analysis

// Kind says what a column holds, and so how it is stored and printed.
type Kind int

// Kinds of columns.
const (
	Quantity Kind = iota // a measured value: always a float
	Count                // a whole number: always an int64
	Text                 // words
	Key                  // words that name the row: a tag in a database
)

// Column declares a figure once: its name, which carries its unit and is the
// JSON key, the database field and the CSV header, and how people see it.
type Column struct {
	Name   string // "mean_w", "iops_per_mw"
	Head   string // "Mean power"
	Unit   string // "W"; empty for a ratio or text
	Kind   Kind
	Digits int // significant digits for people; 0 = 4
}

// Cell is one figure. The zero Cell is absent without a reason.
type Cell struct {
	Value float64 // of a Quantity or a Count; meaningless unless Valid
	Text  string  // of a Text or a Key
	Valid bool    // there is a value
	U95   float64 // half-width of the 95 % interval in the column's unit; 0 = not stated
	Why   string  // why there is none
}

// Val returns a cell that holds v.
func Val(v float64) Cell { return Cell{Value: v, Valid: true} }

// ValU returns a cell that holds v ± u95.
func ValU(v, u95 float64) Cell { return Cell{Value: v, U95: u95, Valid: true} }

// Word returns a cell that holds text.
func Word(s string) Cell { return Cell{Text: s, Valid: s != ""} }

// No returns a cell that is withheld, and why.
func No(why string) Cell { return Cell{Why: why} }

// Table is a set of figures that belong together. It is what stores, plots and
// reports read.
type Table struct {
	Name    string // "efficiency": file name, database measurement
	Title   string // for people
	Columns []Column
	Rows    []Row
	Notes   []string // what a reader must know, in print below the table
}

// Row is a row of a Table. StartNs and EndNs are its window; 0, 0 where it has
// none.
type Row struct {
	StartNs, EndNs int64
	Cells          []Cell // one a column
}

// Col returns the index of a column, or -1.
func (t *Table) Col(name string) int {
	for i, c := range t.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// At returns a cell by row and column name; the zero Cell if there is none.
func (t *Table) At(row int, column string) Cell {
	if i := t.Col(column); i >= 0 && row >= 0 && row < len(t.Rows) {
		return t.Rows[row].Cells[i]
	}
	return Cell{}
}
