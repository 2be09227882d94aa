package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"powerd/powerd/internal/host"
)

// chooseTarget lists the drives and asks for the one that hangs on the module.
func (w *walk) chooseTarget(ctx context.Context) error {
	if w.Given.Target == "" && w.Ask != nil {
		w.listDrives()
	}
	none := "" // where nobody is asked, none is no answer to have by leaving it out
	if w.Ask != nil {
		none = "0"
	}
	return w.find(ctx, question{
		text: "Which drive hangs on module " + w.module.Serial + "? its number, a path, or 0 for none yet", flag: "target", given: w.Given.Target, fallback: none,
		accept: func(answer string) error {
			if answer == "" {
				return errors.New("which drive? none was named")
			}
			n, ok := number(answer, len(w.Drives))
			switch {
			case ok && n > 0 && w.Given.Target == "":
				answer = w.Drives[n-1].Path
			case ok && n == 0:
				return nil
			}
			return w.takeTarget(answer)
		},
	})
}

func (w *walk) listDrives() {
	fmt.Fprintln(w.Out, "Drives:")
	for i, d := range w.Drives {
		fmt.Fprintf(w.Out, "  %d  %s\n", i+1, strings.Join(w.tell(&d), ", "))
	}
	fmt.Fprintln(w.Out, "  0  none yet")
}

// tell says of a drive what a person knows it by, and what speaks against it.
func (w *walk) tell(d *host.Target) []string {
	said := []string{cmp.Or(about(d), "unknown drive"), d.Path}
	if d.Block != "" && filepath.Base(d.Path) != d.Block {
		said[1] += " (" + d.Block + ")"
	}
	uses, err := w.Uses(d.Path)
	if err != nil {
		said = append(said, "who uses it cannot be told")
	}
	for _, u := range uses {
		if u.System {
			return append(said, "the disk that this machine runs from")
		}
		said = append(said, strings.TrimSpace(u.Device+" "+u.What))
	}
	if name := w.benchOf(d.Path); name != "" {
		said = append(said, "on bench "+name)
	}
	return said
}

// about says what a drive is: vendor, model, serial number, size.
func about(d *host.Target) string {
	said := []string{strings.TrimSpace(d.Vendor + " " + d.Model)}
	if d.Serial != "" {
		said = append(said, "serial number "+d.Serial)
	}
	if d.SizeBytes > 0 {
		said = append(said, d.Size())
	}
	if d.Interface == "file" {
		said = append(said, "a file")
	}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), ", ")
}

// benchOf returns the bench that a drive stands on already, "" if on none.
func (w *walk) benchOf(path string) string {
	for _, name := range slices.Sorted(maps.Keys(w.Config.Benches)) {
		if t := w.Config.Benches[name].Target; t != "" && real(t) == real(path) {
			return name
		}
	}
	return ""
}

func real(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// takeTarget takes a drive by its path, as its stable name if it has one.
func (w *walk) takeTarget(path string) error {
	d, err := host.Look(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not there; a drive that has power is listed by ls /dev/disk/by-id", path)
	}
	if err != nil {
		return err
	}
	uses, err := w.Uses(d.Path)
	if err != nil {
		return err
	}
	for _, u := range uses {
		if u.System {
			return fmt.Errorf("%s is the disk that this machine runs from (%s); its power cannot be measured from here without harm", path, strings.TrimSpace(u.Device+" "+u.What))
		}
	}
	stable := strings.HasPrefix(d.Path, "/dev/disk/by-")
	switch {
	case d.Block != "" && !stable && d.ByID != "":
		fmt.Fprintf(w.Out, "%s is another drive's name after a restart, perhaps; taking %s\n", d.Path, d.ByID)
		d.Path = d.ByID
	case d.Block != "" && !stable:
		fmt.Fprintf(w.Out, "%s has no stable name under /dev/disk/by-id: another drive may have this one after a restart\n", d.Path)
	}
	for _, u := range uses {
		fmt.Fprintf(w.Out, "%s %s: runs may read from it; writes and power commands are refused as long as that is so\n", d.Path, u.What)
	}
	w.drive = d
	w.bench.Target, w.bench.TargetSerial, w.bench.AboutDrive = d.Path, d.Serial, about(&d)
	return nil
}
