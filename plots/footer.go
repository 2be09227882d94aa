package plots

import "strings"

// Footer says where a picture comes from. Empty fields are left out.
type Footer struct {
	Drive    string // vendor and model
	Firmware string
	Module   string // model and serial number of the power module
	Suite    string
	Step     string // step that the picture shows; empty for a whole run
	Sampling string // "64 µs"
	UTCDate  string // start of the run, "2026-11-30 20:14:05 UTC"
	RunID    string

	Simulated bool   // the drive was emulated
	Scale     string // "1:4" where rates were scaled down; empty = not scaled
}

// items returns the footer's words in reading order.
func (f Footer) items() []string {
	var items []string
	add := func(before, value string) {
		if value != "" {
			items = append(items, before+value)
		}
	}
	add("", f.Drive)
	add("firmware ", f.Firmware)
	add("module ", f.Module)
	add("suite ", f.Suite)
	add("step ", f.Step)
	add("sampling ", f.Sampling)
	add("start ", f.UTCDate)
	add("run ", f.RunID)
	return items
}

// wrap joins items with a middle dot into lines that are no wider than limit by
// the measure given. An item that is too wide alone goes on in further lines, broken
// between words; a word that is too wide has a line of its own.
func wrap(items []string, limit float64, width func(string) float64) []string {
	const dot = "  ·  "
	var lines []string
	for _, item := range items {
		if n := len(lines); n > 0 && width(lines[n-1]+dot+item) <= limit {
			lines[n-1] += dot + item
			continue
		}
		words := strings.Split(item, " ")
		line := words[0]
		for _, word := range words[1:] {
			if width(line+" "+word) <= limit {
				line += " " + word
				continue
			}
			lines, line = append(lines, line), word
		}
		lines = append(lines, line)
	}
	return lines
}
