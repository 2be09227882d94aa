package suite

import (
	"slices"
	"strings"
)

const maxSettings = 100

// Vary asks for a command once a setting, each followed by all steps that come after it in
// the file, up to the next command with settings.
type Vary struct {
	Settings []Setting `yaml:"settings"`
	Restore  string    `yaml:"restore"` // the setting that is made again at the end, however the run ends; "" = none
}

// Setting is one of them. Argv stands in place of the step's own.
type Setting struct {
	Name string   `yaml:"name"`
	Argv []string `yaml:"argv"`
}

// settings expands a command into one a setting, each with the plan of what follows, and
// the one that puts the setting back.
func (st *FileStep) settings(d Defaults, following Plan) Plan {
	var plan Plan
	command := func(suffix, setting string) Step {
		s := st.expand(d)[0]
		for _, v := range st.on(d.Twin).Vary.Settings {
			if v.Name == setting && v.Argv != nil {
				s.Argv = v.Argv
			}
		}
		s.Name, s.Setting = s.Name+"-"+suffix, setting
		s.Argv = filled(s.Argv, setting)
		return s
	}
	vary := st.on(d.Twin).Vary
	for _, v := range vary.Settings {
		set := command(v.Name, v.Name)
		if vary.Restore != "" {
			undo := command("restore", vary.Restore)
			set.Undo = &undo
		}
		plan = append(plan, set)
		for _, s := range following {
			plan = append(plan, s.under(set.Name, v.Name, following))
		}
	}
	if vary.Restore != "" {
		plan = append(plan, command("restore", vary.Restore))
	}
	return plan
}

// under is a step of the following ones as it is done under a setting.
func (s Step) under(command, setting string, following Plan) Step {
	of := func(name string) string {
		if name == "" {
			return ""
		}
		return name + "-" + setting
	}
	s.Name, s.Group, s.Cell, s.Setting = of(s.Name), of(s.Group), of(s.Cell), setting
	if s.Needs == "" {
		s.Needs = command
	} else {
		s.Needs = of(s.Needs)
	}
	if s.Steady != nil {
		steady := *s.Steady
		steady.Cells = nil
		for _, cell := range s.Steady.Cells {
			steady.Cells = append(steady.Cells, of(cell))
		}
		s.Steady = &steady
	}
	if s.Paused != nil {
		paused := *s.Paused
		paused.Base = of(paused.Base)
		if slices.ContainsFunc(following, func(o Step) bool { return o.Group == paused.Fresh }) { // else it is done once, before
			paused.Fresh = of(paused.Fresh)
		}
		s.Paused = &paused
	}
	return s
}

// filled puts a setting into the arguments that ask for it.
func filled(argv []string, setting string) []string {
	out := slices.Clone(argv)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], "{setting}", setting)
	}
	return out
}

// varied expands steps of a file of which the plans are known, those with settings once a
// setting. What follows a purge is done only if that succeeded.
func varied(steps []FileStep, d Defaults) Plan {
	var plan Plan
	for i := range steps {
		if steps[i].Vary != nil {
			next := len(steps)
			if k := slices.IndexFunc(steps[i+1:], func(st FileStep) bool { return st.Vary != nil }); k >= 0 {
				next = i + 1 + k
			}
			plan = append(plan, steps[i].settings(d, varied(steps[i+1:next], d))...)
			return needing(append(plan, varied(steps[next:], d)...))
		}
		plan = append(plan, steps[i].expand(d)...)
	}
	return needing(plan)
}

// varies refuses a suite that settings make too long, or steps of one name.
func (c *checker) varies(s *Suite) {
	if !slices.ContainsFunc(s.Steps, func(st FileStep) bool { return st.Vary != nil }) {
		return
	}
	plan := varied(s.Steps, Defaults{})
	if len(plan) > maxCells {
		c.fault(1, "vary: the suite has %d steps with all settings; there are %d at most", len(plan), maxCells)
	}
	seen := map[string]bool{}
	for _, st := range plan {
		if seen[st.Name] {
			c.fault(1, "vary: with its setting, %q is the name of two steps", st.Name)
		}
		seen[st.Name] = true
	}
}

// needing notes which purge a step needs.
func needing(plan Plan) Plan {
	purge := ""
	for i := range plan {
		if plan[i].Needs == "" {
			plan[i].Needs = purge
		}
		if plan[i].Kind == Purge {
			purge = plan[i].Name
		}
	}
	return plan
}

// vary refuses settings that cannot be told apart or made.
func (c *checker) vary(st *FileStep) {
	v := st.Vary
	if v == nil {
		return
	}
	if st.Kind != Command {
		c.fault(st.line, "vary: it belongs to %s, not to %s", Command, st.Kind)
	}
	if len(v.Settings) == 0 {
		c.fault(st.line, "vary: it needs settings, e.g. {settings: [{name: 9w, argv: [...]}, {name: 12w, argv: [...]}], restore: 12w}")
	}
	if len(v.Settings) > maxSettings {
		c.fault(st.line, "vary: %d settings; there are %d at most", len(v.Settings), maxSettings)
	}
	var names []string
	for _, s := range v.Settings {
		switch {
		case !goodName(s.Name):
			c.fault(st.line, "vary.settings.name: %q: a setting needs a name of letters, digits, '-', '_' and '.'", s.Name)
		case slices.Contains(names, s.Name):
			c.fault(st.line, "vary.settings.name: %q stands there twice", s.Name)
		}
		names = append(names, s.Name)
		argv := s.Argv
		if argv == nil {
			argv = st.Argv
		}
		c.argv(st, argv, true)
	}
	if v.Restore != "" && !slices.Contains(names, v.Restore) {
		c.fault(st.line, "vary.restore: %q is none of the settings %s", v.Restore, strings.Join(names, ", "))
	}
}
