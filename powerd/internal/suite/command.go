package suite

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Kinds of steps that do something to the drive other than IO.
const (
	Command = "command" // a program of the drive's own: sleep, power limits
	Purge   = "purge"   // erase the drive
)

// Commanding is of a command or a purge.
type Commanding struct {
	Argv    []string `yaml:"argv"` // program and arguments, never a shell; {target}, {device} and {setting} stand for the drive's paths and the setting
	Timeout Duration `yaml:"timeout"`
}

const (
	commandTimeout = time.Minute
	purgeTimeout   = 4 * time.Hour
	maxTimeout     = 48 * time.Hour
)

// OwnersCommand stands in a suite for a program that only the drive's owner knows. No step
// is run with it.
const OwnersCommand = "YOUR-COMMAND"

// Placeholders are what an argument may hold in braces: the target's path, the kernel's
// path of its device, and of a step with settings the one that is made.
func Placeholders() []string { return []string{"{target}", "{device}", "{setting}"} }

// commands gives a plan's step its program.
func (st *FileStep) commands(s *Step) {
	s.Argv, s.Timeout = st.Argv, time.Duration(st.Timeout)
	if s.Timeout == 0 {
		s.Timeout = commandTimeout
		if st.Kind == Purge {
			s.Timeout = purgeTimeout
		}
	}
}

// Deed says what a command or purge will do, for people to read before; "" of other steps.
func (s *Step) Deed() string {
	program := strings.Join(s.Argv, " ")
	switch {
	case s.Kind == Purge && program == "":
		return "erases the drive"
	case s.Kind == Purge:
		return "erases the drive: " + program
	case s.Kind == Command:
		return "runs " + program
	}
	return ""
}

// Purges reports whether a step erases the drive.
func (p Plan) Purges() bool {
	return slices.ContainsFunc(p, func(s Step) bool { return s.Kind == Purge })
}

// Commands reports whether a step sends the drive commands of its own.
func (p Plan) Commands() bool {
	return slices.ContainsFunc(p, func(s Step) bool { return s.Kind == Command })
}

// Deeds lists what a plan does to the drive beside reading it, in words.
func (p Plan) Deeds() []string {
	var out []string
	for _, deed := range []struct {
		done bool
		word string
	}{{p.Purges(), "erases"}, {p.Writes(), "writes"}, {p.PowerCycles(), "cuts power"}, {p.Commands(), "runs commands"}} {
		if deed.done {
			out = append(out, deed.word)
		}
	}
	return out
}

// commanded refuses programs that would not be what they read as, and programs elsewhere.
func (c *checker) commanded(st *FileStep) {
	if st.Kind != Command && st.Kind != Purge {
		if st.Argv != nil || st.Timeout != 0 || st.Vary != nil {
			c.fault(st.line, "argv, timeout, vary: they belong to %s and %s, not to %s", Command, Purge, st.Kind)
		}
		return
	}
	if st.Duration != 0 {
		c.fault(st.line, "duration: a %s takes as long as it takes; timeout says how long at most", st.Kind)
	}
	if d := time.Duration(st.Timeout); d != 0 && (d < time.Second || d > maxTimeout) {
		c.fault(st.line, "timeout: %v: it is %v to %v", d, time.Second, maxTimeout)
	}
	c.vary(st)
	if st.Vary == nil {
		c.argv(st, st.Argv, st.Kind == Command)
	}
}

// argv refuses a program that is none.
func (c *checker) argv(st *FileStep, argv []string, needed bool) {
	if len(argv) == 0 {
		if needed {
			c.fault(st.line, "argv: a %s needs its program and arguments, e.g. [nvme, set-feature, \"{device}\", --feature-id=2, --value=3]", st.Kind)
		}
		return
	}
	if argv[0] == "" || strings.ContainsAny(argv[0], " {}") {
		c.fault(st.line, "argv: %q is no program; each argument is an entry of its own, and no shell reads them", argv[0])
	}
	for _, arg := range argv {
		for _, hold := range regexp.MustCompile(`\{[^}]*\}`).FindAllString(arg, -1) {
			if !slices.Contains(Placeholders(), hold) {
				c.fault(st.line, "argv: %s stands for nothing; there are %s", hold, strings.Join(Placeholders(), ", "))
			} else if hold == "{setting}" && st.Vary == nil {
				c.fault(st.line, "argv: {setting} belongs to a step with vary")
			}
		}
	}
}
