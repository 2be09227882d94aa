package ppm_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch"
	"powerd/quarch/lan"
	"powerd/quarch/ppm"
	"powerd/quarch/quarchtest"
	"powerd/quarch/sim"
	"powerd/quarch/tty"
	"powerd/quarch/wire"
)

// counting is a load whose stripes can be told apart: those of the 12 V rail
// are 7 V higher. Some equal the one before, some differ by a little, some by much.
type counting struct{ k int }

func (l *counting) SetPower(int64, bool)       {}
func (l *counting) SetRail(int64, string, int) {}

func (l *counting) Fill(_, _ int64, rails []string, v, a [][]int32) {
	for r := range rails {
		for i := range v[r] {
			v[r][i], a[r][i] = countingStripe(l.k+i, r)
		}
	}
	l.k += len(v[0])
}

func countingStripe(k, rail int) (mV, uA int32) {
	i := int32(k - k%3) // in threes
	if k%50 > 40 {
		return 4000 + i%50 + 7000*int32(rail), -900 + 3000*(i%4)
	}
	return 4900 + i%7 + 7000*int32(rail), 500_000 + i%200
}

// overPipe opens a module of a format over a pipe, in virtual time.
func overPipe(t *testing.T, o sim.Options, load sim.Load, log *slog.Logger) *ppm.Module {
	t.Helper()
	near, far := net.Pipe()
	o.Now = now
	module := sim.New(o, load)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { module.Serve(ctx, far, "") })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return opened(t, ppm.Options{Conn: near, Port: "pipe", Now: now, Log: log})
}

func TestConformanceOfEveryFormat(t *testing.T) {
	for _, format := range sim.Formats() {
		t.Run(string(format)+" over a pipe", func(t *testing.T) {
			quarchtest.RunInBubble(t, func(t *testing.T) quarchtest.Subject {
				return quarchtest.Subject{Module: overPipe(t, sim.Options{Format: format, Averaging: "16"}, &counting{}, nil)}
			})
		})
		if format == sim.FormatHD {
			continue // TestConformanceOnRealPorts
		}
		options := calm()
		options.Format = format
		t.Run(string(format)+" over a pseudo-terminal", func(t *testing.T) {
			quarchtest.Run(t, func(t *testing.T) quarchtest.Subject {
				path := serve(t, emulated(options).ServePTY)
				port, err := tty.Open(path, tty.Options{LockDir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				return quarchtest.Subject{Module: opened(t, ppm.Options{Conn: port, Port: path, Now: monotonic})}
			})
		})
		t.Run(string(format)+" over TCP", func(t *testing.T) {
			quarchtest.Run(t, func(t *testing.T) quarchtest.Subject {
				address := serve(t, func(ctx context.Context) (string, func() error, error) {
					return emulated(options).ServeTCP(ctx, "127.0.0.1:0")
				})
				conn, err := lan.Dial(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				return quarchtest.Subject{Module: opened(t, ppm.Options{Conn: conn, Port: address, Link: quarch.LinkFramed, Now: monotonic})}
			})
		})
	}
}

// Twenty thousand stripes of each format, and of each kind of packet, read as they were
// measured. Frames of 300 bytes cut blocks and stripes anywhere.
func TestEveryFormatReadsAsMeasured(t *testing.T) {
	cases := map[string]sim.Options{}
	for _, format := range sim.Formats() {
		cases[string(format)] = sim.Options{Format: format}
		cases[string(format)+", small frames"] = sim.Options{Format: format, FramePayloadBytes: 300}
	}
	for name, packet := range map[string]wire.Packet{
		"absolute": wire.PacketAbsolute, "blank": wire.PacketBlank, "trigger": wire.PacketTrigger,
		"delta": wire.PacketDelta, "repeat": wire.PacketRepeat,
	} {
		o := sim.Options{Format: sim.FormatHDPlus}
		o.Packets = packet
		cases["hdplus, "+name+" packets"] = o
	}
	for name, o := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := overPipe(t, o, &counting{}, nil)
				blocks, err := take(t, m, 20_000)
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range blocks {
					for r, rail := range []quarch.Rail{quarch.Rail5V, quarch.Rail12V} {
						trace := b.Trace(rail)
						for i := range b.Len() {
							k := int(b.First) + i
							if mV, uA := countingStripe(k, r); trace.V[i] != mV || trace.A[i] != uA || b.Lost != 0 {
								t.Fatalf("stripe %d of %s is %d mV, %d µA (%d lost), want %d, %d", k, rail, trace.V[i], trace.A[i], b.Lost, mV, uA)
							}
						}
					}
				}
			})
		})
	}
}

// The module says what it is, and so does Info.
func TestInfoOfEveryFormat(t *testing.T) {
	for format, want := range map[sim.Format]string{
		sim.FormatHD: "HD Programmable Power Module", sim.FormatHDPlus: "HD Plus ",
		sim.FormatXLC: "XLC ", sim.FormatPPM: "Programmable Power Module",
	} {
		synctest.Test(t, func(t *testing.T) {
			info, err := overPipe(t, sim.Options{Format: format}, &counting{}, nil).Info(t.Context())
			if err != nil || !strings.HasPrefix(info.Model, want) || !strings.HasPrefix(info.Serial, "QTL") {
				t.Errorf("%s: model %q, serial %q, %v; want %q", format, info.Model, info.Serial, err, want)
			}
		})
	}
}

// A module whose firmware streams otherwise than its name says is read as its header says,
// and the log tells.
func TestHeaderDecidesTheFormat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		m := overPipe(t, sim.Options{Format: sim.FormatHDPlus, Model: "HD Programmable Power Module"}, &counting{},
			slog.New(slog.NewTextHandler(&log, nil)))
		if _, err := take(t, m, 100); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(log.String(), "version=2 of_model=5") {
			t.Errorf("the log says %q", log.String())
		}
	})
}

// The original module measures up to 7.5 A: of 9 A it shows 7.5 A, the others 9.
func TestRangeOfTheOriginalModule(t *testing.T) {
	for format, want := range map[sim.Format]int32{sim.FormatPPM: 7_500_000, sim.FormatXLC: 9_000_000, sim.FormatHDPlus: 9_000_000} {
		synctest.Test(t, func(t *testing.T) {
			load := sim.NewConstantLoad(map[string]int{"5v": 5000, "12v": 12_000}, map[string]int{"5v": 9_000_000, "12v": 1})
			m := overPipe(t, sim.Options{Format: format, Powered: true, Averaging: "16"}, load, nil)
			blocks, err := take(t, m, 300)
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Max(blocks[len(blocks)-1].Trace(quarch.Rail5V).A); got != want {
				t.Errorf("%s reads %d µA of 9 A, want %d", format, got, want)
			}
		})
	}
}

// With an averaging of 32k a stripe takes 131 ms; in HD Plus it comes no later than a block
// may wait: 20 ms, the 5 ms by which the drive is asked late, and a round of 3 ms.
func TestSlowStripesDoNotWaitForTheirBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := overPipe(t, sim.Options{Format: sim.FormatHDPlus, Averaging: "32k"}, &counting{}, nil)
		blocks, err := take(t, m, 4)
		if err != nil {
			t.Fatal(err)
		}
		sentNs, _ := m.StreamStart()
		for _, b := range blocks {
			late := time.Duration(b.ReadAtNs - sentNs - int64(b.End())*b.PeriodNs)
			if late < 0 || late > 28*time.Millisecond {
				t.Errorf("stripe %d came %v after its end", b.End()-1, late)
			}
		}
	})
}

// A byte in fifty frames, a length in fifty, are damaged on the way, in every format. What
// is read then was measured, near the place where it is said to be: the count of what was
// lost is an estimate, from lengths that may be wrong (4 stripes) and from packets that hold
// no fixed number of them (200). Most is read, and received and lost together go as far as
// the last index. After 700 ms all is well, so that the end is seen.
func TestDamageInEveryFormat(t *testing.T) {
	for _, format := range sim.Formats() {
		synctest.Test(t, func(t *testing.T) {
			// A sync that goes with a damaged frame would stop the module for seconds.
			o := sim.Options{Format: format, Averaging: "2", Seed: 3, SyncNs: -1, SyncFrames: 1 << 30}
			for _, text := range []string{"lost-byte:at=0s,for=700ms,p=0.02", "wrong-length:at=0s,for=700ms,p=0.02"} {
				fault, err := sim.ParseFault(text)
				if err != nil {
					t.Fatal(err)
				}
				o.Faults = append(o.Faults, fault)
			}
			m := overPipe(t, o, &counting{}, nil)
			blocks, err := take(t, m, 100_000)
			if err != nil {
				t.Fatal(err)
			}
			near := 4
			if format == sim.FormatHDPlus {
				near = 200
			}
			got, lost, resyncs := 0, uint64(0), 0
			for _, b := range blocks {
				got, lost, resyncs = got+b.Len(), lost+b.Lost, resyncs+b.Resync
				if !measuredNear(b, near) {
					t.Fatalf("%s: from stripe %d on, %d read what was not measured within %d stripes", format, b.First, b.Len(), near)
				}
			}
			end := int(blocks[len(blocks)-1].End())
			if got+int(lost) != end || resyncs < 5 || got < end*8/10 {
				t.Errorf("%s: %d stripes and %d lost up to index %d, %d resyncs", format, got, lost, end, resyncs)
			}
		})
	}
}

// measuredNear reports whether the stripes of a block are what was measured from its index
// on, or from up to near stripes before or after it.
func measuredNear(b *quarch.Block, near int) bool {
	five, twelve := b.Traces[0], b.Traces[1]
	for off := -near; off <= near; off++ {
		i := 0
		for ; i < b.Len(); i++ {
			k := int(b.First) + i + off
			mV5, uA5 := countingStripe(k, 0)
			mV12, uA12 := countingStripe(k, 1)
			if k < 0 || five.V[i] != mV5 || five.A[i] != uA5 || twelve.V[i] != mV12 || twelve.A[i] != uA12 {
				break
			}
		}
		if i == b.Len() {
			return true
		}
	}
	return false
}
