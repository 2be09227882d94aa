package efficiency

import (
	"slices"

	"powerd/analysis"
	"powerd/engine"
)

// maxParts bounds the parts of a window: of a long one's intervals so many
// neighbours are joined that no more are left.
const maxParts = 128

// Part is a stretch of a cell's window and what the engine did in it. Counts need
// not be whole: an interval across the window's border counts by its share.
type Part struct {
	analysis.Window
	IOs, Bytes float64
}

// Parts returns the stretches that tell a cell's scatter, in time order. They are
// the engine's own intervals inside the window. Where it logged none for longer
// than it waits between two (half a typical interval between two of them, one and a
// half at the window's ends, since the last row may not have been written), the
// drive was silent, or rows are lost: that time is a part too, and holds what the
// engine's total has beyond its intervals. Crumbs of less than half a typical
// interval are left out.
func Parts(r *engine.Result) []Part {
	parts := inside(r)
	if len(parts) == 0 {
		return nil
	}
	lengths := make([]int64, len(parts))
	for i, p := range parts {
		lengths[i] = p.EndNs - p.StartNs
	}
	slices.Sort(lengths)
	typical := lengths[len(lengths)/2]
	parts = fill(r, parts, typical)
	parts = slices.DeleteFunc(parts, func(p Part) bool { return p.EndNs-p.StartNs < typical/2 })
	return join(parts, (len(parts)+maxParts-1)/maxParts)
}

// inside returns r's intervals, cut to its window.
func inside(r *engine.Result) []Part {
	var out []Part
	from := r.StartNs
	for _, v := range r.Intervals {
		a, b := max(v.StartNs, from), min(v.EndNs, r.EndNs)
		if b <= a {
			continue
		}
		share := float64(b-a) / float64(v.EndNs-v.StartNs)
		out = append(out, Part{
			Window: analysis.Window{StartNs: a, EndNs: b},
			IOs:    share * float64(v.Reads+v.Writes),
			Bytes:  share * float64(v.ReadBytes+v.WriteBytes),
		})
		from = b
	}
	return out
}

// fill puts the silences between parts in their places.
func fill(r *engine.Result, parts []Part, typicalNs int64) []Part {
	var logged Part
	var loggedNs, silentNs, crumbsNs float64
	var out []Part
	silences := map[int]bool{}
	gap := func(a, b, leastNs int64) {
		switch {
		case b > a && b-a >= leastNs:
			silences[len(out)] = true
			silentNs += float64(b - a)
			out = append(out, Part{Window: analysis.Window{StartNs: a, EndNs: b}})
		case b > a:
			crumbsNs += float64(b - a)
		}
	}
	endNs, leastNs := r.StartNs, typicalNs*3/2
	for _, p := range parts {
		gap(endNs, p.StartNs, leastNs)
		out = append(out, p)
		logged.IOs, logged.Bytes = logged.IOs+p.IOs, logged.Bytes+p.Bytes
		loggedNs += float64(p.EndNs - p.StartNs)
		endNs, leastNs = p.EndNs, typicalNs/2
	}
	gap(endNs, r.EndNs, typicalNs*3/2)

	// Time without a row that is no silence went on as the rows did.
	rest := func(total uint64, counted float64) float64 {
		return max(0, float64(total)-counted*(1+crumbsNs/loggedNs))
	}
	ios, bytes := rest(r.IOs(), logged.IOs), rest(r.Bytes(), logged.Bytes)
	for i := range silences {
		share := float64(out[i].EndNs-out[i].StartNs) / silentNs
		out[i].IOs, out[i].Bytes = share*ios, share*bytes
	}
	return out
}

// join makes one part of each k neighbours; what is left over goes to the last.
func join(parts []Part, k int) []Part {
	if k < 2 {
		return parts
	}
	var out []Part
	for i, p := range parts {
		if n := len(out); i%k != 0 || n > 0 && len(parts)-i < k {
			q := &out[n-1]
			q.EndNs, q.IOs, q.Bytes = p.EndNs, q.IOs+p.IOs, q.Bytes+p.Bytes
			continue
		}
		out = append(out, p)
	}
	return out
}
