package results_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"powerd/powerd/internal/results"
)

// testdata/results-N.json are documents as released versions of the schema N wrote them,
// short of what repeats itself. They are never made again: a document of a later version
// of a schema stands beside them. Each stays readable for ever, with nothing lost.
func TestEveryReleasedDocumentStaysReadable(t *testing.T) {
	files, err := filepath.Glob("testdata/results-*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no released documents: %v", err)
	}
	for _, file := range files {
		d, err := results.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		again, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var was, is any
		if err := errors.Join(json.Unmarshal(written, &was), json.Unmarshal(again, &is)); err != nil {
			t.Fatal(err)
		}
		for _, lost := range lacks("", was, is) {
			t.Errorf("%s: %s", file, lost)
		}
	}
}

// lacks lists what of a document is not, or not the same, in another.
func lacks(path string, was, is any) (out []string) {
	switch x := was.(type) {
	case map[string]any:
		y, _ := is.(map[string]any)
		for k, v := range x {
			if w, ok := y[k]; ok {
				out = append(out, lacks(path+"."+k, v, w)...)
			} else {
				out = append(out, path+"."+k+" is read no more")
			}
		}
	case []any:
		y, _ := is.([]any)
		if len(x) != len(y) {
			return []string{path + " has another length"}
		}
		for i := range x {
			out = append(out, lacks(path+"[]", x[i], y[i])...)
		}
	default:
		if !reflect.DeepEqual(was, is) {
			out = append(out, path+" is another value")
		}
	}
	return out
}

// Figures of the document of schema 1, read from the file by eye.
func TestFiguresOfReleasedDocument1(t *testing.T) {
	d, err := results.Load("testdata/results-1.json")
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil || *got != want {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	near("idle", d.Idle.Total.MeanW, 2.983060265731617)
	near("its ±", d.Idle.Total.U95W, 0.05865919029922203)
	near("5 V at idle", d.Idles[0].Rails["5v"].MeanA, 0.42183869422324677)
	near("peak on 12 V over 4 µs", d.Inrush.Cycles[0].Rails["12v"].Peaks[0].Amps, 0.44065)
	near("ready", d.Inrush.Cycles[0].TimeToReadyS, 3.2845230029453125)
	if d.Drive.TwinScale != 64 || !d.Suite.Simulated || d.Module.Calibration.OffsetMA != 2 || d.Run.FioVersion != "3.33" {
		t.Errorf("drive %+v, suite %+v, run %+v", d.Drive, d.Suite, d.Run)
	}
	steps := map[string]bool{}
	for _, c := range d.Efficiency {
		steps[c.Step] = c.MeanW != nil && c.IOPSPerMW != nil && c.U95Rel != nil && c.RangePct != nil && c.Latency != nil && c.Latency.Mean != nil
	}
	for _, s := range []string{"demand-2000", "read-qd8", "wear-r01", "wear-r05"} {
		if !steps[s] {
			t.Errorf("cell %s lacks a figure", s)
		}
	}
	if len(d.Saturation) != 1 || d.Saturation[0].Fresh == nil || len(d.Demand) != 1 || len(d.Recovery) != 1 || len(d.Steady) != 1 || len(d.Commands) != 2 {
		t.Error("an analysis is not read")
	}
}

// What is no document of powerd is refused with what was found; one of a later schema is
// read as far as it is known, and says so.
func TestLoadTellsWhatItReads(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "holds no results",
		"[]":                                     "holds no results",
		"{}":                                     `its schema is ""`,
		`{"schema":"fio"}`:                       `its schema is "fio"`,
		`{"schema":"powerd.results/0"}`:          `its schema is "powerd.results/0"`,
		`{"schema":"powerd.results/x"}`:          `its schema is "powerd.results/x"`,
		`{"schema":"powerd.results/1","idle":7}`: "idle",
	} {
		if _, err := results.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	d, err := results.Decode([]byte(`{"schema":"powerd.results/2","drive":{"model":"X","colour":"red"},"later":[1]}`))
	if err != nil || d.Drive.Model != "X" || len(d.Warnings) != 1 || d.Warnings[0].Code != "newer_results" {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := results.Load(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// FuzzDecode: whatever a file holds, reading it ends with a document or an error, and a
// document can be written again.
func FuzzDecode(f *testing.F) {
	released, err := os.ReadFile("testdata/results-1.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(released)
	f.Add([]byte(`{"schema":"powerd.results/1","efficiency":[null],"inrush":{"cycles":[null]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := results.Decode(b)
		if err != nil {
			return
		}
		if _, err := d.JSON(); err != nil {
			t.Error(err)
		}
	})
}
