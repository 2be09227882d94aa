package ppm_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"powerd/quarch"
	"powerd/quarch/ppm"
	"powerd/quarch/quarchtest"
)

// The module sends "2" of its answer and no more. The error names port, command
// and what came; and what comes late is not taken for the next reply.
func TestSilentModule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkTerminal)
		m := open(t, f)
		f.Answer = func(cmd string) []quarchtest.Piece {
			if cmd != "sig:5v:volt?" {
				return nil
			}
			return []quarchtest.Piece{{Text: cmd + "\r\n2"}, {After: 3100 * time.Millisecond, Text: "34 mV\r\n>"}}
		}
		_, err := m.RailVoltage(t.Context(), quarch.Rail5V)
		if want := "module fake: no answer to sig:5v:volt? within 3 s (got 1 byte)"; !errors.Is(err, quarch.ErrTimeout) || err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		if on, err := m.Powered(t.Context()); err != nil || !on {
			t.Errorf("the next command: on %v, %v; want its own reply", on, err)
		}
	})
}

func TestLateReplyOnTheFramedLinkIsNotTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		m := open(t, f)
		f.Answer = func(cmd string) []quarchtest.Piece {
			if cmd != "run:power?" {
				return nil
			}
			return []quarchtest.Piece{{After: 3050 * time.Millisecond, Text: "\x06\x00OFF\r\n>"}}
		}
		if _, err := m.Powered(t.Context()); !errors.Is(err, quarch.ErrTimeout) {
			t.Fatalf("error %v, want ErrTimeout", err)
		}
		if mode, err := m.OutputMode(t.Context()); mode != "5V" || err != nil {
			t.Errorf("output mode %q, %v; want 5V", mode, err)
		}
	})
}

// The line takes longer than any read: 2 + 12 bytes of one reply, then a prompt
// that comes in two pieces. Values: 67.6 mA and 142 mA.
func TestSlowLineKeepsItsHalves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pause = 230 * time.Millisecond
		f := quarchtest.NewFake(quarch.LinkTerminal)
		f.Answer = func(cmd string) []quarchtest.Piece {
			switch cmd {
			case "meas:cur 5v?":
				return []quarchtest.Piece{{Text: "meas:cur 5v?\r\n06"}, {After: pause, Text: "7.6mA\r\n>"}}
			case "meas:cur 12v?":
				return []quarchtest.Piece{{Text: "meas:cur 12v?\r\n1"}, {After: pause, Text: "42mA\r"}, {After: pause, Text: "\n>"}}
			}
			return nil
		}
		blocks, err := take(t, open(t, f), 1)
		if err != nil || len(blocks) != 1 {
			t.Fatal(blocks, err)
		}
		five, twelve := blocks[0].Traces[0].A[0], blocks[0].Traces[1].A[0]
		if five != 67_600 || twelve != 142_000 { // µA
			t.Errorf("5 V %d µA, 12 V %d µA; want 67600 and 142000", five, twelve)
		}
	})
}

func TestPolledStripe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocks, err := take(t, open(t, quarchtest.NewFake(quarch.LinkTerminal)), 3)
		if err != nil || len(blocks) < 3 {
			t.Fatal(blocks, err)
		}
		want := []quarch.Trace{
			{Rail: quarch.Rail5V, V: []int32{5010}, A: []int32{123_456}, LSBVolts: 1e-3, LSBAmps: 1e-6},
			{Rail: quarch.Rail12V, V: []int32{11_990}, A: []int32{-983}, LSBVolts: 1e-3, LSBAmps: 1e-6},
		}
		if diff := cmp.Diff(want, blocks[1].Traces); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		// Commands are 15 ms apart and answered at once, so a round of four has its
		// last reply 60 ms after the one before it; it began at that reply.
		b, before := blocks[2], blocks[1]
		if d := b.ReadAtNs - before.ReadAtNs; d != 60e6 {
			t.Errorf("a round took %d ns, want 60 ms", d)
		}
		if at := b.AtNs[0]; at != before.ReadAtNs+30e6 {
			t.Errorf("its middle is at %d ns after the last reply, want 30 ms", at-before.ReadAtNs)
		}
	})
}

func TestPollingInOneCommandWhereTheModuleKnowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkTerminal)
		f.Replies["measure:outputs?"] = "5V Voltage = 5010 mV\r\n5V Current = 123456.25 uA\r\n12V Voltage = 11990 mV\r\n12V Current = -983 uA\r\nPERST = HIGH"
		blocks, err := take(t, open(t, f), 2)
		if err != nil || len(blocks) < 2 {
			t.Fatal(blocks, err)
		}
		// Hundredths of a µA do not get lost: the LSB follows the module's text.
		want := []quarch.Trace{
			{Rail: quarch.Rail5V, V: []int32{5010}, A: []int32{12_345_625}, LSBVolts: 1e-3, LSBAmps: 1e-8},
			{Rail: quarch.Rail12V, V: []int32{11_990}, A: []int32{-98_300}, LSBVolts: 1e-3, LSBAmps: 1e-8},
		}
		if diff := cmp.Diff(want, blocks[0].Traces); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestReadingWithoutAUnitIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkTerminal)
		f.Replies["meas:cur 5v?"] = "234"
		blocks, err := take(t, open(t, f), 1)
		if err != nil {
			t.Fatal(err)
		}
		if a := blocks[0].Trace(quarch.Rail5V).A[0]; a != quarch.Missing {
			t.Errorf("current reads %d, want missing", a)
		}
	})
}

func TestRefusalCarriesTheModulesText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.Replies["run:power up"] = "FAIL: 0x40 -set CONF:OUT:MODE first"
		err := open(t, f).SetPower(t.Context(), true)
		if !errors.Is(err, quarch.ErrRefused) || !strings.Contains(err.Error(), "set CONF:OUT:MODE first") || !strings.Contains(err.Error(), "run:power up") {
			t.Errorf("error %v", err)
		}
	})
}

func TestSettingsOfTheModule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		f.Replies["sig:5v:volt 4750"] = "OK"
		f.Replies["sig:5v:volt?"] = "4750 mV"
		f.Replies["config:output:mode 3v3"] = "OK"
		m := open(t, f)
		ctx := t.Context()
		if err := m.SetRailVoltage(ctx, quarch.Rail5V, 4750); err != nil {
			t.Error(err)
		}
		if mV, err := m.RailVoltage(ctx, quarch.Rail5V); mV != 4750 || err != nil {
			t.Errorf("5 V rail is set to %d mV, %v", mV, err)
		}
		if err := m.SetRailVoltage(ctx, quarch.Rail5V, 6001); err == nil { // the module's range ends at 6 V
			t.Error("6001 mV on the 5 V rail was not refused")
		}
		if err := m.SetOutputMode(ctx, "3V3"); err != nil {
			t.Error(err)
		}
		if err := m.SetAveraging(ctx, 1024); err != nil {
			t.Error(err)
		}
		if n, err := m.Averaging(ctx); n != 1024 || err != nil {
			t.Errorf("averaging %d, %v", n, err)
		}
		err := m.SetPeriod(ctx, 100_000)
		if err == nil || !strings.Contains(err.Error(), "64 and 128 µs") {
			t.Errorf("100 µs: error %v, want the nearest named", err)
		}
	})
}

func TestInfo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := true
		want := quarch.Info{
			Driver: "ppm", Model: "HD Programmable Power Module", Serial: "QTL1999-05-005", Firmware: "QTL1944-02,5.016",
			Link: "framed", Port: "fake", Rails: []quarch.Rail{"5v", "12v"}, PeriodNs: 64_000, Averaging: 16,
			OutputMode: "5V", Powered: &on, SelfTest: "OK",
		}
		got, err := open(t, quarchtest.NewFake(quarch.LinkFramed)).Info(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func TestLinkIsFoundOut(t *testing.T) {
	for _, link := range []string{quarch.LinkTerminal, quarch.LinkFramed} {
		synctest.Test(t, func(t *testing.T) {
			f := quarchtest.NewFake(link)
			m, err := ppm.Open(t.Context(), ppm.Options{Conn: f.Connect(), Port: "fake", Now: now})
			if err != nil {
				t.Fatalf("%s: %v", link, err)
			}
			defer m.Close()
			if info, err := m.Info(t.Context()); err != nil || info.Link != link {
				t.Errorf("%s: found %q, %v", link, info.Link, err)
			}
		})
	}
}

// A GPS receiver talks without being asked and never prompts.
func TestSomethingElseOnThePort(t *testing.T) {
	for _, link := range []string{quarch.LinkTerminal, quarch.LinkFramed, ""} {
		synctest.Test(t, func(t *testing.T) {
			var talk sync.WaitGroup
			defer talk.Wait()
			host, device := net.Pipe()
			defer device.Close()
			go io.Copy(io.Discard, device)
			talk.Go(func() {
				for {
					if _, err := device.Write([]byte("$GPGGA,123519,4807.038,N\r\n")); err != nil {
						return
					}
					<-time.After(time.Second)
				}
			})
			_, err := ppm.Open(t.Context(), ppm.Options{Conn: host, Port: "gps", Link: link, Now: now})
			if !errors.Is(err, quarch.ErrNotAModule) || !strings.Contains(err.Error(), "GPGGA") {
				t.Errorf("link %q: error %v, want ErrNotAModule with what it said", link, err)
			}
		})
	}
}

func TestNobodyOnThePort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, device := net.Pipe()
		defer device.Close()
		go io.Copy(io.Discard, device)
		_, err := ppm.Open(t.Context(), ppm.Options{Conn: host, Port: "dead", Link: quarch.LinkTerminal, Now: now})
		if !errors.Is(err, quarch.ErrTimeout) || !strings.Contains(err.Error(), "no answer to hello? within 3 s (got 0 bytes)") {
			t.Errorf("error %v", err)
		}
	})
}

func TestPortThatGoesAwayEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := quarchtest.NewFake(quarch.LinkFramed)
		conn := f.Connect()
		unplug := make(chan struct{})
		m, err := ppm.Open(t.Context(), ppm.Options{Conn: &cable{conn, unplug}, Port: "fake", Link: f.Link, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		n := 0
		for _, err = range m.Stream(ctx) {
			if err == nil {
				if n++; n == 3 {
					close(unplug)
				}
			}
		}
		if n < 3 || !errors.Is(err, quarch.ErrUnplugged) {
			t.Errorf("%d blocks, then %v; want ErrUnplugged", n, err)
		}
	})
}

// cable is a connection that ends when it is pulled.
type cable struct {
	io.ReadWriteCloser
	pulled chan struct{}
}

func (c *cable) Read(b []byte) (int, error) {
	select {
	case <-c.pulled:
		return 0, io.EOF
	default:
		return c.ReadWriteCloser.Read(b)
	}
}

// A module says in whole seconds how long it has been on; one that does not know the
// question, or answers something else, leaves it open.
func TestRuntimeIsAskedFor(t *testing.T) {
	for answer, want := range map[string]float64{"123s": 123, "7S": -1, "": -1, "soon": -1, "FAIL: 0x12 -Unknown command": -1, "-5s": -1} {
		synctest.Test(t, func(t *testing.T) {
			f := quarchtest.NewFake(quarch.LinkFramed)
			if answer != "" {
				f.Replies["conf:runtimes?"] = answer
			}
			m := open(t, f)
			info, err := m.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case want < 0 && info.RuntimeS != nil:
				t.Errorf("answered %q: %g s, want nothing", answer, *info.RuntimeS)
			case want >= 0 && (info.RuntimeS == nil || *info.RuntimeS != want):
				t.Errorf("answered %q: %v, want %g s", answer, info.RuntimeS, want)
			}
		})
	}
}
