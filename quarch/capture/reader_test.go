package capture_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"powerd/quarch"
	"powerd/quarch/capture"
)

// Three parts, each begun by a change of scale. Without the second, the stream is the
// first and the third, and a PartError says what is not there; a gap that the link told
// of is none.
func TestMissingPartIsNamed(t *testing.T) {
	second := block(100, 50, 1_000_000)
	second.Traces[0].LSBVolts = 2e-3
	dir := record(t, block(0, 100, 1_000_000), second, block(160, 40, 1_000_000)) // 150..159 were lost
	path := filepath.Join(dir, serial, "s1-000000000100.parquet")
	must(t, os.Remove(path))

	var blocks, lost uint64
	var damaged *capture.PartError
	for b, err := range open(t, dir).Streams()[0].Blocks(0, capture.ToEnd) {
		switch {
		case err == nil:
			blocks, lost = blocks+1, lost+b.Lost
		case damaged != nil || !errors.As(err, &damaged):
			t.Errorf("%v, want one part error", err)
		}
	}
	if damaged == nil || damaged.Path != path || damaged.First != 100 || !strings.Contains(damaged.Error(), "50 stripes") {
		t.Errorf("error %v, want one of the 50 stripes of %s", damaged, path)
	}
	if blocks != 2 || lost != 60 {
		t.Errorf("%d blocks and %d lost, want 2 and 60", blocks, lost)
	}
}

// A streamed sample without a period has no place in time: meta.json was damaged, or edited.
func TestStreamWithoutAPeriod(t *testing.T) {
	for _, period := range []string{"0", "-64000"} {
		dir := record(t, block(0, 100, 1_000_000))
		path := filepath.Join(dir, "meta.json")
		text, err := os.ReadFile(path)
		must(t, err)
		edited := regexp.MustCompile(`"period_ns": \d+`).ReplaceAll(text, []byte(`"period_ns": `+period))
		must(t, os.WriteFile(path, edited, 0o644))
		if _, err := capture.Open(dir); !errors.Is(err, capture.ErrDamaged) || !strings.Contains(err.Error(), "stream 1 has a period of "+period+" ns") {
			t.Errorf("%v, want ErrDamaged and the period", err)
		}
	}
}

// A stream that was ended says how many stripes it had. Without its first part, its last,
// or any, a warning says what is gone; a stream with a gap that the link told of is whole,
// and of one that was cut off nobody knows how long it was.
func TestMissingEndsAreNamed(t *testing.T) {
	scaled := func(first uint64, n int, lsb float64) *quarch.Block {
		b := block(first, n, 1_000_000)
		b.Traces[0].LSBVolts = lsb // a part of its own
		return b
	}
	for name, c := range map[string]struct {
		gone []string
		want string // "" = no warning
	}{
		"all there": {nil, ""},
		"no first":  {[]string{"s1-000000000000.parquet"}, "begins with stripe 100 (s1-000000000100.parquet); the 100 before it are gone"},
		"no last":   {[]string{"s1-000000000160.parquet"}, "ends with stripe 150 (s1-000000000100.parquet); the 50 after it are gone"},
		"none":      {[]string{"s1-000000000000.parquet", "s1-000000000100.parquet", "s1-000000000160.parquet"}, "with 190 stripes, are gone"},
	} {
		third := scaled(160, 40, 3e-3)
		third.Lost = 10 // 150..159
		dir := record(t, scaled(0, 100, 1e-3), scaled(100, 50, 2e-3), third)
		for _, part := range c.gone {
			must(t, os.Remove(filepath.Join(dir, serial, part)))
		}
		warnings := strings.Join(open(t, dir).Warnings(), "\n")
		if (c.want == "") != (warnings == "") || !strings.Contains(warnings, c.want) {
			t.Errorf("%s: warnings %q, want %q", name, warnings, c.want)
		}
	}
}

// The last part is damaged: the stream ends before it, and a warning names the file.
func TestDamagedLastPartIsNamed(t *testing.T) {
	second := block(100, 50, 1_000_000)
	second.Traces[0].LSBVolts = 2e-3
	dir := record(t, block(0, 100, 1_000_000), second)
	path := filepath.Join(dir, serial, "s1-000000000100.parquet")
	must(t, os.WriteFile(path, []byte("nothing"), 0o644))
	c := open(t, dir)
	if end := c.Streams()[0].End(); end != 100 {
		t.Errorf("the stream ends at %d, want 100", end)
	}
	if w := c.Warnings(); len(w) != 1 || !strings.Contains(w[0], path) {
		t.Errorf("warnings %q, want one that names %s", w, path)
	}
}

// Parts of which meta.json knows nothing are damage, wherever the capture lies: a
// folder's name may hold what a pattern gives a meaning.
func TestPartsWithoutStreamsAreDamage(t *testing.T) {
	for _, name := range []string{"plain", "run [3]*"} {
		dir := filepath.Join(t.TempDir(), name)
		must(t, os.Rename(record(t, block(0, 10, 4000)), dir))
		must(t, os.WriteFile(filepath.Join(dir, "meta.json"), []byte(`{"schema": "powerd.capture/1"}`), 0o644))
		if _, err := capture.Open(dir); !errors.Is(err, capture.ErrDamaged) || !strings.Contains(err.Error(), "names no stream") {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}
