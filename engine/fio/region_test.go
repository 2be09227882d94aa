package fio

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"powerd/engine"
)

// zeros makes a file of zeros.
func zeros(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "target.dat")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	return path
}

// compressed returns what gzip makes of a file, as a share of it.
func compressed(t *testing.T, data []byte) float64 {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return float64(b.Len()) / float64(len(data))
}

// The data that real fio writes compresses to what its entropy says: measured with gzip,
// 16 MiB of 100 % are 16.7 MB, of 50 % 8.46 MB and of 10 % 1.76 MB. The region outside
// the job's share stays as it was: here of 16 MiB the part from 25 to 75 %.
func TestEntropyAndRegionOfWhatIsWritten(t *testing.T) {
	installed(t)
	const size = 16 << 20
	for entropy, want := range map[int]float64{100: 16.7e6 / size, 50: 8.46e6 / size, 10: 1.76e6 / size} {
		job := engine.Job{
			Step: "write", Target: zeros(t, size), RW: "write", BlockBytes: 128 << 10, QueueDepth: 4, Jobs: 1, Duration: 300 * time.Millisecond,
			CompressPct: 100 - entropy, Share: engine.Share{FromPct: 25, ToPct: 75}, Dir: t.TempDir(),
		}
		job, err := job.On(size)
		if err != nil {
			t.Fatal(err)
		}
		res, err := start(t.Context(), t, New(Options{Now: monotonic}), job)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(job.Target)
		if err != nil {
			t.Fatal(err)
		}
		inside, outside := data[size/4:size*3/4], append(data[:size/4:size/4], data[size*3/4:]...)
		if bytes.ContainsFunc(outside, func(r rune) bool { return r != 0 }) {
			t.Errorf("entropy %d: something was written outside the share", entropy)
		}
		if res.Write.Bytes < size/2 {
			t.Fatalf("only %d bytes were written: not all of the share", res.Write.Bytes)
		}
		if got := compressed(t, inside); got < want*0.95 || got > want*1.05 {
			t.Errorf("entropy %d: compresses to %.3f of it, want %.3f", entropy, got, want)
		}
	}
}
