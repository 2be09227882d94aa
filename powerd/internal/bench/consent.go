package bench

import (
	"fmt"
	"slices"
	"strings"

	"powerd/powerd/internal/config"
	"powerd/powerd/internal/suite"
)

// Consents that a bench's owner gives.
const (
	Write   = "write"   // change what is on the drive
	Power   = "power"   // switch its power, rails and output mode
	Purge   = "purge"   // erase it
	Command = "command" // send it commands other than IO
)

// needs lists the consents that a plan asks for.
func needs(plan suite.Plan) []string {
	var need []string
	if plan.Writes() {
		need = append(need, Write)
	}
	if plan.PowerCycles() {
		need = append(need, Power)
	}
	if plan.Purges() {
		need = append(need, Purge)
	}
	if plan.Commands() {
		need = append(need, Command)
	}
	return need
}

// allows refuses what the bench's owner has not consented to, with the lines that
// would allow it. On a twin everything is allowed.
func (b *bench) allows(plan suite.Plan) error {
	if b.twin != nil {
		return nil
	}
	need := needs(plan)
	missing := slices.DeleteFunc(slices.Clone(need), func(c string) bool { return slices.Contains(b.cfg.Consent, c) })
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("this suite will %s; %s", strings.Join(deeds(missing), " and "), b.remedy(need))
}

// Allowed refuses a plan that does what the bench's owner has not consented to.
func Allowed(b config.Bench, plan suite.Plan) error {
	own := bench{name: b.Name, cfg: b}
	return refusal(own.allows(plan))
}

// Consented refuses a deed that the bench's owner has not consented to.
func Consented(b config.Bench, deed string) error {
	if slices.Contains(b.Consent, deed) {
		return nil
	}
	own := bench{name: b.Name, cfg: b}
	return refuse("this will %s; %s", deeds([]string{deed})[0], own.remedy([]string{deed}))
}

// remedy says how to allow what is needed.
func (b *bench) remedy(need []string) string {
	all := slices.Clone(b.cfg.Consent)
	for _, c := range need {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	consent := "consent: [" + strings.Join(all, ", ") + "]"
	if b.name != "" {
		return fmt.Sprintf("bench %s does not consent to that. If it is what you want, %s:\n    %s", b.name, b.place(), consent)
	}
	keys := []string{
		"port: " + orHint(b.cfg.Module.Port, "/dev/serial/by-id/…"), "module: " + orHint(b.cfg.Module.Serial, "its serial number"),
		"target: " + orHint(b.cfg.Target, "/dev/disk/by-id/…"), consent,
	}
	return "that is done on a named bench only, whose owner consents. `powerd init` writes one; or put this into your settings, below the line `benches:` (one of your own if there is none), and run with --bench mine:\n" +
		"  mine:\n    " + strings.Join(keys, "\n    ")
}

// place says where a bench's consent is to be written: shown on a line of its own, as far
// to the right as it stands in the file, so that it can be pasted.
func (b *bench) place() string {
	switch {
	case b.cfg.ConsentWhere != "":
		return "have its consent, " + inFile(b.cfg.ConsentWhere) + ", say"
	case b.cfg.Where != "":
		return "put this " + inFile(b.cfg.Where) + ", under benches: " + b.name
	}
	return "put this into your settings, under benches: " + b.name
}

// inFile writes file:line in words.
func inFile(where string) string {
	i := strings.LastIndexByte(where, ':')
	if i < 0 {
		return "in " + where
	}
	return "in " + where[:i] + ", line " + where[i+1:]
}

func orHint(value, hint string) string {
	if value == "" {
		return hint
	}
	return value
}

func deeds(what []string) []string {
	out := make([]string, len(what))
	for i, w := range what {
		out[i] = map[string]string{
			Write: "overwrite data on the target", Power: "switch the drive's power off and on",
			Purge: "erase the drive", Command: "send the drive commands of its own",
		}[w]
	}
	return out
}
