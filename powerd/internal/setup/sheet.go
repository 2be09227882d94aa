package setup

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/host"
)

const none = "none"

// chooseSheet asks for the drive file. Where nobody can be asked, only one that names
// the drive's own model is taken: a wrong one would judge the drive by another's claims.
func (w *walk) chooseSheet(ctx context.Context) error {
	name, sure := suggest(&w.drive, builtIn())
	if w.bench.Target == "" {
		name = ""
	}
	q := question{
		text: "Which drive file (what the maker claims)? a number, a path, or " + none, flag: "drive", given: w.Given.Drive, fallback: none,
		accept: w.takeSheet,
	}
	if name != "" && (sure || w.Ask != nil) {
		q.fallback = name
	}
	if w.Ask != nil && q.given == "" {
		fmt.Fprintln(w.Out, "Drive files:")
		for i, n := range datasheet.Names() {
			fmt.Fprintf(w.Out, "  %d  %s\n", i+1, n)
		}
	}
	return w.find(ctx, q)
}

func (w *walk) takeSheet(answer string) error {
	w.sheet, w.bench.Drive = nil, ""
	if answer == none || answer == "" {
		return nil
	}
	names := datasheet.Names()
	if n, ok := number(answer, len(names)); ok && n > 0 {
		answer = names[n-1]
	}
	sheet, err := datasheet.Find(answer)
	if err != nil {
		return err
	}
	if !slices.Contains(names, answer) { // a path, which has to hold from any folder
		if answer, err = filepath.Abs(answer); err != nil {
			return fmt.Errorf("find drive file: %w", err)
		}
	}
	w.sheet, w.bench.Drive = sheet, answer
	return nil
}

// builtIn returns the built-in drive files.
func builtIn() []*datasheet.Sheet {
	var all []*datasheet.Sheet
	for _, n := range datasheet.Names() {
		if s, err := datasheet.Find(n); err == nil {
			all = append(all, s)
		}
	}
	return all
}

// suggest names the drive file that may be a drive's: surely if the drive says the
// model that the file says, else if vendor and capacity fit no other file.
func suggest(d *host.Target, sheets []*datasheet.Sheet) (name string, sure bool) {
	const leastModel = 6 // letters: shorter ones are part of many
	var fit []string
	for _, s := range sheets {
		model := letters(s.Model)
		if len(model) >= leastModel && strings.Contains(letters(d.Model), model) {
			return s.Name, true
		}
		near := math.Abs(float64(s.CapacityBytes-d.SizeBytes)) <= 0.01*float64(d.SizeBytes)
		if d.SizeBytes > 0 && near && d.Vendor != "" && strings.EqualFold(d.Vendor, s.Vendor) {
			fit = append(fit, s.Name)
		}
	}
	if len(fit) == 1 {
		return fit[0], false
	}
	return "", false
}

// letters leaves letters and digits of a text, in capitals.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, text)
}
