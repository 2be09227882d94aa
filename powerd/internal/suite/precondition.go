package suite

import (
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// Precondition asks for what is written before a step, whatever its own load is: the
// range of the step so many times over, in sequential writes. A number alone is the
// times; the rest is as in SNIA's PTS.
type Precondition struct {
	Capacities float64
	AtMost     time.Duration // it ends then, however much was written
	BS         Bytes
	QD         int
}

const (
	preconditionSuffix = "-precondition"
	preconditionAtMost = 6 * time.Hour   // 400 GB twice take half an hour at 440 MB/s
	preconditionOnTwin = 2 * time.Minute // of 2 GiB
	preconditionBS     = 128 << 10
	preconditionQD     = 32
)

// UnmarshalYAML reads the times, or the whole.
func (p *Precondition) UnmarshalYAML(n *yaml.Node) error {
	const want = "it is how many times the range is written, e.g. 2, or {capacities: 2, at_most: 6h, bs: 128k, qd: 32}"
	*p = Precondition{Capacities: 2, BS: preconditionBS, QD: preconditionQD}
	if n.Kind == yaml.ScalarNode {
		return p.times(n, want)
	}
	if n.Kind != yaml.MappingNode {
		return fault(n, "precondition: "+want)
	}
	var seen []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if slices.Contains(seen, key.Value) {
			return fault(key, "precondition: %s stands there twice", key.Value)
		}
		seen = append(seen, key.Value)
		var err error
		switch key.Value {
		case "capacities":
			err = p.times(value, want)
		case "at_most":
			err = value.Decode((*Duration)(&p.AtMost))
		case "bs":
			err = value.Decode(&p.BS)
		case "qd":
			err = value.Decode(&p.QD)
		default:
			err = fault(key, "precondition: unknown key %s; there are capacities, at_most, bs, qd", key.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Precondition) times(n *yaml.Node, want string) error {
	x, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || !(x > 0 && x <= maxUntilWritten) {
		return fault(n, "precondition: %q: %s; above 0, up to %d times", n.Value, want, maxUntilWritten)
	}
	p.Capacities = x
	return nil
}

// precondition puts what is written before a step in front of it, as a load of its own.
func (s *Suite) precondition() {
	var out []FileStep
	for _, st := range s.Steps {
		if p := st.Precondition; p != nil && (st.Kind == Load || st.Kind == Matrix) {
			out = append(out, st.preconditioning(p))
		}
		out = append(out, st)
	}
	s.Steps = out
}

func (st *FileStep) preconditioning(p *Precondition) FileStep {
	trial := &Trial{Duration: Duration(preconditionOnTwin)}
	if st.OnTwin != nil && st.OnTwin.Precondition != nil {
		t := st.OnTwin.Precondition
		trial.UntilWritten, trial.QD = t.Capacities, t.QD
		instead(&trial.Duration, Duration(t.AtMost))
	}
	load := FileStep{
		Name: st.Name + preconditionSuffix, Kind: Load, Duration: Duration(preconditionAtMost), Sampling: st.Sampling,
		Fio: &Fio{RW: "write", BS: p.BS, QD: p.QD}, Range: st.Range, Repeat: Repeat{UntilWritten: p.Capacities}, OnTwin: trial, line: st.line,
	}
	if st.Fio != nil {
		load.Fio.IOEngine, load.Fio.Entropy = st.Fio.IOEngine, st.Fio.Entropy
	}
	if load.Fio.IOEngine == "psync" { // which keeps one IO in flight
		load.Fio.QD = 1
	}
	instead(&load.Duration, Duration(p.AtMost))
	return load
}
