package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"powerd/powerd/internal/textfile"
)

func faultsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "faults.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A file of faults says them as they are typed, or key by key; both mean the same.
func TestFaultsOfAFile(t *testing.T) {
	got, err := ReadFaults(faultsFile(t, `
faults:
  - lost-byte:at=20s,count=3
  - name: lost-byte
    at: 20s
    count: 3
  - {name: delay, model: ftdi16}   # as a chip with its latency timer
  - no-echo
`))
	if err != nil {
		t.Fatal(err)
	}
	want, err := ParseFaults([]string{"lost-byte:at=20s,count=3", "lost-byte:at=20s,count=3", "delay:model=ftdi16", "no-echo"})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// Mistakes are told with file, line, key and what is allowed: all of them at once.
func TestFaultsFileThatIsWrong(t *testing.T) {
	for text, want := range map[string][]string{
		"":                             {":1: want a list named faults"},
		"- no-echo":                    {":1: want a list named faults"},
		"faults: no-echo":              {":1: faults: want a list"},
		"fault:\n  - no-echo":          {":1: unknown key fault; there is: faults"},
		"faults: []\nfaults: []":       {":2: faults is given twice"},
		"faults:\n  - [no-echo]":       {":2: want NAME:key=value, or a mapping"},
		"faults:\n  - {at: 1s}":        {":2: which fault? its name is missing"},
		"faults:\n  - name: [stall]":   {":2: name: want one value"},
		"faults:\n  - {name: \"\\t\"}": {`:2: no fault is called "\t"; there is: lost-byte`},
		"faults:\n  - stall:by=1h\n  - name: stall\n    at: 1s\n    p: 7\n  - name: stall\n    at: 1s\n    often: 3\n": {
			`:2: fault stall: by: "1h"; want 1ms to 10s`,
			`:5: fault stall: p: "7"; want 1e-9 to 1, the chance of each frame`,
			`:8: fault stall: often: no such key; it takes at, p, for, count, by, stream`,
		},
		"faults:\n  - {name: warm-up, ppm: nan}\n  - {name: warm-up, ppm: -.inf}\n  - {name: stall, by: -5ms}\n  - {name: split-writes, bytes: -1}\n": {
			`:2: fault warm-up: ppm: "nan"; want -200 to 200 ppm`,
			`:3: fault warm-up: ppm: "-.inf"; want -200 to 200 ppm`,
			`:4: fault stall: by: "-5ms"; want 1ms to 10s`,
			`:5: fault split-writes: bytes: "-1"; want 1 to 65536 bytes`,
		},
		"faults:\n  - \"x": {"yaml: "},
	} {
		path := faultsFile(t, text)
		_, err := ReadFaults(path)
		if err == nil {
			t.Errorf("%q is taken", text)
			continue
		}
		for _, w := range want {
			if strings.HasPrefix(w, ":") {
				w = path + w
			}
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q:\n%v\nwant %s", text, err, w)
			}
		}
	}
	if _, err := ReadFaults("/dev/zero"); !errors.Is(err, textfile.ErrTooLarge) {
		t.Errorf("a device without end: %v, want that it is too large", err)
	}
	if _, err := ReadFaults(filepath.Join(t.TempDir(), "none.yaml")); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("a file that is not there: %v", err)
	}
}
