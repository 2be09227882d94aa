package ppm_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/ppm"
	"powerd/quarch/quarchtest"
)

// answerNth makes a fake answer the nth of a command in another way.
func answerNth(f *quarchtest.Fake, cmd string, nth int, pieces ...quarchtest.Piece) {
	asked := 0
	f.Answer = func(got string) []quarchtest.Piece {
		if got == cmd {
			if asked++; asked == nth {
				return pieces
			}
		}
		return nil
	}
}

// One reply among many is damaged: its round, the third, is missing, and the
// rounds before and after it have their values. 123456 µA is what the fake draws.
func TestDamagedReplyCostsItsRound(t *testing.T) {
	const cmd = "meas:cur 5v?"
	for name, piece := range map[string]quarchtest.Piece{
		"a byte of the echo":       {Text: "\x00" + cmd[1:] + "\r\n123.456 mA\r\n>"},
		"the prompt is lost":       {Text: cmd + "\r\n123.456 mA\r\n"},
		"it comes after its time":  {After: 3500 * time.Millisecond, Text: cmd + "\r\n123.456 mA\r\n>"},
		"and not before the next":  {After: 4900 * time.Millisecond, Text: cmd + "\r\n123.456 mA\r\n>"},
		"half of it, then silence": {Text: cmd + "\r\n123"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := quarchtest.NewFake(quarch.LinkTerminal)
				answerNth(f, cmd, 3, piece)
				blocks, err := take(t, open(t, f), 5)
				if err != nil || len(blocks) < 5 {
					t.Fatal(len(blocks), err)
				}
				for i, b := range blocks[:5] {
					want := int32(123_456)
					if i == 2 {
						want = quarch.Missing
					}
					if got := b.Trace(quarch.Rail5V).A[0]; got != want || b.First != uint64(i) {
						t.Errorf("round %d is stripe %d with %d µA, want %d", i, b.First, got, want)
					}
					if v := b.Trace(quarch.Rail5V).V[0]; (v == quarch.Missing) != (i == 2) {
						t.Errorf("round %d: %d mV", i, v)
					}
					if i > 0 && b.AtNs[0] <= blocks[i-1].AtNs[0] {
						t.Errorf("round %d is at %d ns, after %d ns", i, b.AtNs[0], blocks[i-1].AtNs[0])
					}
				}
			})
		})
	}
}

// The one command that gives all is asked again and again: a reply that comes late
// is not taken for that to the next one. Round 2 reads 111 mA in its late reply,
// all others 420 mA.
func TestLateRoundIsNotTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const cmd = "measure:outputs?"
		all := func(mA string) string {
			return "5V Voltage = 5000 mV\r\n5V Current = " + mA + " mA\r\n12V Voltage = 12000 mV\r\n12V Current = 73 mA"
		}
		f := quarchtest.NewFake(quarch.LinkTerminal)
		f.Replies[cmd] = all("420")
		answerNth(f, cmd, 3, quarchtest.Piece{After: 3500 * time.Millisecond, Text: cmd + "\r\n" + all("111") + "\r\n>"}) // the first asks whether it is known
		blocks, err := take(t, open(t, f), 5)
		if err != nil || len(blocks) < 5 {
			t.Fatal(len(blocks), err)
		}
		for i, want := range []int32{420_000, quarch.Missing, 420_000, 420_000, 420_000} {
			if got := blocks[i].Trace(quarch.Rail5V).A[0]; got != want {
				t.Errorf("round %d: %d µA, want %d", i, got, want)
			}
		}
	})
}

// Five rounds without any value are no glitch. Nor is a module that is silent to
// one question and to the next.
func TestPollingGivesUp(t *testing.T) {
	for name, c := range map[string]struct {
		said   string
		rounds int
		says   string
		silent bool
	}{
		"refusals": {"FAIL: 0x33", 4, "no reading can be understood; the last was \"FAIL: 0x33\" (5 times in a row)", false},
		"silence":  {"", 0, "no answer to meas:volt 5v? within 3 s (got 0 bytes)", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := quarchtest.NewFake(quarch.LinkTerminal)
				m := open(t, f)
				polls := false
				f.Answer = func(cmd string) []quarchtest.Piece {
					polls = polls || strings.HasPrefix(cmd, "meas:")
					switch {
					case polls && c.said == "":
						return []quarchtest.Piece{}
					case strings.HasPrefix(cmd, "meas:"):
						return []quarchtest.Piece{{Text: cmd + "\r\n" + c.said + "\r\n>"}}
					}
					return nil
				}
				blocks, err := take(t, m, 100)
				if len(blocks) != c.rounds || err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, quarch.ErrTimeout) != c.silent {
					t.Errorf("%d blocks, then %v; want %d and %q", len(blocks), err, c.rounds, c.says)
				}
			})
		})
	}
}

// A current that never has a unit is missing in each of 150 rounds. The log says
// so at the 1st, 10th and 100th time.
func TestMissingReadingsAreLoggedByTens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkTerminal)
		f.Replies["meas:cur 5v?"] = "234"
		var log bytes.Buffer
		m := opened(t, ppm.Options{Conn: f.Connect(), Port: "fake", Link: f.Link, Now: now, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if _, err := take(t, m, 150); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "a reading is missing"); n != 3 || !strings.Contains(log.String(), "so_far=100") {
			t.Errorf("%d lines, want 3:\n%s", n, log.String())
		}
	})
}
