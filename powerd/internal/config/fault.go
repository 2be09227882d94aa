package config

import "fmt"

// KeyError is a key or value that is not allowed.
type KeyError struct {
	Where string // "powerd.yaml:12", "POWERD_INFLUX_URL", "--module"
	Key   string
	Value string // as written; empty for a key that should not be there
	Want  string // what is wrong with it and what is allowed
}

func (f *KeyError) Error() string {
	if f.Value == "" {
		return fmt.Sprintf("%s: %s: %s", f.Where, f.Key, f.Want)
	}
	return fmt.Sprintf("%s: %s: %q %s", f.Where, f.Key, f.Value, f.Want)
}

// hidden stands for a secret.
const hidden = "(hidden)"

// didYouMean names the candidate that text is a slip of, if there is one.
func didYouMean(text string, candidates []string) string {
	best, least := "", 1+max(1, min(2, len(text)/3))
	for _, c := range candidates {
		if d := distance(text, c); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// distance counts the letters to add, drop, change or swap between a and b.
func distance(a, b string) int {
	var before, last, row []int // the last three rows of the table
	for j := range len(b) + 1 {
		last = append(last, j)
	}
	for i := 1; i <= len(a); i++ {
		row = append(make([]int, 0, len(b)+1), i)
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d := min(row[j-1]+1, last[j]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row = append(row, d)
		}
		before, last = last, row
	}
	return last[len(b)]
}
