package results

import (
	"slices"
	"strconv"
	"strings"

	"powerd/analysis"
	"powerd/analysis/demand"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/analysis/inrush"
	"powerd/analysis/limits"
	"powerd/analysis/record"
	"powerd/analysis/recovery"
	"powerd/analysis/saturation"
	"powerd/analysis/scaling"
	"powerd/analysis/steady"
	"powerd/powerd/internal/suite"
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
	add(demand.LimitTable(d.Demand))
	add(demand.Table(d.Demand))
	add(recovery.Table(d.Recovery))
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

// Group is the cells of one matrix of the suite; of one whose cells differ in more than two
// things, those that agree in all but two.
type Group struct {
	Group             string
	Part              string          // what they agree in: "randread"; empty if they are all
	Table             *analysis.Table // efficiency
	RowKey, ColumnKey string          // columns that differ between its cells
}

// Matrices returns the matrices of the suite, in parts where more than two things differ
// between their cells.
func (d *Document) Matrices() []Group {
	var out []Group
	for _, c := range d.groups() {
		out = append(out, parts(c.name, c.cells)...)
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

// parts makes the groups of a matrix: the last two things that differ are their axes, and
// the cells of each agree in the others.
func parts(name string, cells []*efficiency.Cell) []Group {
	t := efficiency.Table(cells)
	keys := varying(t)
	switch len(keys) {
	case 0:
		return nil
	case 1:
		g := Group{Group: name, Table: t, RowKey: "rw", ColumnKey: keys[0]}
		if keys[0] == "rw" {
			g.ColumnKey = "qd"
		}
		return []Group{g}
	}
	of := map[string][]*efficiency.Cell{}
	var order []string
	for i, c := range cells {
		part := partOf(t, i, keys[:len(keys)-2])
		if of[part] == nil {
			order = append(order, part)
		}
		of[part] = append(of[part], c)
	}
	var out []Group
	for _, part := range order {
		out = append(out, Group{Group: name, Part: part, Table: efficiency.Table(of[part]), RowKey: keys[len(keys)-2], ColumnKey: keys[len(keys)-1]})
	}
	return out
}

// partOf says what a row has under some keys, as the steps of a matrix are named:
// "randread", "write-e50".
func partOf(t *analysis.Table, row int, keys []string) string {
	before := map[string]string{"read_pct": "r", "entropy_pct": "e", "jobs": "j", "qd": "qd"}
	var words []string
	for _, key := range keys {
		text := t.At(row, key).Text
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && key == "bs" {
			text = suite.Bytes(n).String()
		}
		words = append(words, before[key]+strings.TrimSuffix(text, "%"))
	}
	return strings.Join(words, "-")
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

// varying returns what differs between a matrix's cells, the queue depth last, which goes
// across. What follows from the keys before it, as the share of reads does from most
// patterns, is not among it.
func varying(t *analysis.Table) []string {
	var vary []string
	cells := make([]string, len(t.Rows)) // the keys so far
	kinds := 1
	for _, key := range []string{"rw", "bs", "read_pct", "range", "entropy_pct", "jobs", "qd"} {
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
	return vary
}
