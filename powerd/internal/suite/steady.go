package suite

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"powerd/analysis/steady"
)

// UntilSteady asks for rounds until a rule calls the drive steady: `snia` alone, or
// {profile: snia, of: [{bs: 4k, read_pct: 0}, …]}, where each entry names one cell.
type UntilSteady struct {
	Profile string      `yaml:"profile"`
	Of      []CellOf    `yaml:"of"`
	lines   []yaml.Node // of the entries
}

// CellOf names a cell of a matrix by what its lists hold; what is left out has to be the
// same in all cells. What is judged of it are its IOPS, unless it names a latency.
type CellOf struct {
	RW      string `yaml:"rw"`
	BS      Bytes  `yaml:"bs"`
	ReadPct *int   `yaml:"read_pct"`
	Entropy *int   `yaml:"entropy"`
	QD      int    `yaml:"qd"`
	Jobs    int    `yaml:"jobs"`
	Latency string `yaml:"latency"` // of that cell decides: mean, or a percentile; empty = its IOPS
}

// UnmarshalYAML reads a profile's name, or the whole.
func (u *UntilSteady) UnmarshalYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		u.Profile = n.Value
		return nil
	case yaml.MappingNode:
	default:
		return fault(n, "until_steady: it is a profile, or {profile: snia, of: [{bs: 4k, read_pct: 0}]}")
	}
	var seen []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if slices.Contains(seen, key.Value) {
			return fault(key, "until_steady: %s stands there twice", key.Value)
		}
		seen = append(seen, key.Value)
		switch key.Value {
		case "profile":
			if value.Kind != yaml.ScalarNode {
				return fault(value, "until_steady.profile: it is one of %s", profiles())
			}
			u.Profile = value.Value
		case "of":
			if err := u.readCells(value); err != nil {
				return err
			}
		default:
			return fault(key, "until_steady: unknown key %s; there are profile, of", key.Value)
		}
	}
	return nil
}

// readCells reads the entries of `of`.
func (u *UntilSteady) readCells(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return fault(n, "until_steady.of: it is a list of cells, e.g. [{bs: 4k, read_pct: 0}]")
	}
	for _, entry := range n.Content {
		if entry.Kind != yaml.MappingNode {
			return fault(entry, "until_steady.of: a cell is named by %s, e.g. {bs: 4k, read_pct: 0}, and may ask for its latency: mean", strings.Join(listOrder(), ", "))
		}
		for i := 0; i+1 < len(entry.Content); i += 2 {
			if key := entry.Content[i]; key.Value != "latency" && !slices.Contains(listOrder(), key.Value) {
				return fault(key, "until_steady.of: unknown key %s; there are %s, latency", key.Value, strings.Join(listOrder(), ", "))
			}
		}
		var cell CellOf
		if err := entry.Decode(&cell); err != nil {
			return err
		}
		u.Of, u.lines = append(u.Of, cell), append(u.lines, *entry)
	}
	return nil
}

// matches reports whether a step is the cell that is meant.
func (c *CellOf) matches(s *Step) bool {
	j := &s.Job
	return (c.RW == "" || c.RW == j.RW) && (c.BS == 0 || int64(c.BS) == j.BlockBytes) && (c.ReadPct == nil || *c.ReadPct == j.ReadPct) &&
		(c.Entropy == nil || *c.Entropy == maxEntropy-j.CompressPct) && (c.QD == 0 || c.QD == j.QueueDepth) && (c.Jobs == 0 || c.Jobs == j.Jobs)
}

// Steady is when the rounds of a load or matrix end: what is asked after each.
type Steady struct {
	Profile string   `json:"profile"`           // steady.RuleOf knows it
	Cells   []string `json:"cells"`             // that are judged, without their rounds
	Latency []string `json:"latency,omitempty"` // that decides, of each of them, empty = its IOPS; nil = of all their IOPS
	OfRound int      `json:"of_round"`          // how many cells a round has
}

// LatencyOf returns the latency that decides of the ith cell; empty = its IOPS do.
func (s *Steady) LatencyOf(i int) string {
	if i < len(s.Latency) {
		return s.Latency[i]
	}
	return ""
}

// rule resolves what a file asks for in the cells of one round; nil if it asks nothing.
func (u *UntilSteady) rule(once Plan) *Steady {
	if u == nil {
		return nil
	}
	out := &Steady{Profile: u.Profile, OfRound: len(once)}
	if len(u.Of) == 0 {
		out.Cells = []string{once[0].Name}
	}
	for _, of := range u.Of {
		if i := slices.IndexFunc(once, func(s Step) bool { return of.matches(&s) }); i >= 0 {
			out.Cells = append(out.Cells, once[i].Name)
			out.Latency = append(out.Latency, of.Latency)
		}
	}
	if !slices.ContainsFunc(out.Latency, func(l string) bool { return l != "" }) {
		out.Latency = nil
	}
	return out
}

// untilSteady refuses what cannot be judged, or is not what its reader thinks.
func (c *checker) untilSteady(st *FileStep) {
	u := st.UntilSteady
	if u == nil {
		return
	}
	rule, known := steady.RuleOf(u.Profile)
	if !known {
		c.fault(st.line, "until_steady.profile: %q: it is one of %s", u.Profile, profiles())
		return
	}
	if st.Rounds < rule.Rounds || st.Rounds > steady.MaxRounds {
		c.fault(st.line, "rounds: %d: with until_steady: %s they are %d to %d, the most that are done", st.Rounds, rule.Name, rule.Rounds, steady.MaxRounds)
	}
	if st.FreshRounds != 0 || st.LastRounds != 0 {
		c.fault(st.line, "fresh_rounds, last_rounds: with until_steady the rule chooses the window")
	}
	once := st.once()
	if once == nil {
		return // what is wrong with its cells is told already
	}
	if len(once) > 1 && len(u.Of) == 0 {
		c.fault(st.line, "until_steady.of: a matrix needs the cells that are judged, e.g. [{bs: 4k, read_pct: 0}]")
	}
	var taken []string
	for i, of := range u.Of {
		var found []string
		for k := range once {
			if of.matches(&once[k]) {
				found = append(found, once[k].Name)
			}
		}
		switch line := u.lines[i].Line; {
		case len(found) == 0:
			c.fault(line, "until_steady.of: no cell is so; see the lists of over")
		case len(found) > 1:
			c.fault(line, "until_steady.of: %d cells are so (%s, %s, …); name one", len(found), found[0], found[1])
		case of.Latency != "" && !slices.Contains(steady.Latencies(), of.Latency):
			c.fault(line, "until_steady.of: latency: %q: it is one of %s", of.Latency, strings.Join(steady.Latencies(), ", "))
		case slices.Contains(taken, found[0]+of.Latency):
			c.fault(line, "until_steady.of: %s stands there twice", found[0])
		default:
			taken = append(taken, found[0]+of.Latency)
		}
	}
}

// profiles lists the rules by name.
func profiles() string {
	var names []string
	for _, r := range steady.Rules() {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}

// String says what is judged: "snia, of iops-r0-4k", "snia, of the mean latency of
// lat-r0-4k".
func (s *Steady) String() string {
	var of []string
	for i, cell := range s.Cells {
		if l := s.LatencyOf(i); l != "" {
			cell = fmt.Sprintf("the %s latency of %s", steady.LatencyName(l), cell)
		}
		of = append(of, cell)
	}
	return fmt.Sprintf("%s, of %s", s.Profile, strings.Join(of, ", "))
}
