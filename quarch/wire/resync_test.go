package wire_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"powerd/quarch/wire"
)

type stripe = [wire.Channels]int32

// measured is a stream and what it must give.
type measured struct {
	stream []byte
	sent   []stripe
	starts []int // where its data frames begin
}

// measure returns a stream of n stripes, as reading makes them; cut says how many bytes of
// samples the next frame has.
func measure(n int, reading func(k int) stripe, cut func() int) measured {
	m := measured{stream: wire.AppendFrame(nil, []byte{5, 0, 15, 0})}
	var data []byte
	for k := range n {
		s := reading(k)
		m.sent = append(m.sent, s)
		data = wire.AppendStripe(data, wire.MaskAll, s[0], s[1], s[2], s[3])
	}
	for len(data) > 0 {
		size := min(cut(), len(data))
		m.starts = append(m.starts, len(m.stream))
		m.stream = wire.AppendFrame(m.stream, data[:size])
		data = data[size:]
	}
	m.stream = wire.AppendFrame(m.stream, []byte{0})
	return m
}

// wrong counts the stripes of o that are not what was sent at their index.
func (m measured) wrong(o outcome) (n int) {
	at := 0
	for _, s := range o.Spans {
		for k := int(s.First); k < int(s.First)+s.N; k++ {
			got := stripe{o.Columns[0][at], o.Columns[1][at], o.Columns[2][at], o.Columns[3][at]}
			if k >= len(m.sent) || got != m.sent[k] {
				n++
			}
			at++
		}
	}
	return n
}

// around returns n evenly drawn from −most to most.
func around(r *rand.Rand, most int32) int32 { return r.Int32N(2*most+1) - most }

// off is what a module reads whose rails are off: ±3 mV, ±400 µA. Its bytes are 0x00 and 0xff
// for the most part, and nearly every pair of them can be a length.
func off(r *rand.Rand) stripe {
	return stripe{around(r, 3), around(r, 400), around(r, 3), around(r, 400)}
}

// on is what it reads of a drive that works.
func on(r *rand.Rand) stripe {
	return stripe{5000 + around(r, 9), 700_000 + around(r, 300_000), 12_000 + around(r, 9), 400_000 + around(r, 200_000)}
}

// sizes are those of frames, for cutting.
var sizes = [...]string{"341 stripes", "1 to 6 stripes", "1 to 200 stripes", "4096 bytes", "2 to 4000 bytes"}

// cutting returns what draws the bytes of samples in the next frame.
func cutting(r *rand.Rand, size string) func() int {
	switch size {
	case sizes[0]:
		return func() int { return 341 * 12 }
	case sizes[1]:
		return func() int { return 12 * (1 + r.IntN(6)) }
	case sizes[2]:
		return func() int { return 12 * (1 + r.IntN(200)) }
	case sizes[3]:
		return func() int { return 4096 }
	}
	return func() int { return 2 * (1 + r.IntN(2000)) }
}

// One byte is lost anywhere in a stream of 4092 stripes (12 frames of 341). The stream ends
// where it does, once; there is one gap; received and lost stripes are all that there were; and
// every stripe is what was sent at its index. The byte may be one of the last word of its frame:
// then half of that word, made whole by the low byte of the next length, is a possible reading.
func TestOneLostByteIsOneGap(t *testing.T) {
	for what, reading := range map[string]func(*rand.Rand) stripe{"rails off": off, "rails on": on} {
		for _, size := range sizes {
			t.Run(what+", frames of "+size, func(t *testing.T) {
				r := rand.New(rand.NewPCG(4, 1))
				cut := cutting(r, size)
				for try := range 68 {
					m := measure(12*341, func(int) stripe { return reading(r) }, cut)
					frame := r.IntN(len(m.starts) - 1)
					if frame == 0 {
						continue // of the first frame nothing is known
					}
					next := m.starts[frame+1]
					at := m.starts[frame] + r.IntN(next-m.starts[frame])
					o := decode(slices.Delete(slices.Clone(m.stream), at, at+1))
					possible := 0
					if next-at <= 2 {
						possible = 1
					}
					if o.Err != "" || !slices.Equal(o.Status, []wire.Status{wire.StatusEnd}) || o.Resyncs != 1 ||
						len(o.Columns[0])+int(o.Lost) != len(m.sent) || m.wrong(o) > possible {
						t.Errorf("try %d, byte %d of %d lost: %d stripes read, %d of them wrong, %d lost, of %d; %d resyncs, status %v, error %q",
							try, at-m.starts[frame], next-m.starts[frame], len(o.Columns[0]), m.wrong(o), o.Lost, len(m.sent), o.Resyncs, o.Status, o.Err)
					}
				}
			})
		}
	}
}

// Up to 16 bytes in a row are lost inside a frame of 341 stripes whose length came: all its
// stripes are lost, and nothing else.
func TestSeveralLostBytesOfAFrameCostTheFrame(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for try := range 68 {
		m := measure(12*341, func(int) stripe { return on(r) }, func() int { return 341 * 12 })
		frame, n := 1+r.IntN(9), 2+r.IntN(15)
		at := m.starts[frame] + 2 + r.IntN(341*12-n)
		o := decode(slices.Delete(slices.Clone(m.stream), at, at+n))
		if o.Lost != 341 || len(o.Columns[0]) != 11*341 || o.Resyncs != 1 || m.wrong(o) > 0 {
			t.Errorf("try %d, %d bytes lost: %d stripes read, %d of them wrong, %d lost (want 341), %d resyncs", try, n, len(o.Columns[0]), m.wrong(o), o.Lost, o.Resyncs)
		}
	}
}

// A bit of any byte is wrong. That may show in a reading, or not at all; but the stream goes
// on to its end, and what is not received is counted as lost.
func TestWrongBitDoesNotEndAStream(t *testing.T) {
	for what, reading := range map[string]func(*rand.Rand) stripe{"rails off": off, "rails on": on} {
		for _, size := range sizes {
			r := rand.New(rand.NewPCG(4, 3))
			cut := cutting(r, size)
			for try := range 40 {
				m := measure(8*341, func(int) stripe { return reading(r) }, cut)
				damaged := slices.Clone(m.stream)
				at := 6 + r.IntN(m.starts[len(m.starts)-1]-6)
				damaged[at] ^= 1 << r.IntN(8)
				o := decode(damaged)
				ends := slices.DeleteFunc(o.Status, func(s wire.Status) bool { return !s.Ends() })
				if all := len(o.Columns[0]) + int(o.Lost); o.Err != "" || len(ends) != 1 || all < len(m.sent)-2 || all > len(m.sent)+2 {
					t.Errorf("%s, frames of %s, try %d, byte %d: %d stripes of %d received or lost, status %v, error %q", what, size, try, at, all, len(m.sent), o.Status, o.Err)
				}
			}
		}
	}
}

// Damage, and bytes of no meaning before the header: the split of the stream into reads
// changes nothing, down to the frame that each stripe is in.
func TestAnySplitOfADamagedQuietStreamGivesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "readings"), 0))
		cut := cutting(r, rapid.SampledFrom(sizes[:]).Draw(t, "frames"))
		m := measure(rapid.IntRange(1, 900).Draw(t, "stripes"), func(int) stripe { return off(r) }, cut)
		stream := slices.Concat(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "before"), m.stream)
		for range rapid.IntRange(0, 3).Draw(t, "damages") {
			at := rapid.IntRange(0, len(stream)-1).Draw(t, "at")
			n := min(rapid.IntRange(1, 16).Draw(t, "bytes"), len(stream)-at)
			if rapid.Bool().Draw(t, "lose") && len(stream) > n {
				stream = slices.Delete(stream, at, at+n)
			} else {
				stream[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
			}
		}
		var pieces [][]byte
		for p := stream; len(p) > 0; {
			n := min(rapid.SampledFrom([]int{1, 2, 3, 13, 64, 1000, 4096}).Draw(t, "read"), len(p))
			pieces, p = append(pieces, p[:n]), p[n:]
		}
		whole, split := decode(stream), decode(pieces...)
		if diff := cmp.Diff(whole, split, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
	})
}

// What follows an end decides about it. A module sends replies after it, and nothing else.
func TestEndIsBelievedByWhatFollows(t *testing.T) {
	head := wire.AppendFrame(nil, []byte{5, 0, 15, 0})
	one := wire.AppendStripe(nil, wire.MaskAll, mV5, uA5, mV12, uA12)
	ended := wire.AppendFrame(slices.Clone(head), append(slices.Clone(one), byte(wire.StatusOverrun)))
	reply := wire.AppendFrame(nil, []byte("OK\r\n>"))
	for _, c := range []struct {
		name   string
		after  []byte
		silent bool
		doubt  bool
		status []wire.Status
	}{
		{"nothing yet", nil, false, true, nil},
		{"nothing for long", nil, true, false, []wire.Status{wire.StatusOverrun}},
		{"the beginning of a reply", reply[:4], false, true, nil},
		{"a reply", reply, false, false, []wire.Status{wire.StatusOverrun}},
		{"a reply in two frames", slices.Concat(wire.AppendFrame(nil, []byte("Family: HD\r\n")), reply), false, false, []wire.Status{wire.StatusOverrun}},
		{"samples", wire.AppendFrame(nil, one), false, true, nil}, // looked for the next frame
	} {
		var d wire.Decoder
		var o outcome
		d.ExpectStream()
		d.Feed(slices.Concat(ended, c.after))
		o.drain(&d)
		if c.silent {
			d.Silence()
			o.drain(&d)
		}
		if !slices.Equal(o.Status, c.status) || d.Doubt() != c.doubt {
			t.Errorf("%s: status %v, doubt %v; want %v, %v", c.name, o.Status, d.Doubt(), c.status, c.doubt)
		}
	}
}

// The host has asked for the end: it is believed at once, unless the stream was damaged.
func TestExpectedEndIsBelievedAtOnce(t *testing.T) {
	stream, _ := frames(8, 2, 0)
	for _, lose := range []bool{false, true} {
		s := slices.Clone(stream)
		if lose {
			s = slices.Delete(s, 40, 41)
		}
		var d wire.Decoder
		var o outcome
		d.ExpectStream()
		d.ExpectEnd()
		d.Feed(s)
		o.drain(&d)
		if ended := len(o.Status) == 1; ended == lose {
			t.Errorf("damaged %v: ended at once %v", lose, ended)
		}
		d.Silence()
		o.drain(&d)
		if len(o.Status) != 1 || o.Err != "" {
			t.Errorf("damaged %v: status %v, error %q after silence", lose, o.Status, o.Err)
		}
	}
}

// Up to 600 bytes of no meaning come before the header, or before the reply to `rec stream`
// and the header. They are told with their place, and the stream is read.
func TestBytesBeforeTheHeaderAreSkipped(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	stream, n := frames(6, 3, 0)
	for try := range 400 {
		junk := make([]byte, 1+r.IntN(600))
		for i := range junk {
			junk[i] = byte(r.Uint32())
		}
		all := slices.Concat(junk, stream)
		if try%2 == 1 {
			all = slices.Concat(junk, wire.AppendFrame(nil, []byte("OK\r\n>")), stream)
		}
		o := decode(all)
		if len(o.Columns[0]) != n || o.Lost != 0 || o.Resyncs != 1 || len(o.Damage) != 1 || o.Damage[0] != 0 || o.Err != "" {
			t.Errorf("try %d, %d bytes before: %d stripes (want %d), %d lost, %d resyncs, damage at %d, error %q",
				try, len(junk), len(o.Columns[0]), n, o.Lost, o.Resyncs, o.Damage, o.Err)
		}
		if try%2 == 1 && o.Replies != "OK\r\n>" {
			t.Errorf("try %d: replies %q", try, o.Replies)
		}
	}
}

func TestSearchForAHeaderEnds(t *testing.T) {
	for _, junk := range []string{"\xff", "\x00", "a", "\x00\x03", "20", "\x05\x00"} {
		o := decode(bytes.Repeat([]byte(junk), 70<<10/len(junk)))
		if want := "frame at byte 0: no header of a stream in 65536 bytes"; o.Err != want {
			t.Errorf("%q for ever: error %q, want %q", junk, o.Err, want)
		}
	}
}

// A byte is lost, and 1 MiB of samples waits: what the whole decoder needs, the hunt included.
func BenchmarkResync(b *testing.B) {
	const n = 1 << 20 / 12
	for what, reading := range map[string]func(*rand.Rand) stripe{"rails off": off, "rails on": on} {
		for _, size := range []int{12, 600, 4092, 4096, 16380} {
			for _, damage := range []string{"none", "a lost byte"} {
				b.Run(fmt.Sprintf("%s, frames of %d bytes, damage: %s", what, size, damage), func(b *testing.B) {
					r := rand.New(rand.NewPCG(4, 5))
					m := measure(n, func(int) stripe { return reading(r) }, func() int { return size })
					if damage != "none" {
						at := m.starts[2] + 2 + size/2
						m.stream = slices.Delete(m.stream, at, at+1)
					}
					b.ReportAllocs()
					for b.Loop() {
						if o := decode(m.stream); len(o.Columns[0]) < n-size/12-1 {
							b.Fatalf("%d stripes of %d, %d lost, error %q", len(o.Columns[0]), n, o.Lost, o.Err)
						}
					}
				})
			}
		}
	}
}

// The worst of bytes for the hunt: every pair of them is a length, every word a reading, and
// no explanation is better than another.
func BenchmarkResyncInVain(b *testing.B) {
	for _, s := range []string{"\x06\x01", "\x10\x00", "\x01", "\x3e\x3e\x02"} {
		b.Run(fmt.Sprintf("%q", s), func(b *testing.B) {
			stream := wire.AppendFrame(nil, []byte{5, 0, 15, 0})
			stream = wire.AppendFrame(stream, wire.AppendStripe(nil, wire.MaskAll, 1, 1, 1, 1))
			stream = append(stream, 0, 0)
			stream = append(stream, strings.Repeat(s, 1<<20/len(s))...)
			b.ReportAllocs()
			for b.Loop() {
				decode(slices.Collect(slices.Chunk(stream, 4096))...)
			}
		})
	}
}
