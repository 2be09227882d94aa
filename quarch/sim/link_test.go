package sim

import (
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// oneDrive draws 0.5 A from 5 V and 0.25 A from 12 V.
func oneDrive() *ConstantLoad {
	return NewConstantLoad(map[string]int{"5v": 5010, "12v": 12050}, map[string]int{"5v": 500_123, "12v": 250_000})
}

// exchange writes sent and expects exactly want to come back.
func exchange(t *testing.T, conn net.Conn, sent, want string) {
	t.Helper()
	if _, err := io.WriteString(conn, sent); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	n, err := io.ReadFull(conn, got)
	if string(got[:n]) != want || err != nil {
		t.Errorf("%q was answered\n  %q (%v), want\n  %q", sent, got[:n], err, want)
	}
}

// The terminal link: the command comes back first, then the reply lines, then
// the prompt with nothing after it.
func TestTerminalLinkEchoesRepliesAndPrompts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Powered: true, Now: virtualNow()}, oneDrive())
		conn := connect(t, m, quarch.LinkTerminal)
		pass(10 * time.Millisecond) // the first averaging window is over
		for _, x := range []struct{ sent, want string }{
			{"hello?\r\n", "hello?\r\nHD Programmable Power Module +Triggering\r\n>"},
			{"hello?\r", "hello?\r\nHD Programmable Power Module +Triggering\r\n>"}, // CR alone, as some clients end
			{"\r\n\nmeas:volt 5v?\n", "meas:volt 5v?\r\n5010 mV\r\n>"},              // empty lines are nothing
			{"meas:cur 5v?\r\n", "meas:cur 5v?\r\n500.123 mA\r\n>"},
			{"measure:outputs?\r\n", "measure:outputs?\r\n" +
				"5V voltage = 5010 mV\r\n5V current = 500123 uA\r\n12V voltage = 12050 mV\r\n12V current = 250000 uA\r\n>"},
			{"# a remark\r\n", "# a remark\r\n>"},
			{"HEZZ0?\r\n", "HEZZ0?\r\nFAIL: 0x01 -Unknown command\r\n>"},
			{"rec stream\r\n", "rec stream\r\nFAIL: 0x03 -No streaming on this link\r\n>"},
			{"conf:term script\r\n", "conf:term script\nOK\r\n>"}, // from here on the echo ends in LF
			{"*tst?\r\n", "*tst?\nOK\r\n>"},
		} {
			exchange(t, conn, x.sent, x.want)
		}
	})
}

// The framed link: no echo, the whole reply in one frame.
func TestFramedLinkRepliesInOneFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := connect(t, New(Options{Now: virtualNow()}, oneDrive()), quarch.LinkFramed)
		exchange(t, conn, "\x07\x00*tst?\r\n", "\x05\x00OK\r\n>")
		exchange(t, conn, "\x02\x00\xff\xff"+"\x0a\x00*serial?\r\n", "\x0e\x001944-02-001\r\n>") // an acknowledgement is no command
		exchange(t, conn, "\x0d\x00*enclosure?\r\n", "\x0e\x001999-02-001\r\n>")
	})
}

// A serial port carries either link. Each request is told by its first bytes.
func TestEitherLinkIsUnderstoodOnOnePort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := connect(t, New(Options{Now: virtualNow()}, oneDrive()), "")
		exchange(t, conn, "*tst?\r\n", "*tst?\r\nOK\r\n>")
		exchange(t, conn, "\x07\x00*tst?\r\n", "\x05\x00OK\r\n>")
		exchange(t, conn, "run:power?\r\n", "run:power?\r\nOFF\r\n>")
	})
}

func TestIdentityHasNineKeysInTheOldOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, connect(t, New(Options{Serial: "QTL1999-05-123", Firmware: "5.020", Now: virtualNow()}, oneDrive()), quarch.LinkFramed))
		var keys []string
		lines := strings.Split(h.ask("*idn?"), "\r\n")
		for _, line := range lines {
			key, _, _ := strings.Cut(line, ": ")
			keys = append(keys, key)
		}
		if got, want := strings.Join(keys, ","), "Family,Name,Part#,Processor,Bootloader,FPGA 1,Serial#,Enclosure#,Position#"; got != want {
			t.Fatalf("keys %s, want %s", got, want)
		}
		for i, want := range map[int]string{2: "Part#: QTL1999-05", 3: "Processor: QTL1944-05,5.020", 7: "Enclosure#: 1999-05-123"} {
			if lines[i] != want {
				t.Errorf("line %d is %q, want %q", i, lines[i], want)
			}
		}
	})
}

func TestSettingsReadBackAndRefuseWhatIsOutOfRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, connect(t, New(Options{Now: virtualNow()}, oneDrive()), quarch.LinkFramed))
		for _, x := range []struct{ command, want string }{
			{"rec:ave?", "0"},
			{"rec:ave 1k", "OK"},
			{"rec:ave?", "1k"},
			{"rec:ave 3", "FAIL: 0x02 -Averaging must be 0, 2, 4 ... 512, 1k ... 32k"},
			{"sig:5v:volt?", "5000 mV"},
			{"sig:5v:volt 5250", "OK"},
			{"sig:5v:volt?", "5250 mV"},
			{"sig:5v:volt 6001", "FAIL: 0x02 -Voltage must be 0 to 6000 mV"},
			{"sig:3v3:volt?", "FAIL: 0x02 -No output 3V3"},
			{"rec:trig:mode power", "OK"},
			{"rec:trig:mode?", "POWER"},
			{"rec:5v:volt:enable?", "ON"},
			{"rec:3v3:cur:enable?", "OFF"},
			{"conf:out:mode?", "5V"},
			{"conf out 12v pull on", "OK"},
			{"conf:out:12v:pull?", "ON"},
			{"rec stream?", "Stopped"},
			{"config:supports?", "FAIL: 0x01 -Not supported by this firmware"},
			{"fix:chan:xml?", "FAIL: 0x01 -Not supported by this firmware"},
			{"config:default state", "OK"},
			{"rec:ave?", "0"},
			{"sig:5v:volt?", "5000 mV"},
		} {
			if got := h.ask(x.command); got != x.want {
				t.Errorf("%s was answered %q, want %q", x.command, got, x.want)
			}
		}
	})
}

// Without a chosen output mode an HD module refuses to switch on.
func TestPowerUpFailsWhileOutputsAreDisabled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{OutputMode: "DISABLED", Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		got := h.ask("run:power up")
		if !strings.HasPrefix(got, "FAIL") || !strings.Contains(got, "CONF:OUT:MODE") {
			t.Errorf("power up was answered %q, want FAIL and a hint at CONF:OUT:MODE", got)
		}
		if got := h.ask("run:power?"); got != "OFF" {
			t.Errorf("power is %s, want OFF", got)
		}
		h.must("conf:out:mode 5v", "run:power up")
		if got := h.ask("run:power?"); got != "ON" {
			t.Errorf("power is %s, want ON", got)
		}
	})
}

// With 32k averaging a window takes 131.072 ms: in between, a poll repeats the
// last one. The load is switched off 10 ms after the module began, inside the
// first window, so that window reads 5010·10/131.072 = 382 mV.
func TestPolledReadingChangesOncePerAveragingWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Averaging: "32k", Powered: true, Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		pass(10 * time.Millisecond)
		h.must("run:power down")
		for _, x := range []struct {
			after time.Duration
			want  string
		}{
			{0, "0 mV"},                        // nothing measured yet
			{125 * time.Millisecond, "0 mV"},   // 135 ms: the window is over, the load is not asked so soon
			{2 * time.Millisecond, "382 mV"},   // 137 ms
			{120 * time.Millisecond, "382 mV"}, // 257 ms: still in the second window
			{11 * time.Millisecond, "0 mV"},    // 268 ms: 2·131.072 + 5 ms are over
		} {
			pass(x.after)
			if got := h.ask("meas:volt 5v?"); got != x.want {
				t.Errorf("reading %q, want %q", got, x.want)
			}
		}
	})
}

// A small negative current is what an unloaded input reads.
func TestNegativeCurrentKeepsItsSign(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		load := NewConstantLoad(map[string]int{"5v": -3}, map[string]int{"5v": -27})
		m := New(Options{Powered: true, Now: virtualNow()}, load)
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		pass(10 * time.Millisecond)
		if got := h.ask("meas:cur 5v?"); got != "-0.027 mA" {
			t.Errorf("current %q, want -0.027 mA", got)
		}
		if got := h.ask("meas:volt 5v?"); got != "-3 mV" {
			t.Errorf("voltage %q, want -3 mV", got)
		}
	})
}

// A reset is not answered and drops the link.
func TestResetDropsTheLinkAndSwitchesOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Now: virtualNow()}, oneDrive())
		h := newHost(t, connect(t, m, quarch.LinkFramed))
		h.must("run:power up")
		h.send("*rst\r\n")
		if rest, err := io.ReadAll(h.conn); len(rest) > 0 || err != nil {
			t.Errorf("after *rst came %q (%v), want the end of the link", rest, err)
		}
		if got := newHost(t, connect(t, m, quarch.LinkFramed)).ask("run:power?"); got != "OFF" {
			t.Errorf("power is %s after a reset, want OFF", got)
		}
	})
}

// Whatever bytes arrive, a request is read or the link ends; nothing hangs and
// nothing grows.
func FuzzNextRequest(f *testing.F) {
	f.Add([]byte("hello?\r\n"), byte(0))
	f.Add([]byte("\x07\x00*tst?\r\n\x02\x00\xff\x01"), byte(1))
	f.Add([]byte("\xff\xff\x00\x00\x00\r\r\n"), byte(2))
	f.Fuzz(func(t *testing.T, sent []byte, which byte) {
		link := []string{"", quarch.LinkTerminal, quarch.LinkFramed}[which%3]
		r := newRequests(strings.NewReader(string(sent)), link, 1, func() int64 { return 0 })
		for range len(sent) + 1 {
			q, err := r.next()
			if err != nil {
				return
			}
			if !q.framed && len(q.text) > longestLine {
				t.Fatalf("a line of %d bytes", len(q.text))
			}
		}
		t.Fatalf("more requests than bytes in %q", sent)
	})
}

// The frames of a request are those that the protocol package writes.
func TestRequestFramesAreTheProtocols(t *testing.T) {
	sent := string(wire.AppendFrame(nil, []byte("hello?\r\n"))) + wire.Ack + wire.SyncAnswer
	r := newRequests(strings.NewReader(sent), "", 1, func() int64 { return 0 })
	for _, want := range []string{"hello?", "\xff\xff", "\xff\x01"} {
		q, err := r.next()
		if q.text != want || !q.framed || err != nil {
			t.Errorf("request %+v (%v), want the frame %q", q, err, want)
		}
	}
}

// A client leaves half a frame behind: the beginning of a long one, or a plain line, whose
// first two letters are a length of 25,960 bytes. What comes 0.6 s later is a frame of its own;
// what comes after 0.4 s belongs to the half.
func TestHalfAFrameIsDropped(t *testing.T) {
	for _, half := range []string{"\x40", "\x40\x00run:po", "hello?\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			m := New(Options{Now: virtualNow()}, oneDrive())
			conn := connect(t, m, quarch.LinkFramed)
			if _, err := conn.Write([]byte(half)); err != nil {
				t.Fatal(err)
			}
			pass(600 * time.Millisecond)
			if got := newHost(t, conn).ask("*tst?"); got != "OK" {
				t.Errorf("after %q: answer %q, want OK", half, got)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Now: virtualNow()}, oneDrive())
		conn := connect(t, m, quarch.LinkFramed)
		for _, part := range []string{"\x07\x00*ts", "t?\r", "\n"} {
			if _, err := conn.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
			pass(400 * time.Millisecond)
		}
		if got := newHost(t, conn).reply(); got != "OK" {
			t.Errorf("a slow frame: answer %q, want OK", got)
		}
	})
}
