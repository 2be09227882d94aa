package wire_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"powerd/quarch/wire"
)

// The stripe of most tests: 5 V at 5.000 V and 0.500 A, 12 V at 12.000 V and
// 0.250 A. On the wire: 0x1388, 500000 = 122·4096 + 288 (0x7a, 0x120), 0x2ee0,
// 250000 = 61·4096 + 144 (0x3d, 0x90).
const (
	mV5, uA5   = 5000, 500_000
	mV12, uA12 = 12000, 250_000
)

func repeated(n int) wire.Columns {
	return wire.Columns{
		slices.Repeat([]int32{mV5}, n), slices.Repeat([]int32{uA5}, n),
		slices.Repeat([]int32{mV12}, n), slices.Repeat([]int32{uA12}, n),
	}
}

func TestStreamSplitInsideLengthsWordsAndStripes(t *testing.T) {
	want := outcome{
		Header:  wire.Header{Version: 5, Mask: wire.MaskAll, Exponent: 4},
		Columns: repeated(3),
		Spans:   []span{{0, 3}},
		Status:  []wire.Status{wire.StatusEnd},
	}
	pieces := reads(t, "split_reads.hex")
	if diff := cmp.Diff(want, decode(pieces...)); diff != "" {
		t.Errorf("as read (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, decode(bytes.Join(pieces, nil))); diff != "" {
		t.Errorf("in one read (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, decode(bytesOf(bytes.Join(pieces, nil))...)); diff != "" {
		t.Errorf("one byte a read (-want +got):\n%s", diff)
	}
}

func bytesOf(p []byte) [][]byte {
	var all [][]byte
	for i := range p {
		all = append(all, p[i:i+1])
	}
	return all
}

// Frames 1 to 4 hold two stripes each; a byte of frame 2 is missing. Its two
// stripes are lost, and known to be two because its length says so; frames 1, 3
// and 4 stand.
func TestLostByteResynchronisesWithinTwoFrames(t *testing.T) {
	want := outcome{
		Header:  wire.Header{Version: 5, Mask: wire.MaskAll, Exponent: 4},
		Columns: repeated(6),
		Spans:   []span{{0, 2}, {4, 2}, {6, 2}},
		Status:  []wire.Status{wire.StatusEnd},
		Damage:  []int64{6 + 26}, // header frame 2+4, frame 1 2+24
		Lost:    2,
		Resyncs: 1,
	}
	stream := bytes.Join(reads(t, "lost_byte.hex"), nil)
	if diff := cmp.Diff(want, decode(stream)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, decode(bytesOf(stream)...)); diff != "" {
		t.Errorf("one byte a read (-want +got):\n%s", diff)
	}
}

// Whichever byte is lost after the header, nothing outside the module's range
// comes out, and the stream is whole again two frames later.
func TestAnyLostByteLeavesOnlyPossibleCounts(t *testing.T) {
	stream, _ := frames(40, 3, 0)
	for lost := 6; lost < len(stream)-3; lost++ {
		cut := slices.Concat(stream[:lost], stream[lost+1:])
		o := decode(cut)
		if o.Err != "" {
			t.Fatalf("byte %d lost: %s", lost, o.Err)
		}
		checkRange(t, o.Columns)
		if got := len(o.Columns[0]); got < (40-2)*3 {
			t.Errorf("byte %d lost: %d stripes of %d came through, want two frames lost at most", lost, got, 40*3)
		}
		// Half of the last word of the last frame, made whole by the low byte of the
		// next length (1), is a possible current: nothing tells it from a real one.
		last := lost >= len(stream)-3-2
		if n := wrong(o.Columns); n > 0 && !last {
			t.Errorf("byte %d lost: %d stripes read what was not sent", lost, n)
		}
	}
}

// wrong counts the stripes that are not the one that was sent.
func wrong(c wire.Columns) (n int) {
	for i := range c[0] {
		if c[0][i] != mV5 || c[1][i] != uA5 || c[2][i] != mV12 || c[3][i] != uA12 {
			n++
		}
	}
	return n
}

// frames is a stream of n frames of k stripes each, then the end status. shift
// moves that many bytes of the first frame into the second and so on, so that
// stripes run across frames.
func frames(n, k, shift int) (stream []byte, stripes int) {
	var data []byte
	for range n * k {
		data = wire.AppendStripe(data, wire.MaskAll, mV5, uA5, mV12, uA12)
	}
	stream = wire.AppendFrame(nil, wire.AppendHeader(nil, wire.Header{Version: 5, Mask: wire.MaskAll}))
	step := 12*k - shift
	for len(data) > 0 {
		size := min(step, len(data))
		stream = wire.AppendFrame(stream, data[:size])
		data = data[size:]
	}
	return wire.AppendFrame(stream, []byte{byte(wire.StatusEnd)}), n * k
}

func checkRange(t *testing.T, c wire.Columns) {
	t.Helper()
	for i, limits := range [][2]int32{{0, 6000}, {0, 13_000_000}, {0, 14_400}, {0, 13_000_000}} {
		for _, x := range c[i] {
			if x < limits[0] || x > limits[1] {
				t.Fatalf("channel %d reads %d (the module goes from %d to %d)", i, x, limits[0], limits[1])
			}
		}
	}
}

// 16 bytes a frame: stripes of 12 bytes start anywhere in it. With one byte
// lost, the stripe in the middle of a frame is not mistaken for its start.
func TestLostByteWhereStripesRunAcrossFrames(t *testing.T) {
	stream, n := frames(30, 3, 20)
	if got := decode(stream); got.Lost != 0 || len(got.Columns[0]) != n {
		t.Fatalf("undamaged: %d of %d stripes, %d lost", len(got.Columns[0]), n, got.Lost)
	}
	for lost := 60; lost < 300; lost++ {
		o := decode(slices.Concat(stream[:lost], stream[lost+1:]))
		checkRange(t, o.Columns)
		if o.Err != "" || len(o.Columns[0]) < n-8 {
			t.Errorf("byte %d lost: %d of %d stripes, error %q", lost, len(o.Columns[0]), n, o.Err)
		}
		for i := range o.Columns[0] {
			got := [4]int32{o.Columns[0][i], o.Columns[1][i], o.Columns[2][i], o.Columns[3][i]}
			if got != [4]int32{mV5, uA5, mV12, uA12} && o.Resyncs == 0 {
				t.Fatalf("byte %d lost: stripe %d reads %d", lost, i, got)
			}
		}
	}
}

func TestOverrunEndsTheStreamAfterItsStripes(t *testing.T) {
	o := decode(bytes.Join(reads(t, "overrun.hex"), nil))
	want := outcome{
		Header:  wire.Header{Version: 5, Mask: wire.MaskAll, Exponent: 4},
		Columns: repeated(2), Spans: []span{{0, 2}}, Status: []wire.Status{wire.StatusOverrun},
	}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStatusesOfOddPayloads(t *testing.T) {
	two := wire.AppendStripe(wire.AppendStripe(nil, wire.MaskAll, mV5, uA5, mV12, uA12), wire.MaskAll, mV5, uA5, mV12, uA12)
	head := wire.AppendFrame(nil, []byte{5, 0, 15, 4})
	for _, status := range []wire.Status{0, 1, 2, 3, 7} {
		o := decode(wire.AppendFrame(slices.Clone(head), append(slices.Clone(two), byte(status))))
		if o.Err != "" || len(o.Columns[0]) != 2 || o.Status[0] != status {
			t.Errorf("status %d: got %+v", status, o)
		}
	}
}

// One bit of a status is wrong: 9 is none that a module sends. The frame's two
// stripes are lost and counted, the two frames after it are read.
func TestUnknownStatusIsDamage(t *testing.T) {
	two := wire.AppendStripe(wire.AppendStripe(nil, wire.MaskAll, mV5, uA5, mV12, uA12), wire.MaskAll, mV5, uA5, mV12, uA12)
	stream := wire.AppendFrame(nil, []byte{5, 0, 15, 4})
	for _, p := range [][]byte{append(slices.Clone(two), 9), two, two, {0}} {
		stream = wire.AppendFrame(stream, p)
	}
	for _, o := range []outcome{decode(stream), decode(bytesOf(stream)...)} {
		want := outcome{
			Header:  wire.Header{Version: 5, Mask: wire.MaskAll, Exponent: 4},
			Columns: repeated(4), Spans: []span{{2, 2}, {4, 2}}, Status: []wire.Status{0},
			Damage: []int64{6}, Lost: 2, Resyncs: 1, // after the header: 2 + 4 bytes
		}
		if diff := cmp.Diff(want, o); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A reply to a command that was sent in mid-stream is a frame between data
// frames. "OK" has an odd payload of 5 bytes, "5V" too, "OFF" an even one; the
// reply in two parts is one that the module split.
func TestRepliesInMidStream(t *testing.T) {
	stripe := wire.AppendStripe(nil, wire.MaskAll, mV5, uA5, mV12, uA12)
	stream := wire.AppendFrame(nil, []byte("OK\r\n>"))
	stream = wire.AppendFrame(stream, []byte{5, 0, 15, 0})
	for _, payload := range []string{"OK\r\n>", string(stripe), "OFF\r\n>", string(stripe[:6]), "5V\r\n>", string(stripe[6:]), "Family: HD\r\n", "Name: PPM\r\n>", "\x00"} {
		stream = wire.AppendFrame(stream, []byte(payload))
	}
	o := decode(bytesOf(stream)...)
	if want := "OK\r\n>OK\r\n>OFF\r\n>5V\r\n>Family: HD\r\nName: PPM\r\n>"; o.Replies != want {
		t.Errorf("replies %q, want %q", o.Replies, want)
	}
	if diff := cmp.Diff(repeated(2), o.Columns); diff != "" || o.Resyncs != 0 {
		t.Errorf("%d resyncs; stripes (-want +got):\n%s", o.Resyncs, diff)
	}
}

// A byte is lost in the frame before a sync. The module now waits for an answer
// and sends nothing more: the sync must be seen in what is there.
func TestSyncRightAfterDamageIsSeen(t *testing.T) {
	stream, _ := frames(3, 2, 0)
	stream = stream[:len(stream)-3] // without the end
	stream = slices.Concat(stream[:len(stream)-7], stream[len(stream)-6:], []byte{1, 0, 7})
	o := decode(stream)
	if len(o.Status) != 1 || o.Status[0] != wire.StatusSync {
		t.Errorf("statuses %v after %d stripes, want one sync", o.Status, len(o.Columns[0]))
	}
}

// After the damage the module has nothing to send for a while and says so: that
// is proof enough of the framing, and what comes then is read.
func TestStatusesAloneEndTheHunt(t *testing.T) {
	stream, _ := frames(2, 2, 0)
	stream = slices.Delete(stream[:len(stream)-3], 20, 21)
	for range 6 {
		stream = wire.AppendFrame(stream, []byte{byte(wire.StatusNoData)})
	}
	stripe := wire.AppendStripe(nil, wire.MaskAll, mV5, uA5, mV12, uA12)
	stream = wire.AppendFrame(stream, stripe)
	o := decode(stream)
	if n := len(o.Columns[0]); n != 3 || o.Resyncs != 1 || o.Lost != 2 {
		t.Errorf("%d stripes, %d resyncs, %d lost; want frame 2 and the last, 1 and 2", n, o.Resyncs, o.Lost)
	}
}

// Bits 14 and 15 of a word are flags. A flag that appears once is kept out of
// the value, and its frame is believed as soon as the next frame follows.
func TestFlagsAreNoPartOfTheValue(t *testing.T) {
	stripe := wire.AppendStripe(nil, wire.MaskAll, mV5, uA5, mV12, uA12)
	flagged := slices.Clone(stripe)
	flagged[1] |= 0x40
	flagged[7] |= 0x80
	stream := wire.AppendFrame(nil, []byte{5, 0, 15, 0})
	for _, p := range [][]byte{stripe, flagged, stripe, {0}} {
		stream = wire.AppendFrame(stream, p)
	}
	o := decode(bytesOf(stream)...)
	if diff := cmp.Diff(repeated(3), o.Columns); diff != "" || o.Resyncs != 0 {
		t.Errorf("%d resyncs; stripes (-want +got):\n%s", o.Resyncs, diff)
	}
}

func TestHeadersOfOtherFormatsAreRefused(t *testing.T) {
	for _, c := range []struct{ payload, want string }{
		{"\x05\x00\x0f\x10", "averaging exponent 16"},
		{"\x05\x00\x00\x04", "channel mask 0x0"},
		{"\x01" + strings.Repeat("\x00", 23), "of no known format"}, // HD Plus as it was before version 2
		{"\x02\x00\x0f\x04", "of no known format"},
		{strings.Repeat("\x02\x00", 24), "2 groups and 2 channels"},
	} {
		if o := decode(wire.AppendFrame(nil, []byte(c.payload))); !strings.Contains(o.Err, c.want) {
			t.Errorf("header % x: error %q, want %q", c.payload, o.Err, c.want)
		}
	}
}

// Currents that hardly change and whose low word looks like a length, 500 000 µA =
// 122 · 4096 + 288 and up, in frames of 341 stripes: from most of them a walk through the
// samples leads to the next, as frames do. Whatever length the third frame says it has, all
// that is read is what was sent at its index, but for a stripe that the damage may hide.
func TestSteadyReadingsThatLookLikeLengths(t *testing.T) {
	const each, n = 341, 10
	reading := func(k int) (mV5, uA5, mV12, uA12 int32) {
		return 4900 + int32(k%7), 500_000 + int32(k%200), 11_900 + int32(k%7), 500_000 + int32(k%200)
	}
	stream := wire.AppendFrame(nil, []byte{5, 0, 15, 0})
	third := 0
	for f := range n {
		var payload []byte
		for k := f * each; k < (f+1)*each; k++ {
			a, b, c, d := reading(k)
			payload = wire.AppendStripe(payload, wire.MaskAll, a, b, c, d)
		}
		if f == 2 {
			third = len(stream)
		}
		stream = wire.AppendFrame(stream, payload)
	}
	stream = wire.AppendFrame(stream, []byte{0})
	for length := 1; length < 16_384; length += 397 {
		damaged := slices.Clone(stream)
		binary.LittleEndian.PutUint16(damaged[third:], uint16(length))
		o := decode(damaged)
		if o.Err != "" || len(o.Status) != 1 || len(o.Columns[0])+int(o.Lost) > n*each+1 {
			t.Fatalf("length %d: %d stripes read, %d lost, status %v, error %q", length, len(o.Columns[0]), o.Lost, o.Status, o.Err)
		}
		wrong, at := 0, 0
		for _, s := range o.Spans {
			for k := range s.N {
				_, a, _, b := reading(int(s.First) + k)
				if !within(o.Columns[1][at], a, 1) || !within(o.Columns[3][at], b, 1) {
					wrong++
				}
				at++
			}
		}
		if wrong > 0 {
			t.Errorf("length %d: %d stripes are not where they were measured: %+v", length, wrong, o.Spans)
		}
	}
}

// within reports whether a cyclic reading is that of an index at most off away.
func within(got, want, off int32) bool {
	d := (got - want + 200) % 200
	return d <= off || d >= 200-off
}

// A wrong length may end where a byte looks like the status of an end. More samples were
// fed with it, so it is none: the stream ends with its last frame.
func TestSamplesAfterAnEndShowThatItIsNone(t *testing.T) {
	const each, n = 50, 6
	stream := wire.AppendFrame(nil, []byte{5, 0, 15, 0})
	third := 0
	for f := range n {
		var payload []byte
		for k := range each {
			payload = wire.AppendStripe(payload, wire.MaskAll, 4900+int32(k), 122*4096+int32(f), 11_900+int32(k), 200_000+int32(k))
		}
		if f == 2 {
			third = len(stream)
		}
		stream = wire.AppendFrame(stream, payload)
	}
	stream = wire.AppendFrame(stream, []byte{0})
	tried := 0
	for length := 1; length < each*12; length += 2 {
		if stream[third+2+length-1] > 2 {
			continue
		}
		damaged := slices.Clone(stream)
		binary.LittleEndian.PutUint16(damaged[third:], uint16(length))
		tried++
		if o := decode(damaged); o.Err != "" || len(o.Columns[0])+int(o.Lost) < n*each-1 {
			t.Errorf("length %d: %d stripes read, %d lost, status %v, error %q", length, len(o.Columns[0]), o.Lost, o.Status, o.Err)
		}
	}
	if tried == 0 {
		t.Error("no byte of the frame looks like an end")
	}
}
