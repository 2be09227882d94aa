package ppm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/ppm"
	"powerd/quarch/quarchtest"
	"powerd/quarch/wire"
)

// take streams until n stripes came or the stream ended.
func take(t *testing.T, m *ppm.Module, n int) (blocks []*quarch.Block, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for b, err := range m.Stream(ctx) {
		if err != nil {
			return blocks, err
		}
		blocks = append(blocks, b.Clone())
		if n -= b.Len(); n <= 0 {
			cancel()
		}
	}
	return blocks, nil
}

// checkCounts compares each stripe with what the fake sends at its index.
func checkCounts(t *testing.T, blocks []*quarch.Block) (stripes int, lost uint64) {
	t.Helper()
	for _, b := range blocks {
		lost += b.Lost
		five, twelve := b.Trace(quarch.Rail5V), b.Trace(quarch.Rail12V)
		for i := range b.Len() {
			want := quarchtest.Stripe(b.First + uint64(i))
			got := [wire.Channels]int32{five.V[i], five.A[i], twelve.V[i], twelve.A[i]}
			if got != want {
				t.Fatalf("stripe %d reads %d, want %d", b.First+uint64(i), got, want)
			}
			stripes++
		}
	}
	return stripes, lost
}

func TestEveryReadIsABlockWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		m := open(t, f)
		blocks, err := take(t, m, 100)
		if err != nil {
			t.Fatal(err)
		}
		if n, lost := checkCounts(t, blocks); n < 100 || lost != 0 {
			t.Errorf("%d stripes, %d lost; want 100 and none", n, lost)
		}
		sent, acked := m.StreamStart()
		if sent == 0 || acked < sent || blocks[0].ReadAtNs < acked {
			t.Errorf("stream asked for at %d, acknowledged at %d, first block at %d", sent, acked, blocks[0].ReadAtNs)
		}
		for i, b := range blocks[1:] {
			if d := b.ReadAtNs - blocks[i].ReadAtNs; d != f.Every.Nanoseconds() { // virtual time: exact
				t.Errorf("block %d came %d ns after the one before, want %v", i+1, d, f.Every)
			}
			if b.PeriodNs != 64_000 { // 4 µs · 16
				t.Errorf("block %d: period %d ns, want 64 µs", i+1, b.PeriodNs)
			}
		}
	})
}

func TestPowerIsSwitchedInMidStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		m := open(t, f)
		var wait sync.WaitGroup
		defer wait.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var blocks []*quarch.Block
		for b, err := range m.Stream(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, b.Clone())
			if len(blocks) == 3 {
				wait.Go(func() {
					defer cancel()
					if err := m.SetPower(ctx, false); err != nil {
						t.Errorf("power down: %v", err)
					}
					if err := m.SetPower(ctx, true); err != nil {
						t.Errorf("power up: %v", err)
					}
				})
			}
		}
		if _, lost := checkCounts(t, blocks); lost != 0 {
			t.Errorf("%d stripes lost", lost)
		}
		got := f.Sent()
		if want := []string{"rec stream", "run:power down", "run:power up", "rec stop"}; !slices.Equal(got[len(got)-4:], want) {
			t.Errorf("sent %q, want %q at the end", got, want)
		}
	})
}

// The reply to rec stop is told from data best where the module pauses; one that
// never pauses is stopped all the same.
func TestStreamIsStoppedAlsoWithoutSync(t *testing.T) {
	for name, every := range map[string]int{"sync every 4 frames": 4, "no sync": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := quarchtest.NewFake(quarch.LinkFramed)
				f.SyncEvery = every
				blocks, err := take(t, open(t, f), 50)
				if n, lost := checkCounts(t, blocks); err != nil || n < 50 || lost != 0 {
					t.Errorf("%d stripes, %d lost, %v", n, lost, err)
				}
				if sent := f.Sent(); sent[len(sent)-1] != "rec stop" {
					t.Errorf("last command %q, want rec stop", sent[len(sent)-1])
				}
			})
		})
	}
}

// Status 1 is an overrun, status 2 an early end for a reason that the module keeps
// to itself.
func TestEarlyEndIsTruncatedAfterTheLastStripe(t *testing.T) {
	for _, c := range []struct {
		status  wire.Status
		overrun bool
		says    string
	}{
		{wire.StatusOverrun, true, "truncated: module overrun after 2 stripes; raise the averaging"},
		{wire.StatusEndedEarly, false, "truncated: the module ended the stream early after 2 stripes (end status 2)"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := quarchtest.NewFake(quarch.LinkFramed)
			f.PerFrame, f.EndAfter, f.EndStatus = 1, 2, c.status
			blocks, err := take(t, open(t, f), 1000)
			if n, _ := checkCounts(t, blocks); n != 2 {
				t.Errorf("%d stripes before the end, want 2", n)
			}
			if err == nil || errors.Is(err, quarch.ErrOverrun) != c.overrun || !strings.Contains(err.Error(), c.says) {
				t.Errorf("status %d: error %v", c.status, err)
			}
		})
	}
}

func TestStreamThatEndsUnaskedIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.EndAfter = 3
		blocks, err := take(t, open(t, f), 1000)
		if n, _ := checkCounts(t, blocks); n != 30 || err == nil || !strings.Contains(err.Error(), "unasked after 30 stripes") {
			t.Errorf("%d stripes, error %v", n, err)
		}
	})
}

func TestHeaderThatDisagreesWithTheAveragingIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.Averaging, f.Exponent = "1k", 9
		blocks, err := take(t, open(t, f), 1000)
		if len(blocks) != 0 || err == nil || !strings.Contains(err.Error(), "2048 µs") || !strings.Contains(err.Error(), "4096 µs") {
			t.Errorf("%d blocks, error %v; want none, and both periods named", len(blocks), err)
		}
	})
}

// Frame 3 loses a byte. Its ten stripes are gap, not zeros and not the last
// value; all others keep their index.
func TestLostByteIsAGapBetweenBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.Damage = func(frame int, b []byte) []byte {
			if frame == 3 {
				return slices.Delete(b, 40, 41)
			}
			return b
		}
		blocks, err := take(t, open(t, f), 100)
		n, lost := checkCounts(t, blocks)
		if err != nil || n < 100 || lost != 10 {
			t.Errorf("%d stripes, %d lost, %v; want 10 lost", n, lost, err)
		}
		resyncs, next := 0, uint64(0)
		for _, b := range blocks {
			resyncs += b.Resync
			if b.First != next+b.Lost {
				t.Errorf("block at %d after %d and %d lost", b.First, next, b.Lost)
			}
			next = b.End()
		}
		if resyncs != 1 {
			t.Errorf("%d resyncs, want 1", resyncs)
		}
	})
}

// Frame 4 asks for a sync and loses a byte: the module waits for an answer, the
// host for the end of the frame. It answers once unasked.
func TestLostSyncDoesNotStopTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.Damage = func(frame int, b []byte) []byte {
			if frame == 4 {
				return slices.Delete(b, 40, 41)
			}
			return b
		}
		blocks, err := take(t, open(t, f), 200)
		if n, lost := checkCounts(t, blocks); err != nil || n < 190 || lost != 10 {
			t.Errorf("%d stripes, %d lost, %v; want 10 lost", n, lost, err)
		}
	})
}

func TestStalledStreamIsATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.SyncEvery = 0
		f.Damage = func(frame int, b []byte) []byte {
			if frame > 5 {
				return nil
			}
			return b
		}
		blocks, err := take(t, open(t, f), 1000)
		if n, _ := checkCounts(t, blocks); n != 50 || !errors.Is(err, quarch.ErrTimeout) || !strings.Contains(err.Error(), "stalled") {
			t.Errorf("%d stripes, error %v; want 50 and ErrTimeout", n, err)
		}
	})
}

func TestStreamLeftByAnEarlierOwnerIsStoppedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.StreamsAlready = true
		blocks, err := take(t, open(t, f), 50)
		if n, lost := checkCounts(t, blocks); err != nil || n < 50 || lost != 0 || blocks[0].First != 0 {
			t.Errorf("%d stripes, %d lost, %v", n, lost, err)
		}
	})
}

func TestStreamFasterThanTheLineIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed) // averaging 16: 15625 stripes/s · 12 B = 187.5 kB/s
		m, err := ppm.Open(t.Context(), ppm.Options{Conn: f.Connect(), Port: "fake", Link: f.Link, Now: now, BaudForBudget: 115_200})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		// 115200 baud carry 11520 B/s; 80 % of it are 768 stripes/s: averaging
		// 512 (488.3 stripes/s) fits, 256 (976.6) does not.
		_, err = take(t, m, 10)
		if err == nil || !strings.Contains(err.Error(), "lowest averaging that fits is 512") {
			t.Errorf("stream: error %v", err)
		}
		if err := m.SetPeriod(t.Context(), 1_024_000); err == nil || !strings.Contains(err.Error(), "512") {
			t.Errorf("averaging 256: error %v", err)
		}
		if err := m.SetPeriod(t.Context(), 2_048_000); err != nil {
			t.Errorf("averaging 512: %v", err)
		}
	})
}

// 100 samples/s of two 48-byte exchanges at 19200 baud: 9600 B/s where 1920 fit;
// 80 % of them are 16 samples/s of 96 bytes.
func TestPollingFasterThanTheLineIsRefused(t *testing.T) {
	err := ppm.CheckLine(19_200, 96, 100)
	if err == nil || !strings.Contains(err.Error(), "9600 B/s") || !strings.Contains(err.Error(), "1920 B/s") || !strings.Contains(err.Error(), "16 samples/s") {
		t.Errorf("error %v", err)
	}
	if err := ppm.CheckLine(19_200, 96, 16); err != nil {
		t.Errorf("16 samples/s: %v", err)
	}
}

// The length of frame 23 is wrong: 53, which is odd. It ends in the low word of the 5 V current
// of its fifth stripe, number 224: 500 224 µA = 122 · 4096 + 0x200, of which the low byte is 0
// and reads as the end of the stream. The module goes on, and so does the stream.
func TestFalseEndDoesNotEndTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.Damage = func(frame int, b []byte) []byte {
			if frame == 23 {
				b[0] = 53
			}
			return b
		}
		blocks, err := take(t, open(t, f), 300)
		if n, lost := checkCounts(t, blocks); err != nil || n < 290 || lost != 10 {
			t.Errorf("%d stripes, %d lost, %v; want 10 lost", n, lost, err)
		}
	})
}

// A byte of a frame with a sync is lost: 50 ms later the sync is answered unseen, and two
// frames after that, 10 ms each, the stream is understood again.
func TestLostSyncIsAnsweredSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.Damage = func(frame int, b []byte) []byte {
			if frame == 8 {
				return slices.Delete(b, 40, 41)
			}
			return b
		}
		blocks, err := take(t, open(t, f), 200)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range blocks[1:] {
			if waited := time.Duration(b.ReadAtNs - blocks[i].ReadAtNs); waited > 120*time.Millisecond {
				t.Errorf("block %d came %v after the one before", i+1, waited)
			}
		}
	})
}
