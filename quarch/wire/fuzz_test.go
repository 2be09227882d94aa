package wire_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"powerd/quarch/wire"
)

// drawStream draws a stream of any mask, frame size and counts, with replies and
// statuses in it, and the columns that it must give.
func drawStream(t *rapid.T) ([]byte, wire.Columns) {
	mask := wire.Mask(rapid.IntRange(1, 15).Draw(t, "mask"))
	limits := [wire.Channels][2]int32{{-256, 6000}, {-1_000_000, 13_000_000}, {-256, 14_400}, {-1_000_000, 13_000_000}}
	var want wire.Columns
	var data []byte
	for range rapid.IntRange(0, 200).Draw(t, "stripes") {
		var x [wire.Channels]int32
		for c := range x {
			x[c] = rapid.Int32Range(limits[c][0], limits[c][1]).Draw(t, "x")
			if mask>>(3-c)&1 != 0 {
				want[c] = append(want[c], x[c])
			}
		}
		data = wire.AppendStripe(data, mask, x[0], x[1], x[2], x[3])
	}
	stream := wire.AppendFrame(nil, wire.AppendHeader(nil, wire.Header{Version: 5, Mask: mask}))
	for len(data) > 0 {
		n := min(2*rapid.IntRange(1, 60).Draw(t, "words"), len(data))
		payload := slices.Clone(data[:n])
		data = data[n:]
		switch rapid.IntRange(0, 9).Draw(t, "between") {
		case 0:
			payload = append(payload, byte(wire.StatusSync))
		case 1:
			payload = append(payload, byte(wire.StatusNoData))
		case 2:
			stream = wire.AppendFrame(stream, []byte("OK\r\n>"))
		}
		stream = wire.AppendFrame(stream, payload)
	}
	return wire.AppendFrame(stream, []byte{byte(wire.StatusEnd)}), want
}

func drawSplit(t *rapid.T, stream []byte) [][]byte {
	var pieces [][]byte
	for len(stream) > 0 {
		n := min(rapid.IntRange(1, 40).Draw(t, "read"), len(stream))
		pieces = append(pieces, stream[:n])
		stream = stream[n:]
	}
	return pieces
}

func TestAnySplitGivesTheStripesThatWereSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream, want := drawStream(t)
		o := decode(drawSplit(t, stream)...)
		if diff := cmp.Diff(want, o.Columns); diff != "" || o.Lost != 0 || o.Err != "" {
			t.Fatalf("lost %d, error %q; stripes (-want +got):\n%s", o.Lost, o.Err, diff)
		}
	})
}

// With damage, a split still changes nothing: the hunt for the next frame goes
// byte by byte.
func TestAnySplitOfADamagedStreamGivesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream, _ := drawStream(t)
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			at := rapid.IntRange(6, len(stream)-1).Draw(t, "at")
			if rapid.Bool().Draw(t, "lose") {
				stream = slices.Delete(stream, at, at+1)
			} else {
				stream[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
			}
		}
		whole, split := decode(stream), decode(drawSplit(t, stream)...)
		if diff := cmp.Diff(whole, split, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"lost_byte.hex", "split_reads.hex", "overrun.hex"} {
		f.Add(bytes.Join(reads(f, name), nil), byte(1))
	}
	f.Add([]byte("\x05\x00OK\r\n>\x04\x00\x05\x00\x03\x00\x01\x00\x07"), byte(3))
	f.Fuzz(func(t *testing.T, stream []byte, step byte) {
		var pieces [][]byte
		for p := stream; len(p) > 0; {
			n := min(int(step)+1, len(p))
			pieces = append(pieces, p[:n])
			p = p[n:]
		}
		whole, split := decode(stream), decode(pieces...)
		if diff := cmp.Diff(whole, split, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
		for c, limit := range [wire.Channels]int32{6_090, 13_200_000, 14_616, 13_200_000} {
			for _, x := range whole.Columns[c] {
				if x > limit || x < -1_000_000 {
					t.Fatalf("channel %d reads %d", c, x)
				}
			}
		}
	})
}

func FuzzTerminalReply(f *testing.F) {
	f.Add([]byte("hello?\r\nHD\r\n>"), "hello?")
	f.Add([]byte("7\r\n>*tst?\nOK\r\n>"), "*tst?")
	f.Fuzz(func(t *testing.T, got []byte, cmd string) {
		if _, _, done := wire.TerminalReply(got, cmd, false); done != bytes.HasSuffix(got, []byte("\n>")) {
			t.Errorf("%q: done %v", got, done)
		}
	})
}

func BenchmarkDecodeHD(b *testing.B)  { benchmarkWords(b, 5) }
func BenchmarkDecodeXLC(b *testing.B) { benchmarkWords(b, 4) }
func BenchmarkDecodePPM(b *testing.B) { benchmarkWords(b, 3) }

// Frames of 100 stripes of all channels, as they come at the highest rate.
func benchmarkWords(b *testing.B, version byte) {
	const perFrame, count = 100, 40
	var payload, chunk []byte
	for i := range int32(perFrame) {
		payload = wire.AppendStripe(payload, wire.MaskAll, mV5-i, uA5+13*i, mV12+i, uA12-i)
	}
	for range count {
		chunk = wire.AppendFrame(chunk, payload)
	}
	var d wire.Decoder
	d.ExpectStream()
	d.Feed(wire.AppendFrame(nil, []byte{version, 0, 15, 0}))
	var cols wire.Columns
	if _, ok, err := d.Next(&cols); !ok || err != nil {
		b.Fatal(ok, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		cols.Reset()
		d.Feed(chunk)
		for {
			if _, ok, err := d.Next(&cols); !ok {
				if err != nil {
					b.Fatal(err)
				}
				break
			}
		}
		if len(cols[0]) != perFrame*count {
			b.Fatalf("%d stripes, want %d", len(cols[0]), perFrame*count)
		}
	}
	b.ReportMetric(float64(b.N)*perFrame*count/b.Elapsed().Seconds(), "stripes/s")
}
