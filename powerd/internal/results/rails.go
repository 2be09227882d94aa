package results

import (
	"slices"

	"powerd/quarch"
)

// A run speaks of the rails that its bench uses, Bench.RailsUsed: figures, pictures and
// totals are of those. Another rail of the module is measured for a warning alone.

// noRails are the rails, measured or in use, that the drive file says the drive has
// none of.
func (d *Document) noRails() []quarch.Rail {
	if d.sheet == nil {
		return nil
	}
	out := slices.DeleteFunc(slices.Clone(d.Module.Rails), d.sheet.Has)
	for _, r := range d.Bench.RailsUsed {
		if !d.sheet.Has(r) && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// shown are the rails that pictures show: those in use, without those that the drive
// has none of and the module does not measure either. nil = all that are measured.
func (d *Document) shown() []quarch.Rail {
	none := d.noRails()
	return slices.DeleteFunc(slices.Clone(d.Bench.RailsUsed), func(r quarch.Rail) bool {
		return slices.Contains(none, r) && !slices.Contains(d.Module.Rails, r)
	})
}

// NotMeasured returns the rails in use that any figure of the run lacks.
func (d *Document) NotMeasured() []quarch.Rail {
	var out []quarch.Rail
	if d.Inrush != nil {
		for _, c := range d.Inrush.Cycles {
			out = append(out, c.NotMeasured...)
		}
	}
	for _, r := range d.Idles {
		out = append(out, r.NotMeasured...)
	}
	for _, c := range d.Efficiency {
		out = append(out, c.NotMeasured...)
	}
	for _, r := range d.Records {
		out = append(out, r.NotMeasured...)
	}
	slices.SortFunc(out, quarch.CompareRails)
	return slices.Compact(out)
}
