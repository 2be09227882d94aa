package limits

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// overWindows judges a claim that names no window over every window there is.
func (v *Verdict) overWindows(c Claim, figures []Figure) {
	figures = slices.SortedFunc(slices.Values(figures), func(a, b Figure) int { return cmp.Compare(a.WindowUs, b.WindowUs) })
	agreed := true
	for _, f := range figures {
		w := one(c, f)
		v.Windows = append(v.Windows, w)
		agreed = agreed && w.Judged == v.Windows[0].Judged
		if w.Verdict == Fail {
			v.Judged = w.Judged
		}
	}
	if agreed {
		v.Verdict, v.Judged = v.Windows[0].Verdict, v.Windows[0].Judged
	}
	v.Why = "no window stated: " + sentence(c, v.Windows)
	if figures[0].Raw && len(figures) > 1 {
		v.Why += " (the shortest is a single sample, and counts)"
	}
}

// sentence says which windows, in rising order, say what.
func sentence(c Claim, ws []Window) string {
	var parts []string
	for i := 0; i < len(ws); {
		j := i + 1
		for j < len(ws) && ws[j].Judged == ws[i].Judged && (ws[i].Judged != Inconclusive || reason(ws[j]) == reason(ws[i])) {
			j++
		}
		parts = append(parts, says(c, ws[i])+" "+where(ws, i, j))
		i = j
	}
	return strings.Join(parts, ", ")
}

// reason tells an inconclusive window that is too close from one that may not be
// judged.
func reason(w Window) string {
	if w.PBeyond != nil {
		return "too close to tell"
	}
	return w.Why
}

func says(c Claim, w Window) string {
	limit := "the limit"
	if c.Kind == KindTypical {
		limit = "the typical value"
	}
	switch w.Judged {
	case JudgedAbove:
		return "above " + limit
	case JudgedBelow:
		return "below " + limit
	case JudgedWithin:
		return "within " + limit
	}
	return reason(w)
}

// where names the windows i to j of ws, j not included.
func where(ws []Window, i, j int) string {
	first, last := span(ws[i].WindowUs), span(ws[j-1].WindowUs)
	switch {
	case j-i == 1:
		return "over " + first
	case i == 0 && j == len(ws):
		return "on every window from " + first + " to " + last
	case i == 0:
		return "on windows up to " + last
	case j == len(ws):
		return "from " + first + " on"
	}
	return "from " + first + " to " + last
}

// span writes a window as people do: "4 µs", "10 ms", "1 s".
func span(us float64) string {
	unit := "µs"
	switch {
	case us >= 1e6:
		us, unit = us/1e6, "s"
	case us >= 1e3:
		us, unit = us/1e3, "ms"
	}
	return strconv.FormatFloat(rounded(us, 4), 'f', -1, 64) + " " + unit
}
