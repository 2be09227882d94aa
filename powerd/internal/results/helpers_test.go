package results_test

import (
	"math"
	"strings"
	"testing"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
	"powerd/quarch"
)

// Short names for what every test here is made of.
type (
	source  = resultstest.Source
	reading = resultstest.Reading
)

var (
	record = resultstest.Record
	meta   = resultstest.Meta
	host   = resultstest.Host
	steady = resultstest.Steady
	idle55 = resultstest.Idle // 2.5 W + 3.0 W
)

const startNs = resultstest.StartNs

// near fails unless got is want to within a relative tolerance.
func near(t *testing.T, what string, got *float64, want, rel float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is absent, want %g", what, want)
		return
	}
	if math.Abs(*got-want) > rel*math.Abs(want)+1e-15 {
		t.Errorf("%s = %v, want %v", what, *got, want)
	}
}

// withheld returns why a figure is withheld.
func withheld(t *testing.T, d *results.Document, what string) string {
	t.Helper()
	for _, w := range d.Withheld {
		if w.What == what {
			return w.Why
		}
	}
	t.Errorf("%s is not withheld; withheld are %v", what, d.Withheld)
	return ""
}

// warned reports whether there is a warning with a code and a part of its text.
func warned(d *results.Document, code, part string) bool {
	for _, w := range d.Warnings {
		if w.Code == code && strings.Contains(w.Text, part) {
			return true
		}
	}
	return false
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func info(model string) quarch.Info { return quarch.Info{Model: model} }
