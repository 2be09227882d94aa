package results

import (
	"slices"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/analysis/inrush"
	"powerd/analysis/limits"
	"powerd/analysis/record"
	"powerd/analysis/saturation"
	"powerd/analysis/scaling"
	"powerd/analysis/steady"
)

// Tables returns the results as tables, in a report's order; only those that have
// rows.
func (d *Document) Tables() []*analysis.Table {
	var out []*analysis.Table
	add := func(t *analysis.Table) {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	add(limits.Table(d.Limits))
	add(idle.Table(d.Idles))
	if d.Inrush != nil {
		add(inrush.Table(d.Inrush.Cycles))
		add(inrush.SpreadTable(d.Inrush.Cycles))
		add(inrush.StartTable(d.Inrush.Cycles))
		add(inrush.StartSpreadTable(d.Inrush.Cycles))
	}
	add(saturation.ShareTable(d.Saturation))
	add(saturation.Table(d.Saturation))
	add(steady.Table(d.Steady))
	cells, rounds := d.split()
	add(efficiency.Table(cells))
	add(efficiency.LatencyTable(d.Measured()))
	add(scaling.Table(d.Scaling))
	add(record.Table(d.Records))
	add(record.MarksTable(d.Marks))
	add(idle.StatesTable(d.reached()))
	add(roundsTable(rounds))
	return out
}

// split tells the rounds that a rule judges from all other cells.
func (d *Document) split() (cells, rounds []*efficiency.Cell) {
	for _, c := range d.Efficiency {
		if d.ofRounds(c.Step) {
			rounds = append(rounds, c)
		} else {
			cells = append(cells, c)
		}
	}
	return cells, rounds
}

// roundsTable holds the cells of single rounds: long, and not what the drive is known by.
func roundsTable(rounds []*efficiency.Cell) *analysis.Table {
	t := efficiency.Table(rounds)
	t.Name, t.Title = "rounds", "Single rounds"
	t.Notes = append(t.Notes, "the cells over the steady window, added up, are those of the table Efficiency")
	return t
}

// Group is the cells of one matrix of the suite.
type Group struct {
	Group             string
	Table             *analysis.Table // efficiency
	RowKey, ColumnKey string          // columns that differ between its cells
}

// Matrices returns the matrices whose cells differ in two things, or in one.
func (d *Document) Matrices() []Group {
	var out []Group
	for _, c := range d.groups() {
		g := Group{Group: c.name, Table: efficiency.Table(c.cells)}
		if g.RowKey, g.ColumnKey = axes(g.Table); g.RowKey != "" {
			out = append(out, g)
		}
	}
	return out
}

// LongLoads returns the loads of so long or longer that are in no matrix and no rounds.
func (d *Document) LongLoads(seconds float64) []*efficiency.Cell {
	var out []*efficiency.Cell
	for _, s := range d.folder.steps {
		if s.mark.Group != s.mark.Step || s.mark.Cell != "" {
			continue
		}
		if k := slices.IndexFunc(d.Efficiency, func(c *efficiency.Cell) bool { return c.Step == s.mark.Step }); k >= 0 {
			if c := d.Efficiency[k]; c.DurationS != nil && *c.DurationS >= seconds {
				out = append(out, c)
			}
		}
	}
	return out
}

// cellGroup is the cells of one matrix of the suite, two at least.
type cellGroup struct {
	name  string
	cells []*efficiency.Cell
}

// groups returns the matrices' cells; of rounds those of the steady window, added up, else
// the last.
func (d *Document) groups() []cellGroup {
	group := map[string]string{}
	var order []string
	for _, s := range d.folder.steps {
		if _, known := group[s.mark.Group]; !known && s.mark.Group != s.mark.Step {
			order = append(order, s.mark.Group)
		}
		group[s.mark.Group], group[s.mark.Step] = s.mark.Group, s.mark.Group
		if s.mark.Cell != "" {
			group[s.mark.Cell] = s.mark.Group
		}
	}
	var out []cellGroup
	for _, name := range order {
		var cells []*efficiency.Cell
		for _, r := range d.Measured() {
			if group[r.Step] == name {
				cells = append(cells, r)
			}
		}
		if len(cells) > 0 && cells[0].FirstRound == 0 {
			cells = lastRound(cells)
		}
		if len(cells) > 1 {
			out = append(out, cellGroup{name, cells})
		}
	}
	return out
}

// lastRound returns the cells of the last round that has as many as the first; of a matrix
// without rounds all are of the first.
func lastRound(cells []*efficiency.Cell) []*efficiency.Cell {
	rounds := map[int][]*efficiency.Cell{}
	for _, c := range cells {
		rounds[c.Round] = append(rounds[c.Round], c)
	}
	best := rounds[1]
	for _, c := range cells {
		if of := rounds[c.Round]; len(of) >= len(rounds[1]) {
			best = of
		}
	}
	return best
}

// axes chooses what a matrix's rows and columns stand for: the queue depth goes
// across, and what varies beside it down. What follows from the keys before it, as
// the share of reads does from most patterns, is no axis.
func axes(t *analysis.Table) (row, column string) {
	var vary []string
	cells := make([]string, len(t.Rows)) // the keys so far
	kinds := 1
	for _, key := range []string{"rw", "bs", "read_pct", "jobs", "qd"} {
		seen := map[string]bool{}
		for i := range t.Rows {
			cells[i] += " " + t.At(i, key).Text
			seen[cells[i]] = true
		}
		if len(seen) > kinds {
			vary = append(vary, key)
		}
		kinds = len(seen)
	}
	switch len(vary) {
	case 0:
		return "", ""
	case 1:
		if vary[0] == "rw" {
			return "rw", "qd"
		}
		return "rw", vary[0]
	}
	return vary[0], vary[len(vary)-1]
}
