package datasheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"powerd/analysis/limits"
	"powerd/quarch"
)

// unstated is the window of a claim that names none.
const unstated = "unstated"

const maxWindow = time.Hour

// checker turns a file into a Sheet and collects its faults.
type checker struct {
	file   string
	faults []error
}

func (c *checker) fault(line int, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s:%d: %s", c.file, max(1, line), fmt.Sprintf(format, args...)))
}

func (c *checker) sheet(f *sheetFile) *Sheet {
	s := &Sheet{Name: f.Name.text, Vendor: f.Vendor.text, Model: f.Model.text, Interface: f.Interface.text, SpinUp: f.SpinUp}
	if !goodName(s.Name) {
		c.fault(f.Name.line, "name: %q: a drive file needs a name of letters, digits, '-', '_' and '.'", s.Name)
	}
	if f.Capacity.text != "" {
		bytes, err := parseValue(f.Capacity.text, capacityUnits())
		if err != nil {
			c.fault(f.Capacity.line, "capacity: %v", err)
		}
		s.CapacityBytes = int64(min(bytes, 1e18))
	}
	s.Rails = c.rails(f)
	seen := map[string]int{}
	for i := range f.Claims {
		k := &f.Claims[i]
		if first, twice := seen[k.Name.text]; twice {
			c.fault(k.Name.line, "name: %q stands in line %d already", k.Name.text, first)
		}
		seen[k.Name.text] = k.Name.line
		s.Claims = append(s.Claims, c.claim(k, s))
	}
	return s
}

func (c *checker) rails(f *sheetFile) []quarch.Rail {
	var rails []quarch.Rail
	if len(f.Rails) == 0 {
		c.fault(f.Name.line, "rails: list those that the drive has, of 5v, 12v, 3v3")
	}
	for _, r := range f.Rails {
		switch rail := quarch.Rail(r.text); {
		case rail.NominalVolts() == 0:
			c.fault(r.line, "rails: %q: a rail is one of 5v, 12v, 3v3", r.text)
		case slices.Contains(rails, rail):
			c.fault(r.line, "rails: %q stands there twice", r.text)
		default:
			rails = append(rails, rail)
		}
	}
	return rails
}

func (c *checker) claim(k *claimFile, s *Sheet) limits.Claim {
	out := limits.Claim{Name: k.Name.text, Kind: k.Kind.text, Source: k.Source.text, Quantity: k.Quantity.text}
	at := func(f field) int { return max(f.line, k.line) }
	if !goodName(out.Name) {
		c.fault(at(k.Name), "name: %q: a claim needs a name of letters, digits, '-', '_' and '.'", out.Name)
	}
	if kinds := []string{limits.KindMax, limits.KindMin, limits.KindTypical}; !slices.Contains(kinds, out.Kind) {
		c.fault(at(k.Kind), "kind: %q: it is one of %s", out.Kind, strings.Join(kinds, ", "))
	}
	if strings.TrimSpace(out.Source) == "" {
		c.fault(at(k.Source), "source: say where the claim is published")
	}
	q, ok := limits.QuantityOf(out.Quantity)
	if !ok {
		c.fault(at(k.Quantity), "quantity: %q: it is one of %s", out.Quantity, strings.Join(quantityNames(), ", "))
		return out
	}
	var err error
	if out.Limit, err = parseValue(k.Value.text, unitsOf(q)); err != nil {
		c.fault(at(k.Value), "value: %v", err)
	}
	out.Unit = q.Unit
	out.Rail = c.rail(k, q, s, at)
	out.WindowUs = c.window(k, q, at)
	out.Workload = c.workload(k, q, at)
	out.What = about(q, out)
	return out
}

func (c *checker) rail(k *claimFile, q limits.Quantity, s *Sheet, at func(field) int) string {
	r := k.Rail.text
	switch {
	case (q.IO || q.Planning) && r != "":
		c.fault(at(k.Rail), "rail: %s is of no rail", q.Name)
	case q.IO, q.Planning:
	case q.OneRail && (r == "" || r == limits.RailTotal):
		c.fault(at(k.Rail), "rail: %s is of one rail; name it", q.Name)
	case r == "" || r == limits.RailTotal:
		return limits.RailTotal
	case !s.Has(quarch.Rail(r)):
		c.fault(at(k.Rail), "rail: %q: it is none of the drive's rails", r)
	}
	return r
}

func (c *checker) window(k *claimFile, q limits.Quantity, at func(field) int) (us float64) {
	switch text := k.Window.text; {
	case text == "" && q.Windowed:
		c.fault(at(k.Window), "window: %s is a mean over some time: name it (10ms), or write %s", q.Name, unstated)
	case text == "" || text == unstated:
	case q.IO, q.Planning:
		c.fault(at(k.Window), "window: %s has none", q.Name)
	default:
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Microsecond || d > maxWindow {
			c.fault(at(k.Window), "window: %q: write a duration with its unit, 1us to 1h (100us, 10ms, 1s), or %s", text, unstated)
			return 0
		}
		return float64(d) / float64(time.Microsecond)
	}
	return 0
}

func (c *checker) workload(k *claimFile, q limits.Quantity, at func(field) int) *limits.Workload {
	w := k.Workload
	switch {
	case w == nil && q.IO:
		c.fault(k.line, "workload: %s needs one: {rw: randread, bs: 4k}", q.Name)
		return nil
	case w == nil:
		return nil
	case !q.Loaded:
		c.fault(at(w.RW), "workload: %s has none", q.Name)
		return nil
	}
	out := &limits.Workload{RW: w.RW.text, State: w.State.text}
	if rws := limits.WorkloadKinds(); !slices.Contains(rws, out.RW) {
		c.fault(at(w.RW), "workload.rw: %q: it is one of %s", out.RW, strings.Join(rws, ", "))
	}
	if states := []string{"", "fresh", "steady"}; !slices.Contains(states, out.State) {
		c.fault(at(w.State), "workload.state: %q: it is fresh or steady, or left out", out.State)
	}
	bs, err := parseValue(w.BS.text, blockUnits())
	if err != nil || bs != float64(int64(bs)) || bs > 1<<30 {
		c.fault(at(w.BS), "workload.bs: %q: write bytes, or k, m (powers of 1024), e.g. 4k, 128k", w.BS.text)
	}
	out.BlockBytes = int64(min(bs, 1<<30))
	mixed := out.Mixed()
	if mixed || w.ReadPct.text != "" {
		out.ReadPct = c.count(w.ReadPct, k.line, "workload.read_pct", 0, 100)
		if !mixed {
			c.fault(at(w.ReadPct), "workload.read_pct: it belongs to rw and randrw, not to %s", out.RW)
		}
	}
	if w.QD.text != "" {
		out.QD = c.count(w.QD, k.line, "workload.qd", 1, 65536)
	}
	return out
}

func (c *checker) count(f field, line int, key string, least, most int) int {
	n, err := strconv.Atoi(f.text)
	if err != nil || n < least || n > most {
		c.fault(max(f.line, line), "%s: %q: it is %d to %d", key, f.text, least, most)
		return 0
	}
	return n
}

func goodName(s string) bool {
	fit := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
	}
	return s != "" && len(s) <= 64 && s[0] != '.' && s[0] != '-' && strings.IndexFunc(s, func(r rune) bool { return !fit(r) }) < 0
}

func quantityNames() []string {
	var names []string
	for _, q := range limits.Quantities() {
		names = append(names, q.Name)
	}
	return names
}
