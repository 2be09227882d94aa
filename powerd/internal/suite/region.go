package suite

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"powerd/engine"
)

// maxEntropy is data that does not compress, in percent.
const maxEntropy = 100

// Range is the share of a drive that a load goes over: 75% from its start, 25-75%, or half.
type Range engine.Share

// UnmarshalYAML reads a range.
func (r *Range) UnmarshalYAML(n *yaml.Node) error {
	const want = "want a share of the drive: 75%%, 25-75%%, or half"
	if n.Kind != yaml.ScalarNode {
		return fault(n, "range: "+want)
	}
	text := strings.ReplaceAll(n.Value, " ", "")
	if text == "half" {
		text = "50%"
	}
	share, percent := strings.CutSuffix(text, "%")
	from, to, two := strings.Cut(share, "-")
	if !two {
		from, to = "0", from
	}
	var err1, err2 error
	r.FromPct, err1 = strconv.ParseFloat(from, 64)
	r.ToPct, err2 = strconv.ParseFloat(to, 64)
	if !percent || err1 != nil || err2 != nil || !(r.FromPct >= 0 && r.FromPct < r.ToPct && r.ToPct <= 100) {
		return fault(n, "range: %q: "+want, n.Value)
	}
	return nil
}

// share returns it for a job; of none, all of the drive.
func (r *Range) share() engine.Share {
	if r == nil {
		return engine.Share{}
	}
	return engine.Share(*r)
}

// region refuses a range beside a size.
func (c *checker) region(st *FileStep) {
	if st.Range != nil && st.Fio.Size != 0 {
		c.fault(st.line, "range, fio.size: both say where the load goes; keep one of them")
	}
}

// entropy refuses shares that are none, and those of nothing: only what is written has any.
func (c *checker) entropy(st *FileStep, over *Over) {
	values := over.Entropy
	if st.Fio.Entropy != nil {
		values = append([]int{*st.Fio.Entropy}, values...)
	}
	if len(values) == 0 {
		return
	}
	for _, pct := range values {
		c.between(st, "fio.entropy", pct, 0, maxEntropy)
	}
	for _, rw := range pick(over.RW, st.Fio.RW) {
		if engine.OnlyReads(rw) {
			c.fault(st.line, "fio.entropy: it is of what is written, and %s writes nothing", rw)
		}
	}
}
