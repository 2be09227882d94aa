package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newBench() NewBench {
	return NewBench{
		Name: "left", Module: "QTL1999-02-001", Port: "/dev/serial/by-id/usb-A", Target: "/dev/disk/by-id/scsi-X", TargetSerial: "0042",
		Rails: []string{"5v", "12v"}, Fixture: "riser: 7 # slot", AboutModule: "HD Power Module\r\n", AboutDrive: "Seagate, 400.1 GB",
	}
}

// Whatever a file holds, the bench is in it afterwards, and all else is as it was: every
// line of the old file but the one that a bench cannot stand beside, in its order.
func TestBenchIsAddedToAFile(t *testing.T) {
	for _, tc := range []struct{ name, old, lost string }{
		{"no benches yet", "# mine\nout: /srv/runs # disk 2\n\ninflux: {url: 'http://h:1', bucket: b}\n", ""},
		{"no newline at the end", "out: /srv/runs", ""},
		{"comments only", "# nothing yet\n", ""},
		{"empty", "", ""},
		{"an empty section", "benches:\n  # none yet\nout: runs\n", ""},
		{"an empty list of them", "benches: {}  # none yet\nout: runs\n", "benches: {}  # none yet"},
		{"others, at the end", "out: runs\nbenches:\n    # the old one\n    right:\n        port: /dev/b # cable 2\n        consent:\n            - power\n    # that was all\n", ""},
		{"others, in the middle", "benches:\n  # the old one\n  right: {port: /dev/b}\nout: runs # here\n", ""},
		{"Windows lines", "out: runs\r\nbenches:\r\n  right: {port: /dev/b}\r\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "powerd.yaml")
			if err := os.WriteFile(file, []byte(tc.old), 0o600); err != nil {
				t.Fatal(err)
			}
			backup, err := AddBench(file, newBench())
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rest := string(data)
			for line := range strings.Lines(tc.old) {
				line = strings.TrimRight(line, "\r\n")
				_, after, ok := strings.Cut(rest, line)
				if !ok && line != tc.lost {
					t.Errorf("%q is gone, or elsewhere, in\n%s", line, data)
				}
				if ok {
					rest = after
				}
			}
			c, err := Read(Sources{File: file})
			if err != nil {
				t.Fatalf("%v in\n%s", err, data)
			}
			b, err := c.Bench("left")
			if err != nil || b.Module.Serial != "QTL1999-02-001" || b.TargetSerial != "0042" || len(b.Rails) != 2 || b.Fixture != "riser: 7 # slot" || len(b.Consent) != 0 {
				t.Errorf("%+v, %v in\n%s", b, err, data)
			}
			if strings.Contains(tc.old, "right") && c.Benches["right"].Module.Port != "/dev/b" {
				t.Errorf("the other bench is %+v", c.Benches["right"])
			}
			if was, err := os.ReadFile(backup); err != nil || string(was) != tc.old {
				t.Errorf("the backup holds %q, %v", was, err)
			}
			for _, f := range []string{file, backup} { // it may hold a token
				if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s: %v, %v, want the rights that the file had", f, info, err)
				}
			}
			if left, _ := filepath.Glob(file + "*.tmp"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Where a program could only edit by writing the file anew, without its comments, or
// where the bench contradicts another, the file stays as it is. What to write by hand
// is shown.
func TestFileThatIsNotEdited(t *testing.T) {
	for _, tc := range []struct{ name, old, want string }{
		{"all in braces", "{out: runs}\n", "put this into it yourself, below a line `benches:` of its own:\n  left:\n    # HD Power Module;"},
		{"benches in braces", "benches: {right: {port: /dev/b}}\n", "put this into it yourself"},
		{"a bench of that name", "benches:\n  left: {port: /dev/b}\n", "left: is there already, in line"},
		{"the module is another's", "benches:\n  right: {port: /dev/b, module: QTL1999-02-001}\n", "is the module of benches."},
		{"the drive is another's", "benches:\n  right: {port: /dev/b, target: /dev/disk/by-id/scsi-X}\n", "is the drive of benches."},
		{"faults that it had before", "ouch: 1\n", "ouch: is no setting"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "powerd.yaml")
			if err := os.WriteFile(file, []byte(tc.old), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := AddBench(file, newBench())
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), file) {
				t.Errorf("%v, want %q and the file's name", err, tc.want)
			}
			if now, _ := os.ReadFile(file); string(now) != tc.old {
				t.Errorf("the file holds\n%s", now)
			}
			if all, _ := os.ReadDir(dir); len(all) != 1 {
				t.Errorf("the folder holds %v", all)
			}
		})
	}
}

// A file that is reached by a link is edited where it lies, and one that is not there
// is made, with its folder.
func TestFilesThatAreLinksOrNew(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "link.yaml")
	if err := os.WriteFile(real, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(dir, "etc", "powerd.yaml")
	for _, file := range []string{link, fresh} {
		if _, err := AddBench(file, newBench()); err != nil {
			t.Fatal(err)
		}
	}
	if to, err := os.Readlink(link); err != nil || to != real {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	for _, file := range []string{real, fresh} {
		if c, err := Read(Sources{File: file}); err != nil || c.Benches["left"].Name == "" {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Names that could not be told apart, or that a dotted key could not hold, are refused
// before anything is asked for them.
func TestNamesOfNewBenches(t *testing.T) {
	c, err := readText(t, "benches:\n  left: {port: /dev/a}\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"right": "", "Rack 7, left": "", "": "is no name", "a.b": "is no name", " a": "is no name", "a\tb": "is no name",
		"left": "bench.yaml:2; choose another name", "Left": `differs from that of bench "left"`,
	} {
		err := c.CheckName(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// Adding a bench to any file ends with the bench in it and the old settings in force,
// or with an error.
func FuzzAddBench(f *testing.F) {
	for _, seed := range []string{"", "benches:\n", "benches: {}\n", "benches:\n  a: {port: /dev/a}\nout: x\n", "? a\n: b\n", "out: |\n  x\n...\n", "--- {}\n", "\ufeffout: x\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, old string) {
		before, err := readFile(FromFile, "f", []byte(old))
		if err != nil {
			return
		}
		data, err := withBench("f", []byte(old), newBench())
		if err != nil {
			return
		}
		after, err := readFile(FromFile, "f", data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		for k, v := range before.values {
			if after.values[k].text != v.text {
				t.Errorf("%s was %q, is %q", k, v.text, after.values[k].text)
			}
		}
		if after.values["benches.left.fixture"].text != "riser: 7 # slot" {
			t.Errorf("no bench in\n%s", data)
		}
	})
}
