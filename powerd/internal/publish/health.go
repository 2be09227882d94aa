package publish

import "fmt"

// beforeAfter says what a drive said of itself before the first step and after the last
// one; "" if it said nothing.
func beforeAfter(before, after string) string {
	switch {
	case before == "" && after == "":
		return ""
	case after == "":
		return before + " before the first step"
	case before == "":
		return after + " after the last step"
	}
	return fmt.Sprintf("%s before the first step, %s after the last", before, after)
}

func celsius(c *float64) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%g °C", *c)
}
