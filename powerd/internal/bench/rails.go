package bench

import (
	"fmt"
	"slices"
	"strings"

	"powerd/quarch"
)

// namedRails are the rails that the drive uses, as its twin file says, the bench, or else
// its drive file; nil = none does.
func (b *bench) namedRails() []quarch.Rail {
	if b.twin != nil {
		return slices.Clone(b.twin.Rails)
	}
	var rails []quarch.Rail
	for _, r := range b.cfg.Rails {
		rails = append(rails, quarch.Rail(r))
	}
	if len(rails) == 0 && b.drive != nil {
		rails = slices.Clone(b.drive.Rails)
	}
	return rails
}

// rails are those that the drive uses: as the bench or its drive file says, else all that
// the module measures.
func (b *bench) rails() []quarch.Rail {
	if rails := b.namedRails(); len(rails) > 0 {
		return rails
	}
	return b.info.Rails
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

// lacking says which rails of the bench the module does not measure; "" = none.
func (b *bench) lacking() string {
	var missing []string
	for _, r := range b.cfg.Rails {
		if !slices.Contains(b.info.Rails, quarch.Rail(r)) {
			missing = append(missing, r)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	text := fmt.Sprintf("module %s does not measure %s, which the bench says that the drive uses", b.info.Serial, strings.Join(missing, ", "))
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
	rails := b.namedRails()
	if slices.Contains(rails, gives) || !slices.Contains(rails, takes) {
		return nil
	}
	says := "benches." + b.name + ".rails"
	if len(b.cfg.Rails) == 0 {
		says = "drive file " + b.drive.Name
	}
	return refuse("bench %s: its drive uses %s (%s says), and mode %s gives it %s in place of %s: nothing was switched; if that is what it needs, mend benches.%s.rails first",
		b.name, railNames(rails), says, mode, gives, takes, b.name)
}

func railNames(rails []quarch.Rail) string {
	names := make([]string, len(rails))
	for i, r := range rails {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}
