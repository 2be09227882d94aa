package pair

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"powerd/analysis/pairing"
	"powerd/powerd/internal/catalog"
	"powerd/quarch"
)

// bench is a module and a drive in the time of a synctest bubble. The drive draws 2 W
// more while it is read from; whether it hangs on the module is crossed.
type bench struct {
	quarch.Module // what is not below would panic: nothing else may be called

	link    string
	crossed bool
	breaks  error         // ends the stream after 3 s
	silent  bool          // no sample ever
	late    time.Duration // of the first block of the first stream
	busy    int           // in how many streams it works on its own soon after reads

	gaps int // in how many streams what it draws when read from is lost

	reading atomic.Bool
	readNs  atomic.Int64 // end of the last reads
	streams atomic.Int32
	running atomic.Int32
	calls   []string
	sentNs  int64
	bursts  []catalog.BurstOptions
	tried   *time.Time    // first
	woken   time.Duration // until when its reads fail as those of a drive without power
	failAt  int           // which burst fails, counted from 1 with the one that wakes; 0 = none
}

var (
	errDrive  = errors.New("input/output error")
	errModule = errors.New("unplugged")
)

func now() int64 { return time.Now().UnixNano() }

func (b *bench) Info(context.Context) (quarch.Info, error) {
	return quarch.Info{Serial: "QTL1999-02-001", Link: b.link}, nil
}

func (b *bench) SetPeriod(_ context.Context, ns int64) error {
	b.calls = append(b.calls, "period "+time.Duration(ns).String())
	return nil
}

func (b *bench) StreamStart() (sentNs, ackedNs int64) { return b.sentNs, b.sentNs }

// Stream delivers a block every 10 ms, or polls ten times a second.
func (b *bench) Stream(ctx context.Context) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		b.running.Add(1)
		defer b.running.Add(-1)
		begun := now()
		b.sentNs = begun
		period, n := 10*time.Millisecond, 10
		if b.link == quarch.LinkTerminal {
			period, n = 100*time.Millisecond, 1
		}
		if b.streams.Add(1) == 1 && b.late > 0 {
			b.sentNs -= b.late.Nanoseconds() // as if the exchange had taken so long
		}
		tick := time.NewTicker(period)
		defer tick.Stop()
		for first := uint64(0); ; first += uint64(n) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			switch {
			case b.silent, b.reading.Load() && int(b.streams.Load()) <= b.gaps:
				continue
			case b.breaks != nil && now()-begun > 3e9:
				yield(nil, b.breaks)
				return
			case !yield(b.block(first, n), nil):
				return
			}
		}
	}
}

// block is what the drive draws now: 3 W and a little ripple, 2 W more when read from.
func (b *bench) block(first uint64, n int) *quarch.Block {
	t := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
	for i := range n {
		a := int32(600_000 + 500*((int(first)+i)%3))
		if b.reading.Load() && !b.crossed {
			a += 400_000
		}
		if at := now() - b.readNs.Load(); int(b.streams.Load()) <= b.busy && at > 60e6 && at < 160e6 {
			a += 400_000
		}
		t.V, t.A = append(t.V, 5000), append(t.A, a)
	}
	out := &quarch.Block{First: first, PeriodNs: 1e6, ReadAtNs: now(), Traces: []quarch.Trace{t}}
	if b.link == quarch.LinkTerminal {
		out.PeriodNs, out.AtNs = 0, []int64{now() - 1}
	}
	return out
}

// burst reads for as long as it should.
func (b *bench) burst(ctx context.Context, o catalog.BurstOptions) (catalog.Burst, error) {
	if b.tried == nil {
		b.tried = new(time.Now())
	}
	if time.Since(*b.tried) < b.woken {
		return catalog.Burst{}, fmt.Errorf("read: %w", syscall.EIO)
	}
	b.bursts = append(b.bursts, o)
	if len(b.bursts) == b.failAt {
		return catalog.Burst{}, errDrive
	}
	b.reading.Store(true)
	defer b.reading.Store(false)
	out := catalog.Burst{StartNs: o.Now(), Reads: 100}
	t := time.NewTimer(o.Duration)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		return out, context.Cause(ctx)
	}
	out.EndNs = o.Now()
	b.readNs.Store(out.EndNs)
	return out, nil
}

// prove makes a proof on b in virtual time; what runs afterwards fails the test.
func (b *bench) prove(t *testing.T, timeout time.Duration) (e pairing.Evidence, took time.Duration, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	begun := time.Now()
	e, err = Prove(ctx, Parts{
		Module: b, Now: now, Burst: b.burst,
		Clock: func() quarch.Clock { return quarch.Clock{UTCNs: 1_796_083_200_000_000_000} },
	}, Spec{Target: "/dev/sdx", ModuleSerial: "QTL1999-02-001", DriveSerial: "Z1"})
	if n := b.running.Load(); n != 0 {
		t.Errorf("%d streams still run", n)
	}
	return e, time.Since(begun), err
}

// On either link a drive on the module is confirmed and one beside it is not, in less
// than ten seconds. The evidence says who, when, and what was seen.
func TestProve(t *testing.T) {
	for _, link := range []string{quarch.LinkFramed, quarch.LinkTerminal} {
		for _, crossed := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{link: link, crossed: crossed}
				e, took, err := b.prove(t, time.Hour)
				if err != nil || e.Confirmed == crossed || took > 10*time.Second {
					t.Fatalf("%s, crossed %v: %+v, %v after %v", link, crossed, e, err, took)
				}
				// 1,796,083,200 s are 20,788 days: 56 years of 365, 14 leap days, and 334 days
				// up to December.
				if e.DateUTC != "2026-12-01T00:00:00Z" || e.Module != "QTL1999-02-001" || e.Drive != "Z1" || e.Method != pairing.MethodBursts || len(e.Bursts) != 3 {
					t.Errorf("evidence %+v", e)
				}
				for i, x := range e.Bursts {
					want := 2.0
					if crossed {
						want = 0
					}
					if d := *x.DeltaW - want; d > 0.01 || d < -0.01 || x.Reads != 100 || x.EndMonoNs-x.StartMonoNs != b.bursts[i+1].Duration.Nanoseconds() {
						t.Errorf("%s, crossed %v: burst %d %+v, ΔP %g", link, crossed, i+1, x, *x.DeltaW)
					}
				}
				if crossed && !strings.Contains(e.Why, "IO on /dev/sdx does not show on module QTL1999-02-001") {
					t.Errorf("why: %s", e.Why)
				}
			})
		}
	}
}

// The module gets an averaging, once, where it streams, and a stream; a polled one not
// even the former. Everything else would panic. The drive is woken before, and each
// burst reads other places.
func TestWhatIsDoneToModuleAndDrive(t *testing.T) {
	for link, want := range map[string][]string{quarch.LinkFramed: {"period 64µs"}, quarch.LinkTerminal: nil} {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{link: link}
			if _, _, err := b.prove(t, time.Hour); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(b.calls, want) || b.streams.Load() != 1 {
				t.Errorf("%s: %q, %d streams", link, b.calls, b.streams.Load())
			}
			if len(b.bursts) != 4 || b.bursts[0].Duration != 50*time.Millisecond {
				t.Fatalf("bursts %+v", b.bursts)
			}
			seeds := map[uint64]bool{}
			for _, o := range b.bursts {
				seeds[o.Seed] = true
				if o.Path != "/dev/sdx" {
					t.Errorf("read from %s", o.Path)
				}
			}
			if len(seeds) != 4 {
				t.Errorf("bursts read the same places: %v", seeds)
			}
		})
	}
}

// A stream whose start the host saw 100 ms late is placed within 50 ms only, and is
// started again.
func TestBadlyPlacedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{link: quarch.LinkFramed, late: 100 * time.Millisecond}
		e, took, err := b.prove(t, time.Hour)
		if err != nil || !e.Confirmed || b.streams.Load() != 2 || took > 10*time.Second {
			t.Errorf("%+v, %v, %d streams, %v", e, err, b.streams.Load(), took)
		}
	})
}

// A drive that got its power back a moment ago is waited for, up to 20 s, since a disk takes
// ten to spin up. One that fails on is not.
func TestDriveThatIsNotReadyIsWaitedFor(t *testing.T) {
	for woken, ready := range map[time.Duration]bool{9600 * time.Millisecond: true, time.Hour: false} {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{link: quarch.LinkFramed, woken: woken}
			e, took, err := b.prove(t, time.Hour)
			if e.Confirmed != ready || (err == nil) != ready || !ready && !errors.Is(err, syscall.EIO) || took > 21*time.Second {
				t.Errorf("ready after %v: %+v after %v, %v", woken, e, took, err)
			}
		})
	}
}

// Where a part of the samples never came the proof says nothing, and is made once more.
func TestProofWithoutSamplesIsMadeAgain(t *testing.T) {
	for gaps, want := range map[int]int32{0: 1, 1: 2, 3: 2} {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{link: quarch.LinkFramed, gaps: gaps}
			e, _, err := b.prove(t, time.Hour)
			if err != nil || e.Confirmed != (gaps < 2) || e.Unanswered != (gaps > 1) || b.streams.Load() != want {
				t.Errorf("gaps in %d streams: %+v after %d, %v", gaps, e, b.streams.Load(), err)
			}
		})
	}
}

// Where reads seem to show but the drive worked on its own as well, the proof is made once
// more, in another pattern, and no third time.
func TestDisturbedProofIsMadeAgain(t *testing.T) {
	for busy, want := range map[int]int32{0: 1, 1: 2, 3: 2} {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{link: quarch.LinkFramed, busy: busy}
			e, took, err := b.prove(t, time.Hour)
			if err != nil || e.Confirmed != (busy < 2) || b.streams.Load() != want || took > time.Duration(want)*10*time.Second {
				t.Errorf("busy in %d streams: confirmed %v after %d, %v: %s, %v", busy, e.Confirmed, b.streams.Load(), took, e.Why, err)
			}
		})
	}
}

// What keeps a proof from being made is an error that names target and module, says
// why, and leaves nothing running.
func TestNoProof(t *testing.T) {
	for _, c := range []struct {
		name    string
		bench   *bench
		timeout time.Duration
		want    error
		text    string
	}{
		{"the drive fails at once", &bench{failAt: 1}, time.Hour, errDrive, ""},
		{"the drive fails later", &bench{failAt: 3}, time.Hour, errDrive, ""},
		{"the module goes away", &bench{breaks: errModule}, time.Hour, errModule, ""},
		{"the module is silent", &bench{silent: true}, time.Hour, nil, "no sample within 10s"},
		{"interrupted in the lead", &bench{}, 400 * time.Millisecond, context.DeadlineExceeded, ""},
		{"interrupted in a burst or pause", &bench{}, 4 * time.Second, context.DeadlineExceeded, ""},
		{"interrupted while the module is silent", &bench{silent: true}, time.Second, context.DeadlineExceeded, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := c.bench
			b.link = quarch.LinkFramed
			e, took, err := b.prove(t, c.timeout)
			if err == nil || e.Confirmed || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) ||
				!strings.Contains(err.Error(), "/dev/sdx in the power of module QTL1999-02-001") {
				t.Errorf("%s: %v", c.name, err)
			}
			if took > min(c.timeout, 11*time.Second) {
				t.Errorf("%s: took %v", c.name, took)
			}
			if strings.Count(err.Error(), errModule.Error()) > 1 {
				t.Errorf("%s: says it twice: %v", c.name, err)
			}
		})
	}
}
