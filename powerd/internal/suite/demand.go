package suite

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Demand is the kind of a step that raises the demand of a load: one load for each.
const Demand = "demand"

const maxDemand = 1 << 30 // IOPS

// Demands are the IOPS that a load is asked for one after the other: a list, or {from: 2000,
// to: 120000, by: 2000}.
type Demands []int

// UnmarshalYAML reads a list or a range.
func (d *Demands) UnmarshalYAML(n *yaml.Node) error {
	const want = "demand_iops: it is a list, e.g. [1000, 2000, 5000], or {from: 2000, to: 120000, by: 2000}"
	switch n.Kind {
	case yaml.SequenceNode:
		var list []int
		if n.Decode(&list) != nil {
			return fault(n, want)
		}
		*d = list
		return nil
	case yaml.MappingNode:
	default:
		return fault(n, want)
	}
	ends := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], 0
		if _, twice := ends[key.Value]; twice {
			return fault(key, "demand_iops: %s stands there twice", key.Value)
		}
		if n.Content[i+1].Decode(&value) != nil || value < 1 || value > maxDemand {
			return fault(key, "demand_iops.%s: it is 1 to %d IOPS", key.Value, maxDemand)
		}
		ends[key.Value] = value
	}
	from, to, by := ends["from"], ends["to"], ends["by"]
	if len(ends) != 3 || from == 0 || to == 0 || by == 0 {
		return fault(n, want)
	}
	if to < from || (to-from)/by > maxCells {
		return fault(n, "demand_iops: from %d to %d by %d: it goes up, in %d steps at most", from, to, by, maxCells)
	}
	for v := from; v <= to; v += by {
		*d = append(*d, v)
	}
	return nil
}

// demands expands a ramp into a load for each demand.
func (st *FileStep) demands(base Step) Plan {
	var plan Plan
	for _, iops := range st.Demands {
		s := base
		s.Within, s.Job.RateIOPS = Demand, iops
		s.add(fmt.Sprint(iops))
		plan = append(plan, s)
	}
	return plan
}

// demand refuses ramps that ask for nothing, and demands elsewhere.
func (c *checker) demand(st *FileStep) {
	if st.Kind != Demand {
		if st.Demands != nil {
			c.fault(st.line, "demand_iops: it belongs to %s, not to %s", Demand, st.Kind)
		}
		return
	}
	if len(st.Demands) == 0 {
		c.fault(st.line, "demand_iops: a ramp needs them, e.g. [1000, 2000, 5000], or {from: 2000, to: 120000, by: 2000}")
	}
	for _, iops := range st.Demands {
		c.between(st, "demand_iops", iops, 1, maxDemand)
	}
	c.ownLoads(st)
	if st.Fio != nil && st.Fio.RateIOPS != 0 {
		c.fault(st.line, "fio.rate_iops: demand_iops says it")
	}
}

// ownLoads refuses what would make the loads of a ramp or a recovery others than it needs.
func (c *checker) ownLoads(st *FileStep) {
	if st.Fio != nil && st.Fio.File != "" {
		c.fault(st.line, "fio.file: %s sets the rate or the pauses of its loads itself, and a job file has its own", st.Kind)
	}
	if st.Repeat != (Repeat{}) {
		c.fault(st.line, "rounds, until_written, until_steady: they belong to load and matrix, not to %s", st.Kind)
	}
}
