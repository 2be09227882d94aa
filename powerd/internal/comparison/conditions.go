package comparison

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/powerd/internal/publish"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// runName is the condition that is the run's name.
const runName = "Run"

// notTold stands where results do not tell a condition.
const notTold = "not told"

// Condition is what figures may depend on.
type Condition struct {
	Name    string   `json:"name"`
	Values  []string `json:"values"` // in the order of the runs
	Differs bool     `json:"differs"`
	names   bool     // it names the run, and is shown whether it differs or not
}

// conditions returns them, those that name the runs first.
func conditions(subjects []*Subject) []Condition {
	var out []Condition
	add := func(names bool, name string, of func(*results.Document) string) {
		c := Condition{Name: name, names: names}
		for _, s := range subjects {
			c.Values = append(c.Values, cmp.Or(strings.TrimSpace(of(s.Document)), notTold))
		}
		c.Differs = slices.ContainsFunc(c.Values, func(v string) bool { return v != c.Values[0] })
		if c.Differs || c.Values[0] != notTold {
			out = append(out, c)
		}
	}
	add(true, "Drive", publish.DriveName)
	add(true, "Serial number", func(d *results.Document) string { return d.Drive.Serial })
	add(true, "Firmware", func(d *results.Document) string { return d.Drive.Firmware })
	add(true, runName, func(d *results.Document) string { return d.Run.ID })
	add(true, "Started", func(d *results.Document) string { return d.Run.StartedUTC })
	for _, c := range benchConditions() {
		add(false, c.name, c.of)
	}
	for _, c := range runConditions() {
		add(false, c.name, c.of)
	}
	return out
}

type condition struct {
	name string
	of   func(*results.Document) string
}

// benchConditions are those of drive, module and bench.
func benchConditions() []condition {
	return []condition{
		{"Capacity", func(d *results.Document) string { return whole(d.Drive.CapacityBytes, "bytes") }},
		{"Interface", func(d *results.Document) string { return d.Drive.Interface }},
		{"Power saving of its link", func(d *results.Document) string { return d.Drive.LinkPower }},
		{"Simulated", func(d *results.Document) string { return yes(d.Suite.Simulated) }},
		{"Emulated drive's rates divided by", func(d *results.Document) string { return fmt.Sprintf("%g", ratesBy(d)) }},
		{"Power module", func(d *results.Document) string { return d.Module.Model }},
		{"Module's serial number", func(d *results.Document) string { return d.Module.Serial }},
		{"Module's firmware", func(d *results.Document) string { return d.Module.Firmware }},
		{"Module accuracy", func(d *results.Document) string {
			if d.Module.Calibration == nil {
				return ""
			}
			return publish.AccuracyText(d.Module.Calibration)
		}},
		{"Zero", func(d *results.Document) string {
			if d.Bench.Zero == nil {
				return "none"
			}
			return "of " + d.Bench.Zero.DateUTC
		}},
		{"Fixture", func(d *results.Document) string { return cmp.Or(d.Bench.Fixture, "none") }},
		{"Rails in use", func(d *results.Document) string { return analysis.RailNames(d.Bench.RailsUsed) }},
		{"Rails measured", func(d *results.Document) string { return analysis.RailNames(d.Module.Rails) }},
		{"Link", func(d *results.Document) string { return d.Module.Link }},
		{"Sampling", publish.Sampling},
	}
}

// runConditions are those of suite, engine, host, and of how the run went.
func runConditions() []condition {
	return []condition{
		{"Suite", func(d *results.Document) string { return d.Suite.Name }},
		{"Suite's SHA-256", func(d *results.Document) string { return short(d.Suite.SHA256) }},
		{"Times shortened by", func(d *results.Document) string { return fmt.Sprintf("%g", max(1, d.Suite.Scale)) }},
		{"Short form of the suite", func(d *results.Document) string { return yes(d.Suite.Trial) }},
		{"Drive's state in the cells", states},
		{"Commands and purges", commands},
		{"Temperature before", func(d *results.Document) string { return celsius(d.Drive.TempBeforeC) }},
		{"Power state before", func(d *results.Document) string { return d.Drive.PowerStateBefore }},
		{"IO engine", engines},
		{"fio", func(d *results.Document) string { return strings.TrimPrefix(d.Run.FioVersion, "fio-") }},
		{"Processor", func(d *results.Document) string { return d.Host.CPU }},
		{"Kernel", func(d *results.Document) string { return d.Host.Kernel }},
		{"Alignment", func(d *results.Document) string { return d.Alignment.Status }},
		{"Outcome", func(d *results.Document) string { return d.Run.Outcome }},
		{"powerd", func(d *results.Document) string { return d.Run.PowerdVersion }},
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func whole(n int64, unit string) string {
	if n == 0 {
		return ""
	}
	return analysis.Decimal(float64(n), 0) + " " + unit
}

func celsius(x *float64) string {
	if x == nil {
		return ""
	}
	return analysis.FormatValue(*x, 0, 3) + " °C"
}

func short(sum string) string {
	const digits = 12
	if len(sum) <= digits {
		return sum
	}
	return sum[:digits] + "…"
}

// ratesBy is what an emulated drive's rates were divided by; 1 = nothing.
func ratesBy(d *results.Document) float64 { return max(1, d.Drive.TwinScale) }

// states counts the cells in each state.
func states(d *results.Document) string {
	n := map[string]int{}
	var order []string
	for _, c := range d.Efficiency {
		if n[c.State] == 0 {
			order = append(order, c.State)
		}
		n[c.State]++
	}
	slices.Sort(order)
	for i, s := range order {
		order[i] = fmt.Sprintf("%d %s", n[s], strings.ReplaceAll(s, "_", " "))
	}
	return strings.Join(order, ", ")
}

// commands names what was done to the drive beside IO.
func commands(d *results.Document) string {
	if len(d.Commands) == 0 {
		return "none"
	}
	var out []string
	for _, c := range d.Commands {
		out = append(out, c.Kind+" "+c.Step)
	}
	return strings.Join(out, ", ")
}

func engines(d *results.Document) string {
	var out []string
	for _, c := range d.Efficiency {
		if !slices.Contains(out, c.Engine) {
			out = append(out, c.Engine)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// differing names what differs beside the drive and the run.
func differing(list []Condition) []string {
	var out []string
	for _, c := range list {
		if c.Differs && !c.names {
			out = append(out, strings.ToLower(c.Name[:1])+c.Name[1:])
		}
	}
	return out
}

// conditionTable holds the conditions that name the runs or differ, or all others.
func conditionTable(list []Condition, subjects []*Subject, differ bool) *analysis.Table {
	t := &analysis.Table{Name: "compare_conditions", Title: "What differs", Columns: []analysis.Column{{Name: "condition", Head: "Condition", Kind: analysis.Key}}}
	if !differ {
		t.Name, t.Title = "compare_common", "What is alike"
	}
	for _, s := range subjects {
		t.Columns = append(t.Columns, analysis.Column{Name: strings.ToLower(s.Label), Head: s.Label, Kind: analysis.Text})
	}
	for _, c := range list {
		if (c.Differs || c.names) != differ {
			continue
		}
		cells := []analysis.Cell{analysis.Word(c.Name)}
		for _, v := range c.Values {
			cells = append(cells, analysis.Word(v))
		}
		t.Rows = append(t.Rows, analysis.Row{Cells: cells})
	}
	return t
}

// sameModule is why one module with one calibration did not read all runs; empty if it did.
func sameModule(subjects []*Subject) string {
	a := subjects[0]
	for _, b := range subjects[1:] {
		switch {
		case a.Module.Serial == "" || a.Module.Serial != b.Module.Serial:
			return fmt.Sprintf("%s was measured on module %s, %s on %s", a.Label, cmp.Or(a.Module.Serial, notTold), b.Label, cmp.Or(b.Module.Serial, notTold))
		case a.Module.Calibration == nil || b.Module.Calibration == nil:
			return "the accuracy of the module is not told in all of the results"
		case *a.Module.Calibration != *b.Module.Calibration:
			return fmt.Sprintf("module %s has another accuracy or calibration in %s than in %s", a.Module.Serial, b.Label, a.Label)
		case !slices.EqualFunc(a.Module.Rails, b.Module.Rails, func(x, y quarch.Rail) bool { return x == y }):
			return fmt.Sprintf("other rails were measured in %s than in %s", b.Label, a.Label)
		}
	}
	return ""
}
