package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"powerd/powerd/internal/config"
)

// driveLines judge whether the target is what it should be, and who uses it.
func driveLines(f *Facts) []Line {
	return append(targetLines(f), sheetLines(f)...)
}

// sheetLines judge the drive file that the bench names.
func sheetLines(f *Facts) []Line {
	const what = "drive file"
	switch name := f.Bench.Drive; {
	case name == "":
		return nil
	case f.SheetErr != nil:
		return []Line{{Fail, what, reason(f.SheetErr), "mend benches." + f.Bench.Name + ".drive, or the file"}}
	default:
		return []Line{{OK, what, name, ""}}
	}
}

func targetLines(f *Facts) []Line {
	b := &f.Bench
	if b.Target == "" {
		return []Line{{Warn, "target", "none: only suites without load are possible", "set benches." + b.Name + ".target to a path under /dev/disk/by-id"}}
	}
	if f.Target == nil {
		return []Line{missingTarget(f)}
	}
	lines := []Line{targetLine(f)}
	if l, has := driveSerialLine(f); has {
		lines = append(lines, l)
	}
	if f.Access.Err != nil {
		lines = append(lines, Line{Fail, "rights", fmt.Sprintf("this user may not read from %s (%s)", b.Target, reason(f.Access.Err)), joinGroup(f.Access.Group, "disk")})
	} else if f.JobErr != nil {
		lines = append(lines, Line{Fail, "reads", reason(f.JobErr), ""})
	} else if f.BeaconErr != nil {
		lines = append(lines, Line{Fail, "reads", reason(f.BeaconErr), ""})
	}
	return append(lines, useLines(f)...)
}

func missingTarget(f *Facts) Line {
	path := f.Bench.Target
	if f.Info != nil && f.Info.Powered != nil && !*f.Info.Powered {
		return Line{Warn, "target", path + " is not there; the drive is off", fmt.Sprintf("powerd power %s up", f.Bench.Name)}
	}
	if errors.Is(f.TargetErr, fs.ErrNotExist) {
		return Line{Fail, "target", path + " does not exist", "is the drive plugged in and powered? ls /dev/disk/by-id lists those that are"}
	}
	return Line{Fail, "target", reason(f.TargetErr), ""}
}

func targetLine(f *Facts) Line {
	t, path := f.Target, f.Bench.Target
	found := path
	if model := strings.TrimSpace(t.Vendor + " " + t.Model); model != "" {
		found += ", " + model
	}
	found += ", " + t.Size()
	byID := strings.HasPrefix(filepath.Dir(path), "/dev/disk/by-")
	switch {
	case t.Block == "":
		return Line{OK, "target", found + ", a file", ""}
	case !byID && t.ByID != "":
		return Line{Warn, "target", found + ": another drive may have this name after a restart", "set benches." + f.Bench.Name + ".target: " + t.ByID}
	case !byID:
		return Line{Warn, "target", found + ": the drive has no stable name under /dev/disk/by-id", "check its serial number before every run"}
	}
	return Line{OK, "target", found, ""}
}

func driveSerialLine(f *Facts) (Line, bool) {
	want, got := f.Bench.TargetSerial, f.Target.Serial
	switch {
	case want == "" && got == "":
		return Line{}, false
	case want == "":
		return Line{OK, "drive", "serial number " + got, ""}, true
	case got == "" && len(f.Bench.Consent) > 0:
		return Line{
			Fail, "drive", "it tells no serial number, and the bench says " + want + ": whatever needs its consent is refused",
			"plug in the right one, or take out benches." + f.Bench.Name + ".target_serial if it has none",
		}, true
	case got == "":
		return Line{Warn, "drive", "it tells no serial number; the bench says " + want, ""}, true
	case got != want:
		return Line{
			Fail, "drive", fmt.Sprintf("the drive at the target is %s, not %s: the bench's consent is for another one", got, want),
			"plug in the right one, or mend benches." + f.Bench.Name + ".target_serial",
		}, true
	}
	return Line{OK, "drive", "serial number " + got, ""}, true
}

// useLines say what else uses the drive: reads do no harm to it, but a bench that
// may write or cut power would be refused. Who only reads stands in the way of power alone.
func useLines(f *Facts) []Line {
	const what = "in use"
	var lines []Line
	for _, u := range f.Readers {
		level, so := Warn, "its IO is measured along with the bench's"
		if consents(&f.Bench, "power") {
			level, so = Fail, "power-down is refused"
		}
		lines = append(lines, Line{level, what, u.What + "; " + so, u.Cure})
	}
	switch {
	case f.UsesErr != nil:
		return []Line{{Warn, what, reason(f.UsesErr), ""}}
	case len(f.Uses) == 0 && f.WriteErr != nil:
		return []Line{{Fail, what, reason(f.WriteErr), "or take write and purge out of benches." + f.Bench.Name + ".consent"}}
	case len(f.Uses) == 0 && len(lines) > 0:
		return lines
	case len(f.Uses) == 0:
		return []Line{{OK, what, "by nobody", ""}}
	}
	level, so := Warn, "runs may only read from it"
	if consents(&f.Bench, "write", "power", "purge") {
		level, so = Fail, "writes, purges and power-down are refused"
	}
	for _, u := range f.Uses {
		found := strings.TrimSpace(u.Device + " " + u.What)
		if u.System {
			found += ", and this machine runs from it"
		}
		lines = append(lines, Line{level, what, found + "; " + so, u.Cure})
	}
	return lines
}

// consents reports whether the bench's owner has consented to one of some deeds.
func consents(b *config.Bench, deeds ...string) bool {
	return slices.ContainsFunc(b.Consent, func(c string) bool { return slices.Contains(deeds, c) })
}
