package twinfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// How many of a key's unit make one of the model's.
const (
	whole = 1
	milli = 1e3
	micro = 1e6
)

// Nanoseconds in the units of keys.
const (
	us = 1e3
	ms = 1e6
)

// number takes a value of least to most, in a unit of which per make one of the
// model's.
func number(into *float64, per, least, most float64) setter {
	return func(n *yaml.Node) error {
		x, err := parse(n.Value, least, most)
		*into = precise(x / per)
		return err
	}
}

// large is number for a unit that is times the model's.
func large(into *float64, times, least, most float64) setter {
	return func(n *yaml.Node) error {
		x, err := parse(n.Value, least, most)
		*into = precise(x * times)
		return err
	}
}

// duration takes a time of least to most, in a unit of unitNs.
func duration(into *int64, unitNs, least, most float64) setter {
	return func(n *yaml.Node) error {
		x, err := parse(n.Value, least, most)
		*into = int64(math.Round(x * unitNs))
		return err
	}
}

// integer takes a whole number of least to most.
func integer[T int | int64](into *T, least, most float64) setter {
	return func(n *yaml.Node) error {
		x, err := parse(n.Value, least, most)
		if err == nil && x != math.Trunc(x) {
			err = fmt.Errorf("it is a whole number of %s to %s", plain(least), plain(most))
		}
		*into = T(x)
		return err
	}
}

func parse(text string, least, most float64) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || x < least || x > most || strings.ContainsAny(text, "xXpP_") {
		return least, fmt.Errorf("it is a number of %s to %s", plain(least), plain(most))
	}
	return x, nil
}

// precise takes away what a power of ten adds in binary: 25.15 µJ are 25.15e-6 J.
func precise(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 14, 64), 64)
	if err != nil {
		return x
	}
	return y
}

func plain(x float64) string {
	if x < 1e9 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// yes takes true or false.
func yes(into *bool) setter {
	return func(n *yaml.Node) error {
		if n.Value != "true" && n.Value != "false" {
			return fmt.Errorf("it is true or false")
		}
		*into = n.Value == "true"
		return nil
	}
}

// oneOf takes one of some words.
func oneOf(into *string, words ...string) setter {
	return func(n *yaml.Node) error {
		for _, w := range words {
			if n.Value == w {
				*into = w
				return nil
			}
		}
		return fmt.Errorf("it is one of %s", strings.Join(words, ", "))
	}
}

// name takes a word of letters, digits, '-', '_' and '.'.
func name(into *string) setter {
	return func(n *yaml.Node) error {
		fit := func(r rune) bool {
			return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
		}
		s := n.Value
		if s == "" || len(s) > 64 || s[0] == '.' || s[0] == '-' || strings.IndexFunc(s, func(r rune) bool { return !fit(r) }) >= 0 {
			return fmt.Errorf("it is of letters, digits, '-', '_' and '.', 64 at most")
		}
		*into = s
		return nil
	}
}

// setter takes the value of a key.
type setter = func(*yaml.Node) error

func ignore(*yaml.Node) error { return nil }
