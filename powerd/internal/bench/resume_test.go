package bench

import (
	"strings"
	"testing"

	"powerd/powerd/internal/results"
)

// Whatever a figure rests on must be as it was when the run began: each difference has its
// own words, and the machine, the port and the time may change.
func TestWhatARunIsNotGoneOnWith(t *testing.T) {
	begun := func() results.Meta {
		return results.Meta{
			Bench: results.Bench{Name: "left"}, Module: results.Module{Serial: "QTL1999-02-001", Port: "/dev/ttyUSB0"},
			Drive: results.Drive{Serial: "S1", Firmware: "A1", Target: "/dev/sda"}, Suite: results.Suite{SHA256: "aa"}, Steps: "p1",
			Run: results.Run{PowerdVersion: "1"}, BootID: "boot 1",
		}
	}
	for _, c := range []struct {
		what   string
		change func(*results.Meta)
		want   string // "" = it may go on
	}{
		{"another boot, port and kernel name", func(m *results.Meta) {
			m.BootID, m.Module.Port, m.Drive.Target = "boot 2", "/dev/ttyUSB1", "/dev/sdb"
		}, ""},
		{"bench", func(m *results.Meta) { m.Bench.Name = "right" }, "the bench was left, and is right now"},
		{"module", func(m *results.Meta) { m.Module.Serial = "QTL1999-02-002" }, "the module was QTL1999-02-001, and is QTL1999-02-002 now"},
		{"drive", func(m *results.Meta) { m.Drive.Serial = "S2" }, "the drive was S1, and is S2 now"},
		{"firmware", func(m *results.Meta) { m.Drive.Firmware = "A2" }, "the drive's firmware was A1, and is A2 now"},
		{"suite", func(m *results.Meta) { m.Suite.SHA256, m.Steps = "bb", "p2" }, "the suite's SHA-256 was aa, and is bb now"},
		{"settings", func(m *results.Meta) { m.Steps, m.Run.PowerdVersion = "p2", "2" }, "settings (sampling, fio, off_time) or powerd (1, now 2) make another plan"},
	} {
		then, now := begun(), begun()
		c.change(&now)
		got := strings.Join(differences(&then, &now), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	// A drive without a serial number is known by its path alone.
	then, now := begun(), begun()
	then.Drive.Serial, now.Drive.Serial, now.Drive.Target = "", "", "/dev/sdb"
	if got := differences(&then, &now); len(got) != 1 || !strings.Contains(got[0], "the target was /dev/sda") {
		t.Errorf("another path: %q", got)
	}
}
