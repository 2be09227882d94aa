package suite

import (
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"powerd/analysis/idle"
)

// Settle asks an idle step to wait until the drive has settled: `true` or {} by the
// default rule, or {mean, within_pct, for, at_most}, of which any may be left out.
type Settle struct {
	Rule idle.Rule
	Off  bool // `false`
}

// rule returns what to wait for; nil if for nothing.
func (s *Settle) rule() *idle.Rule {
	if s == nil || s.Off {
		return nil
	}
	r := s.Rule
	return &r
}

// UnmarshalYAML reads a rule over the default one.
func (s *Settle) UnmarshalYAML(n *yaml.Node) error {
	s.Rule = idle.DefaultRule()
	if n.Kind == yaml.ScalarNode {
		on, err := strconv.ParseBool(n.Value)
		if err != nil {
			return fault(n, "settle: %q: it is true, false, or {mean: 1m, within_pct: 1, for: 3m, at_most: 15m}", n.Value)
		}
		s.Off = !on
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return fault(n, "settle: it is true, false, or {mean: 1m, within_pct: 1, for: 3m, at_most: 15m}")
	}
	var seen []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if slices.Contains(seen, key.Value) {
			return fault(key, "settle: %s stands there twice", key.Value)
		}
		seen = append(seen, key.Value)
		if err := s.set(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (s *Settle) set(key, value *yaml.Node) error {
	durations := map[string]*time.Duration{"mean": &s.Rule.Mean, "for": &s.Rule.For, "at_most": &s.Rule.AtMost}
	if into, ok := durations[key.Value]; ok {
		return value.Decode((*Duration)(into))
	}
	if key.Value != "within_pct" {
		return fault(key, "settle: unknown key %s; there are mean, within_pct, for, at_most", key.Value)
	}
	pct, err := strconv.ParseFloat(value.Value, 64)
	if value.Kind != yaml.ScalarNode || err != nil {
		return fault(value, "settle.within_pct: %q is no number", value.Value)
	}
	s.Rule.WithinPct = pct
	return nil
}

// settle refuses rules that say nothing, or that no drive could meet.
func (c *checker) settle(st *FileStep) {
	if st.Settle == nil {
		return
	}
	if st.Kind != Idle {
		c.fault(st.line, "settle: it belongs to %s, not to %s", Idle, st.Kind)
		return
	}
	const most = 24 * time.Hour
	r := st.Settle.Rule
	for _, d := range []struct {
		key    string
		value  time.Duration
		lowest time.Duration
	}{{"mean", r.Mean, time.Second}, {"for", r.For, r.Mean}, {"at_most", r.AtMost, r.For}} {
		if d.value < d.lowest || d.value > most || d.value%time.Second != 0 {
			c.fault(st.line, "settle.%s: %v: it is a whole number of seconds, %v to %v", d.key, d.value, max(time.Second, d.lowest), most)
		}
	}
	if !(r.WithinPct > 0 && r.WithinPct <= 50) {
		c.fault(st.line, "settle.within_pct: %g: it is above 0, up to 50", r.WithinPct)
	}
}
