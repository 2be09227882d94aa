package ppm_test

import (
	"context"
	"io"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/quarch"
	"powerd/quarch/tty"
	"powerd/quarch/wire"
)

// cpu returns the processor time that this process has used, kernel included.
func cpu(t testing.TB) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// percent returns which share of one processor f takes while a module streams n
// seconds at 250 kS/s; f calls begun when the first bytes are in.
func percent(t testing.TB, f func(begun func())) float64 {
	t.Helper()
	var used time.Duration
	var at int64
	f(func() { used, at = cpu(t), monotonic() })
	return 100 * float64(cpu(t)-used) / float64(monotonic()-at)
}

// discard reads the bytes of n stripes of a module that never waits at a sync,
// and throws them away: what the port alone costs.
func discard(t testing.TB, path string, n int, begun func()) {
	t.Helper()
	port, err := tty.Open(path, tty.Options{LockDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	buf := make([]byte, 64<<10)
	for _, cmd := range []string{"rec:ave 0", "conf stream enable on", "rec stream"} {
		if _, err := port.Write(wire.AppendFrame(nil, []byte(cmd+"\r\n"))); err != nil {
			t.Fatal(err)
		}
		if _, err := port.Read(buf); err != nil {
			t.Fatal(err)
		}
	}
	begun()
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.LimitReader(port, 12*int64(n)), buf); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkFullRate is the share of one processor that driver, decoder and
// capture take at 250 kS/s, and what reading the same bytes and throwing them away
// takes. An operation is one second of stream; the module is another process.
func BenchmarkFullRate(b *testing.B) {
	const perSecond = uint64(time.Second / fullPeriodNs)
	n := uint64(b.N) * perSecond

	module := startChild(b, "no sync")
	thrown := percent(b, func(begun func()) { discard(b, module.path, int(n), begun) })

	module = startChild(b)
	taken := percent(b, func(begun func()) {
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		r := record(b, module.path, nil)
		r.each = func(blk *quarch.Block) {
			if blk.First == 0 {
				begun()
			}
			if blk.End() >= n {
				cancel()
			}
		}
		if broke, err := r.run(ctx); broke != nil || err != nil {
			b.Fatal(broke, err)
		}
	})
	b.ReportMetric(taken, "%core")
	b.ReportMetric(thrown, "%core-discarding")
	b.ReportMetric(taken/thrown, "ratio")
}
