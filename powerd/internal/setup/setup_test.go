package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"powerd/analysis/limits"
	"powerd/engine/target"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/host"
	"powerd/quarch"
)

// scene is a machine with two modules and two drives, and a person who types.
type scene struct {
	Options
	out   bytes.Buffer
	asked []string
}

func newScene(t *testing.T, settings string, answers ...string) *scene {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "powerd.yaml")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := config.Read(config.Sources{File: file})
	if err != nil {
		t.Fatal(err)
	}
	module := func(serial, port string) catalog.Found {
		return catalog.Found{Port: port, Info: quarch.Info{Serial: serial, Model: "HD Module", Rails: []quarch.Rail{"12v", "5v"}}}
	}
	drive := filepath.Join(dir, "drive")
	if err := os.WriteFile(drive, make([]byte, 4096), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &scene{Options: Options{
		Config:  c,
		Modules: []catalog.Found{module("QTL1999-02-001", "/dev/usb-A"), module("QTL1999-02-002", "/dev/usb-B"), {Port: "/dev/ttyUSB9", Err: errors.New("no answer within 2 s")}},
		Drives: []host.Target{
			{Path: "/dev/vda", Block: "vda", SizeBytes: 100e9},
			{Path: drive, Vendor: "SEAGATE", Model: "ST400FM0053", Serial: "Z1F0", SizeBytes: 400e9},
		},
		Uses: func(path string) ([]target.Use, error) {
			if path == "/dev/vda" {
				return []target.Use{{Device: "vda1", What: "is mounted at /", System: true}}, nil
			}
			return nil, nil
		},
	}}
	s.Out = &s.out
	if answers != nil {
		s.Ask = func(_ context.Context, question string) (string, error) {
			s.asked = append(s.asked, question)
			if len(answers) == 0 {
				return "", nil // the end of what is typed
			}
			a := answers[0]
			answers = answers[1:]
			return a, nil
		}
	}
	return s
}

// Somebody chooses by number, mistypes once, and gives the bench a fixture and a name.
func TestWalkByNumbers(t *testing.T) {
	s := newScene(t, "", "7", "2", "2", "seagate-1200-400", "", "riser 7", "left")
	b, err := Walk(t.Context(), s.Options)
	if err != nil {
		t.Fatalf("%v after\n%s", err, &s.out)
	}
	want := config.NewBench{
		Name: "left", Module: "QTL1999-02-002", Port: "/dev/usb-B", Target: s.Drives[1].Path, Drive: "seagate-1200-400",
		Rails: []string{"5v", "12v"}, Fixture: "riser 7", AboutModule: "HD Module QTL1999-02-002", AboutDrive: "0.0 MB, a file",
	}
	if !reflect.DeepEqual(b, want) {
		t.Errorf("%+v\nwant %+v", b, want)
	}
	for _, said := range []string{
		"  1  QTL1999-02-001, HD Module, on /dev/usb-A\n", "  –  /dev/ttyUSB9: no answer within 2 s\n", `"7" is not the number of a module`,
		"  1  100.0 GB, /dev/vda, the disk that this machine runs from\n", "SEAGATE ST400FM0053, serial number Z1F0, 400.0 GB",
	} {
		if !strings.Contains(s.out.String(), said) {
			t.Errorf("%q was not said in\n%s", said, &s.out)
		}
	}
}

// With flags for all, nobody is asked; what no flag says is left out, and a drive file
// is not guessed.
func TestWalkWithoutAnybody(t *testing.T) {
	s := newScene(t, "benches:\n  left: {port: /dev/a}\n")
	s.Modules = s.Modules[:1]
	s.Given = Given{Target: s.Drives[1].Path, Rails: "5V"}
	b, err := Walk(t.Context(), s.Options)
	if err != nil {
		t.Fatal(err)
	}
	if b.Name != "bench2" || b.Module != "QTL1999-02-001" || b.Target != s.Drives[1].Path || b.Drive != "" || b.Fixture != "" || !reflect.DeepEqual(b.Rails, []string{"5v"}) {
		t.Errorf("%+v", b)
	}
}

// What cannot be a bench is refused with what was found and the flag that would answer.
func TestWalksThatEndEarly(t *testing.T) {
	twice := newScene(t, "").Modules[0]
	for _, tc := range []struct {
		name   string
		change func(*scene)
		answer []string
		want   string
	}{
		{"no module", func(s *scene) { s.Modules = nil }, nil, "no power module answers\nis it switched on, and its cable plugged in?"},
		{"a port that may not be opened", func(s *scene) {
			s.Modules = []catalog.Found{{Port: "/dev/ttyUSB0", Err: fmt.Errorf("open port: %w", os.ErrPermission)}}
		}, nil, "sudo usermod -aG dialout"},
		{"nobody chooses among two", nil, nil, "2 modules answer, and one has to be chosen: QTL1999-02-001 on /dev/usb-A; QTL1999-02-002 on /dev/usb-B; give it with --module"},
		{
			"one serial number twice", func(s *scene) { s.Modules = append(s.Modules[:1:1], twice); s.Modules[1].Port = "tcp:10.0.0.7" }, nil,
			"QTL1999-02-001 on /dev/usb-A (the same serial number as on tcp:10.0.0.7); QTL1999-02-001 on tcp:10.0.0.7 (the same serial number as on /dev/usb-A)",
		},
		{"no drive", func(s *scene) { s.Modules = s.Modules[:1] }, nil, "which drive? none was named; give it with --target"},
		{"the machine's own disk", func(s *scene) { s.Modules, s.Given.Target = s.Modules[:1], "/dev/vda" }, nil, "--target: "},
		{"a drive that is not there", func(s *scene) { s.Modules, s.Given.Target = s.Modules[:1], "/dev/disk/by-id/none" }, nil, "--target: /dev/disk/by-id/none is not there; a drive that has power is listed by ls /dev/disk/by-id"},
		{"a name that is taken", func(s *scene) { s.Given.Name = "right" }, nil, `--bench: there is a bench called "right" already, at`},
		{"another rail", func(s *scene) { s.Modules, s.Given.Target, s.Given.Rails = s.Modules[:1], "0", "3v3" }, nil, `--rails: "3v3" is no rail of this module; it has 5v, 12v`},
		{"an unknown drive file", func(s *scene) { s.Modules, s.Given.Target, s.Given.Drive = s.Modules[:1], "0", "hitachi" }, nil, `--drive: no drive file "hitachi"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, "benches:\n  right: {port: /dev/b}\n", tc.answer...)
			if tc.change != nil {
				tc.change(s)
			}
			if _, err := Walk(t.Context(), s.Options); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// The disk that the machine runs from is named as that, whoever chooses it.
func TestSystemDiskIsRefused(t *testing.T) {
	s := newScene(t, "")
	s.Uses = func(string) ([]target.Use, error) {
		return []target.Use{{Device: "vda1", What: "is mounted at /", System: true}}, nil
	}
	s.Modules, s.Given.Target = s.Modules[:1], s.Drives[1].Path
	if _, err := Walk(t.Context(), s.Options); err == nil || !strings.Contains(err.Error(), "is the disk that this machine runs from (vda1 is mounted at /)") {
		t.Errorf("%v", err)
	}
}

// A drive file is suggested by the model that the drive says itself. Vendor and size
// alone make it a question only, and not even that where two files fit.
func TestDriveFileIsSuggestedByModel(t *testing.T) {
	file := func(name, model string, bytes int64) *datasheet.Sheet {
		return &datasheet.Sheet{Name: name, Vendor: "Seagate", Model: model, CapacityBytes: bytes, Claims: []limits.Claim{}}
	}
	sheets := []*datasheet.Sheet{file("s400", "1200 SSD 400 GB", 400e9), file("s1600", "ST1600FM0003", 1600e9), file("o1600", "1200.2 SSD 1.6 TB", 1600e9), file("x1600", "1200.3 SSD", 1600e9)}
	for _, tc := range []struct {
		name  string
		drive host.Target
		want  string
		sure  bool
	}{
		{"its own model", host.Target{Vendor: "SEAGATE", Model: "st1600fm0003", SizeBytes: 1_600_321_314_816}, "s1600", true},
		{"vendor and size", host.Target{Vendor: "SEAGATE", Model: "ST400FM0053", SizeBytes: 400_088_457_216}, "s400", false},
		{"three files fit", host.Target{Vendor: "SEAGATE", Model: "ST1600FM0023", SizeBytes: 1600e9}, "", false},
		{"another vendor", host.Target{Vendor: "ATA", Model: "X", SizeBytes: 400e9}, "", false},
		{"nothing known", host.Target{}, "", false},
	} {
		if name, sure := suggest(&tc.drive, sheets); name != tc.want || sure != tc.sure {
			t.Errorf("%s: %q, %v; want %q, %v", tc.name, name, sure, tc.want, tc.sure)
		}
	}
}

// The rails of the drive file are suggested, as far as the module has them.
func TestRailsOfTheDriveFileAreSuggested(t *testing.T) {
	s := newScene(t, "", "1", "2", "seagate-600", "", "", "left")
	b, err := Walk(t.Context(), s.Options)
	if err != nil || !reflect.DeepEqual(b.Rails, []string{"5v"}) {
		t.Errorf("%+v, %v; the Seagate 600 uses 5 V alone", b, err)
	}
}

// Whoever interrupts is not asked again.
func TestInterruptedWalkEnds(t *testing.T) {
	s := newScene(t, "")
	asked := 0
	s.Ask = func(context.Context, string) (string, error) { asked++; return "", context.Canceled }
	if _, err := Walk(t.Context(), s.Options); !errors.Is(err, context.Canceled) || asked != 1 {
		t.Errorf("%v after %d questions", err, asked)
	}
}
