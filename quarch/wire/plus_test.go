package wire_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"powerd/quarch/wire"
)

// block returns packets in logical order as a block of a stream: filled up with zeros
// after blank packets that span them, then every pair of bytes exchanged.
func block(t testing.TB, packets ...string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(strings.Join(packets, ""), " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	if left := wire.PlusBlockBytes - len(b); left > 257 {
		b = append(append(b, 8, 255), make([]byte, 255)...)
	}
	if left := wire.PlusBlockBytes - len(b); left > 0 {
		b = append(append(b, 8, byte(left-2)), make([]byte, left-2)...)
	}
	if len(b) != wire.PlusBlockBytes {
		t.Fatalf("a block of %d bytes", len(b))
	}
	for i := 0; i < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return b
}

// Packets, worked out by hand.
const (
	// 5000 mV in 15 bits and 500000 µA (0x7a120) in 25 are 5000·2^25 + 500000 =
	// 0x271007a120; 12000 mV and 250000 µA (0x3d090) are 0x5dc003d090.
	absolute = "04 00 271007a120 5dc003d090"

	// Width 10 = 1010, then +1 = 0000000001, −2 = 1111111110, −1 = 1111111111 and
	// +300 = 0100101100, and four spare bits: 1010 0000 0000 0111 1111 1110 1111 1111
	// 1101 0010 1100 0000. Of +300 the upper six bits are 18 and the lower four 12:
	// 18·16 + 12.
	delta = "0c 00 a007feffd2c0"

	repeat3 = "0e 00 03"
	trigger = "0a 00"

	// −1 mV and −1000 µA are 2^40 − 1000 together: the 25 bits of −1000 begin with a 1
	// that carries on from the 15 of −1. 12 V: −3 mV and +481 µA = −3·2^25 + 481 mod 2^40.
	negative = "04 00 fffffffc18 fffa0001e1"
)

var plusHeader = wire.Header{Version: 2, Mask: wire.MaskAll, Exponent: 4}

func plusStream(payloads ...[]byte) []byte {
	stream := wire.AppendFrame(nil, wire.AppendHeader(nil, plusHeader))
	for _, p := range payloads {
		stream = wire.AppendFrame(stream, p)
	}
	return wire.AppendFrame(stream, []byte{byte(wire.StatusEnd)})
}

// Offsets 0 (version 2), 10 (one group), 12 and 13 (four channels), 18 (averaging 2^6)
// are known; the rest, and what follows, may be anything.
func TestPlusHeader(t *testing.T) {
	header := []byte("\x02\xaa\xaa\xaa\xaa\xaa\xaa\xaa\x0b\x00\x01\xaa\x04\x00\xaa\xaa\xaa\xaa\x06\xaa5V mV 5V uA")
	want := wire.Header{Version: 2, Mask: wire.MaskAll, Exponent: 6}
	if got, err := wire.ParseHeader(header); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if got, err := wire.ParseHeader(wire.AppendHeader(nil, want)); err != nil || got != want {
		t.Errorf("our own header: got %+v, %v; want %+v", got, err, want)
	}
	for _, c := range []struct {
		at   int
		b    byte
		want string
	}{
		{0, 1, "of no known format"},
		{10, 2, "2 groups"},
		{12, 3, "3 channels"},
		{18, 16, "averaging exponent 16"},
	} {
		bad := slices.Clone(header)
		bad[c.at] = c.b
		if _, err := wire.ParseHeader(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("byte %d = %d: error %v, want %q", c.at, c.b, err, c.want)
		}
	}
}

func TestPlusPackets(t *testing.T) {
	for _, c := range []struct {
		name    string
		packets []string
		want    wire.Columns
		lost    uint64
	}{
		{"absolute", []string{absolute}, wire.Columns{{5000}, {500_000}, {12_000}, {250_000}}, 0},
		{"absolute, below 0", []string{negative}, wire.Columns{{-1}, {-1000}, {-3}, {481}}, 0},
		{
			"absolute, delta, the same delta again",
			[]string{absolute, delta, delta},
			wire.Columns{{5000, 5001, 5002}, {500_000, 499_998, 499_996}, {12_000, 11_999, 11_998}, {250_000, 250_300, 250_600}},
			0,
		},
		{"absolute and three times the same", []string{absolute, repeat3}, repeated(4), 0},
		{
			"a repeat is three bytes: what follows stands at an odd place",
			[]string{absolute, repeat3, absolute, delta},
			wire.Columns{
				{5000, 5000, 5000, 5000, 5000, 5001},
				{500_000, 500_000, 500_000, 500_000, 500_000, 499_998},
				{12_000, 12_000, 12_000, 12_000, 12_000, 11_999},
				{250_000, 250_000, 250_000, 250_000, 250_000, 250_300},
			},
			0,
		},
		{"triggers and blanks are no stripes", []string{trigger, absolute, trigger, "08 03 ffffff", absolute, "0800", absolute}, repeated(3), 0},
		{"changes of a stripe that never came: 1 + 3 are lost", []string{delta, repeat3, absolute}, repeated(1), 4},
	} {
		o := decode(plusStream(block(t, c.packets...)))
		if diff := cmp.Diff(c.want, o.Columns); diff != "" || o.Lost != c.lost || o.Err != "" {
			t.Errorf("%s: %d lost (want %d), error %q; stripes (-want +got):\n%s", c.name, o.Lost, c.lost, o.Err, diff)
		}
	}
}

// The same packets, made: an absolute, a delta, three repeats, a trigger.
func TestPlusEncoderChoosesPackets(t *testing.T) {
	var e wire.PlusEncoder
	got := e.Append(nil, 5000, 500_000, 12_000, 250_000)
	for range 4 {
		got = e.Append(got, 5001, 499_998, 11_999, 250_300)
	}
	got = e.Trigger(got)
	got = e.Append(got, -1, -1000, -3, 481)
	if len(got) != 0 || e.Stripes() != 0 {
		t.Errorf("%d bytes, %d stripes before the block is full", len(got), e.Stripes())
	}
	got = e.Flush(got)
	if want := block(t, absolute, delta, repeat3, trigger, negative); !bytes.Equal(got, want) {
		t.Errorf("got\n% x\nwant\n% x", got, want)
	}
	if e.Stripes() != 6 || len(e.Flush(nil)) != 0 {
		t.Errorf("%d stripes, want 6, and nothing more to flush", e.Stripes())
	}
}

func TestPlusEncoderForcedPackets(t *testing.T) {
	second := strings.Replace(absolute, "a120", "a121", 1) // +1 µA
	for _, c := range []struct {
		force wire.Packet
		want  []string
	}{
		{wire.PacketAbsolute, []string{absolute, absolute, second}},
		{wire.PacketDelta, []string{absolute, "0c00 a00000000000", "0c00 a00001000000"}},
		{wire.PacketRepeat, []string{absolute, "0e0001", second}},
		{wire.PacketTrigger, []string{trigger, absolute, trigger, "0e0001", trigger, "0c00 a00001000000"}},
		{wire.PacketBlank, []string{"0803a5a5a5", absolute, "0803a5a5a5", "0e0001", "0803a5a5a5", "0c00 a00001000000"}},
	} {
		e := wire.PlusEncoder{Force: c.force}
		got := e.Append(nil, 5000, 500_000, 12_000, 250_000)
		got = e.Append(got, 5000, 500_000, 12_000, 250_000)
		got = e.Flush(e.Append(got, 5000, 500_001, 12_000, 250_000))
		if want := block(t, c.want...); !bytes.Equal(got, want) {
			t.Errorf("packets %d: got\n% x\nwant\n% x", c.force, got[:64], want[:64])
		}
	}
}

// drawPlus draws a stream of HD Plus: any kind of packet, blocks cut into frames of any
// size, replies and statuses between them; and the columns that it must give.
func drawPlus(t *rapid.T) ([]byte, wire.Columns) {
	force := rapid.SampledFrom([]wire.Packet{0, 0, 0, 4, 8, 10, 12, 14}).Draw(t, "force")
	e := wire.PlusEncoder{Force: force}
	limits := [wire.Channels][2]int32{{-256, 6000}, {-1_000_000, 13_000_000}, {-256, 14_400}, {-1_000_000, 13_000_000}}
	var want wire.Columns
	var data []byte
	x := [wire.Channels]int32{5000, 500_000, 12_000, 250_000}
	for range rapid.IntRange(0, 60).Draw(t, "steps") {
		n := 1
		switch rapid.IntRange(0, 6).Draw(t, "step") {
		case 0:
			for c := range x {
				x[c] = rapid.Int32Range(limits[c][0], limits[c][1]).Draw(t, "x")
			}
		case 1:
			n = rapid.SampledFrom([]int{1, 2, 3, 254, 255, 256, 257, 520}).Draw(t, "same")
		case 2:
			data = e.Trigger(data)
		case 3:
			data = e.Flush(data)
		default:
			for c := range x {
				x[c] = min(max(x[c]+rapid.Int32Range(-512, 512).Draw(t, "change"), limits[c][0]), limits[c][1])
			}
		}
		for range n {
			for c := range x {
				want[c] = append(want[c], x[c])
			}
			data = e.Append(data, x[0], x[1], x[2], x[3])
		}
	}
	return plusFrames(t, e.Flush(data)), want
}

func plusFrames(t *rapid.T, data []byte) []byte {
	stream := wire.AppendFrame(nil, wire.AppendHeader(nil, plusHeader))
	largest := rapid.SampledFrom([]int{4, 60, 256, 1024}).Draw(t, "largest") * 2
	whole := rapid.Bool().Draw(t, "whole blocks")
	for len(data) > 0 {
		n := min(2*rapid.IntRange(1, largest/2).Draw(t, "words"), len(data))
		if whole {
			n = min(wire.PlusBlockBytes*rapid.IntRange(1, 4).Draw(t, "blocks"), len(data))
		}
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
	return wire.AppendFrame(stream, []byte{byte(wire.StatusEnd)})
}

func TestPlusAnySplitGivesTheStripesThatWereSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream, want := drawPlus(t)
		o := decode(drawSplit(t, stream)...)
		if !equal(want, o.Columns) || o.Lost != 0 || o.Err != "" {
			t.Fatalf("lost %d, error %q; stripes (-want +got):\n%s", o.Lost, o.Err, cmp.Diff(want, o.Columns))
		}
	})
}

func TestPlusAnySplitOfADamagedStreamGivesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream, _ := drawPlus(t)
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			if len(stream) < 30 {
				break
			}
			at := rapid.IntRange(22, len(stream)-1).Draw(t, "at") // after the header
			if rapid.Bool().Draw(t, "lose") {
				stream = slices.Delete(stream, at, at+1)
			} else {
				stream[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
			}
		}
		whole, split := decode(stream), decode(drawSplit(t, stream)...)
		if same := equal(whole.Columns, split.Columns); same {
			whole.Columns, split.Columns = wire.Columns{}, wire.Columns{} // cmp takes long for them
		}
		if diff := cmp.Diff(whole, split, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
	})
}

// equal compares long columns quickly.
func equal(a, b wire.Columns) bool {
	for c := range a {
		if !slices.Equal(a[c], b[c]) {
			return false
		}
	}
	return true
}

// varied is a stream of HD Plus that has every kind of packet: n frames of one block, of
// which each holds a slow ramp, steps, and stretches that stay as they are. Stripe k has
// the counts of variedStripe(k).
func varied(n int) (stream []byte, stripes int) {
	var e wire.PlusEncoder
	var data []byte
	stream = wire.AppendFrame(nil, wire.AppendHeader(nil, plusHeader))
	for range n {
		for len(data) < wire.PlusBlockBytes {
			data = e.Append(data, variedStripe(stripes)[0], variedStripe(stripes)[1], variedStripe(stripes)[2], variedStripe(stripes)[3])
			stripes++
		}
		stream = wire.AppendFrame(stream, data[:wire.PlusBlockBytes])
		data = data[wire.PlusBlockBytes:]
	}
	return wire.AppendFrame(stream, []byte{byte(wire.StatusEnd)}), int(e.Stripes())
}

func variedStripe(k int) [wire.Channels]int32 {
	i := int32(k)
	switch {
	case k%40 < 4: // a repeat
		i -= int32(k % 40)
	case k%40 > 30: // absolutes
		return [wire.Channels]int32{4900 + i%40, 700_000 + 4000*(i%2), 11_900, 300_000 - 3000*(i%3)}
	}
	return [wire.Channels]int32{5000 + i%7, 500_000 + i%500, 12_000 - i%5, 250_000 - i%300}
}

// unsent counts the stripes that varied never sends.
func unsent(c wire.Columns, stripes int) (n int) {
	sent := map[[wire.Channels]int32]bool{}
	for k := range stripes {
		sent[variedStripe(k)] = true
	}
	for i := range c[0] {
		if !sent[[wire.Channels]int32{c[0][i], c[1][i], c[2][i], c[3][i]}] {
			n++
		}
	}
	return n
}

// Whichever byte of the third frame is lost, nothing comes out that was not sent, the two
// frames before it stand, and the stream is whole again two frames later. Lost and received
// stripes together are those that were sent, but for what a repeat (at most 3 here) or the
// estimate of what the skipped bytes held is wrong by: 2 blocks of some 60 stripes.
func TestPlusAnyLostByteInventsNothing(t *testing.T) {
	stream, stripes := varied(10)
	const frame = 2 + wire.PlusBlockBytes
	for at := 22 + 2*frame; at < 22+3*frame; at++ {
		o := decode(slices.Concat(stream[:at], stream[at+1:]))
		got := len(o.Columns[0])
		if n := unsent(o.Columns, stripes); n > 0 || o.Err != "" || o.Resyncs == 0 {
			t.Fatalf("byte %d lost: %d stripes were never sent, %d resyncs, error %q", at, n, o.Resyncs, o.Err)
		}
		if got < stripes*8/10 {
			t.Errorf("byte %d lost: %d stripes of %d", at, got, stripes)
		}
		if off := got + int(o.Lost) - stripes; off < -20 || off > 20 {
			t.Errorf("byte %d lost: %d stripes came and %d are called lost, of %d", at, got, o.Lost, stripes)
		}
	}
}

// A bad id in the middle of a block costs what stands up to the next absolute; the frame's
// other stripes are read, and the damage is told with its place.
func TestPlusBadPacketCostsALittle(t *testing.T) {
	first := slices.Repeat([]string{absolute}, 20)
	bad := slices.Clone(first)
	bad[10] = strings.Replace(absolute, "04", "33", 1)
	good := block(t, first...)
	o := decode(plusStream(slices.Concat(good, block(t, bad...), good), good))
	want := outcome{
		Header: plusHeader, Columns: repeated(80 - 3), // with the two before it
		Spans: []span{{0, 28}, {31, 29}, {60, 20}}, Status: []wire.Status{wire.StatusEnd},
		Damage: []int64{22}, Lost: 3, Resyncs: 1, // after the header: 2 + 20 bytes
	}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The original PPM goes to 7.5 A: 7.6 A and a little is still a reading of it, 8 A is
// damage. To an XLC, as to an HD, 8 A is a current like another. The words are the same.
func TestOlderModulesHaveHeadersOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		version byte
		uA      int32
		ok      bool
	}{
		{3, 7_600_000, true},
		{3, 8_000_000, false},
		{3, -1000, true},
		{4, 8_000_000, true},
		{4, 13_000_000, true},
		{5, 8_000_000, true},
	} {
		stripe := wire.AppendStripe(nil, wire.MaskAll, mV5, c.uA, mV12, uA12)
		stream := wire.AppendFrame(nil, []byte{c.version, 0, 15, 4})
		o := decode(wire.AppendFrame(stream, append(stripe, 0)))
		if o.Err != "" || o.Header.Version != c.version {
			t.Errorf("version %d: header %+v, error %q", c.version, o.Header, o.Err)
		}
		if got := slices.Equal(o.Columns[1], []int32{c.uA}); got != c.ok {
			t.Errorf("version %d, %d µA: decoded %v, want it believed: %v", c.version, c.uA, o.Columns[1], c.ok)
		}
	}
}

func FuzzDecodePlus(f *testing.F) {
	stream, _ := varied(3)
	f.Add(stream, byte(16))
	f.Add(slices.Delete(slices.Clone(stream), 700, 701), byte(100))
	f.Add(plusStream([]byte("\x00\x04")), byte(1))
	f.Fuzz(func(t *testing.T, stream []byte, step byte) {
		stream = slices.Concat(wire.AppendFrame(nil, wire.AppendHeader(nil, plusHeader)), stream)
		whole, split := decode(stream), decode(slices.Collect(slices.Chunk(stream, int(step)+1))...)
		for c, limit := range [wire.Channels]int32{6_090, 13_200_000, 14_616, 13_200_000} {
			for _, x := range whole.Columns[c] {
				if x > limit || x < -1_000_000 {
					t.Fatalf("channel %d reads %d", c, x)
				}
			}
		}
		if equal(whole.Columns, split.Columns) {
			whole.Columns, split.Columns = wire.Columns{}, wire.Columns{}
		}
		if diff := cmp.Diff(whole, split, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
	})
}

func BenchmarkDecodePlus(b *testing.B) {
	for name, force := range map[string]wire.Packet{"absolute": wire.PacketAbsolute, "delta": wire.PacketDelta} {
		b.Run(name, func(b *testing.B) {
			e := wire.PlusEncoder{Force: force}
			var chunk, data []byte
			for k := int32(0); len(data) < 8*wire.PlusBlockBytes; k++ {
				data = e.Append(data, mV5+k%7, uA5+k%400, mV12-k%5, uA12-k%300)
			}
			for range 10 {
				chunk = wire.AppendFrame(chunk, data)
			}
			var d wire.Decoder
			d.ExpectStream()
			d.Feed(wire.AppendFrame(nil, wire.AppendHeader(nil, plusHeader)))
			var cols wire.Columns
			b.ReportAllocs()
			for b.Loop() {
				cols.Reset()
				d.Feed(chunk)
				for ok := true; ok; {
					var err error
					if _, ok, err = d.Next(&cols); err != nil {
						b.Fatal(err)
					}
				}
				if len(cols[0]) != 10*int(e.Stripes()) {
					b.Fatalf("%d stripes, want %d", len(cols[0]), 10*e.Stripes())
				}
			}
			b.ReportMetric(float64(b.N)*10*float64(e.Stripes())/b.Elapsed().Seconds(), "stripes/s")
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	const n = 128
	b.Run("HD", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			buf = buf[:0]
			for k := range int32(n) {
				buf = wire.AppendStripe(buf, wire.MaskAll, mV5+k%7, uA5+k*17, mV12-k%5, uA12-k*13)
			}
		}
		b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "stripes/s")
	})
	b.Run("HD Plus", func(b *testing.B) {
		var e wire.PlusEncoder
		var buf []byte
		for b.Loop() {
			buf = buf[:0]
			for k := range int32(n) {
				buf = e.Append(buf, mV5+k%7, uA5+k*17, mV12-k%5, uA12-k*13)
			}
		}
		b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "stripes/s")
	})
}
