package bench

import (
	"fmt"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/quarch"
)

// used are the rails that a run speaks of, and who says so.
type used struct {
	rails []quarch.Rail
	by    string // "benches.left.rails", "drive file seagate-600", "twin nvme-12v"; "" = nobody does, they are all that the module measures
	owner bool   // the bench's owner says so
}

// used answers which rails the drive uses: as its twin file says, the bench, or else its
// drive file; where none does, all that the module measures. Nothing else asks that.
func (b *bench) used() used {
	switch {
	case b.twin != nil:
		return used{rails: slices.Clone(b.twin.Rails), by: "twin " + b.twin.Name}
	case len(b.cfg.Rails) > 0:
		u := used{by: "benches." + b.name + ".rails", owner: true}
		for _, r := range b.cfg.Rails {
			u.rails = append(u.rails, quarch.Rail(r))
		}
		return u
	case b.drive != nil && len(b.drive.Rails) > 0:
		return used{rails: slices.Clone(b.drive.Rails), by: "drive file " + b.drive.Name}
	}
	return used{rails: b.info.Rails}
}

// measuresAll refuses a module that does not measure a rail which the bench says that its
// drive uses: no total could come of it, and a drive is on the wrong supply perhaps.
func (b *bench) measuresAll() error {
	lacks := b.lacking()
	if lacks == "" {
		return nil
	}
	return fmt.Errorf("bench %s: %s; choose the drive's output mode (powerd power %s mode 5V, or 3V3), or mend benches.%s.rails", b.name, lacks, b.name, b.name)
}

// lacking says which rails the module does not measure though the bench says that its
// drive uses them; "" = none. What a drive file or a twin says withholds totals later.
func (b *bench) lacking() string {
	u := b.used()
	missing := analysis.Lacking(u.rails, b.info.Rails, nil)
	if len(missing) == 0 || !u.owner {
		return ""
	}
	text := fmt.Sprintf("module %s does not measure %s, which the bench says that the drive uses", b.info.Serial, railNames(missing))
	if b.info.OutputMode != "" {
		text += "; its output mode is " + b.info.OutputMode
	}
	return text
}

// suits refuses an output mode that gives the drive another low rail than it uses.
func (b *bench) suits(mode string) error {
	gives, takes := quarch.Rail5V, quarch.Rail3V3
	if strings.EqualFold(mode, "3V3") {
		gives, takes = takes, gives
	}
	u := b.used()
	if u.by == "" || slices.Contains(u.rails, gives) || !slices.Contains(u.rails, takes) {
		return nil
	}
	return refuse("bench %s: its drive uses %s (%s says), and mode %s gives it %s in place of %s: nothing was switched; if that is what it needs, mend benches.%s.rails first",
		b.name, railNames(u.rails), u.by, mode, gives, takes, b.name)
}

func railNames(rails []quarch.Rail) string {
	names := make([]string, len(rails))
	for i, r := range rails {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}
