package fio

import (
	"bytes"
	"strings"
)

// nonFinite is a value that is no number, as fio prints for a mean of nothing.
type nonFinite struct {
	offset int64  // in the output
	path   string // "jobs.read.iops_stddev"
	text   string // "-nan"
}

// dropNonFinite replaces nan and inf outside strings by null, which makes a
// document readable again, and says where they stood. base is the document's
// offset in the output.
func dropNonFinite(doc []byte, base int64) ([]byte, []nonFinite) {
	lower := bytes.ToLower(doc)
	if !bytes.Contains(lower, []byte("nan")) && !bytes.Contains(lower, []byte("inf")) {
		return doc, nil
	}
	out := make([]byte, 0, len(doc)+64)
	var found []nonFinite
	var parents []string
	key := ""
	for i := 0; i < len(doc); {
		c := doc[i]
		switch {
		case c == '"':
			end := stringEnd(doc, i)
			out = append(out, doc[i:end]...)
			if isKey(doc, end) {
				key = string(bytes.Trim(doc[i:end], `"`))
			}
			i = end
			continue
		case c == '{':
			parents = append(parents, key)
		case c == '}' && len(parents) > 0:
			parents = parents[:len(parents)-1]
		}
		if word := wordAt(doc, i); isNonFinite(word) {
			found = append(found, nonFinite{base + int64(i), pathOf(parents, key), word})
			out = append(out, "null"...)
			i += len(word)
			continue
		} else if len(word) > 1 {
			out = append(out, word...)
			i += len(word)
			continue
		}
		out = append(out, c)
		i++
	}
	return out, found
}

// stringEnd returns the index behind the string that begins at i.
func stringEnd(doc []byte, i int) int {
	for j := i + 1; j < len(doc); j++ {
		switch doc[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(doc)
}

// isKey reports whether the string that ended before i is a key.
func isKey(doc []byte, i int) bool {
	rest := bytes.TrimLeft(doc[i:min(i+8, len(doc))], " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// wordAt returns the sign and letters at i.
func wordAt(doc []byte, i int) string {
	end := i
	for end < len(doc) && end-i < 16 {
		c := doc[end] | 0x20
		if (c < 'a' || c > 'z') && (end > i || doc[end] != '-' && doc[end] != '+') {
			break
		}
		end++
	}
	return string(doc[i:end])
}

func isNonFinite(word string) bool {
	switch strings.ToLower(strings.TrimLeft(word, "+-")) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

func pathOf(parents []string, key string) string {
	var parts []string
	for _, p := range parents {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(append(parts, key), ".")
}
