package wire_test

import (
	"bytes"
	"slices"
	"testing"

	"powerd/quarch/wire"
)

// Words of a current: high·4096 + low; above 13,200,000 µA it is that minus
// 2^24. Of a voltage: mV, small negatives as two's complement in 14 bits.
func TestCountsOnTheWire(t *testing.T) {
	for _, c := range []struct {
		name string
		mask wire.Mask
		x    int32
		wire string
	}{
		{"no current", wire.Mask5VAmps, 0, "\x00\x00\x00\x00"},
		{"-1 mA, an unloaded rail", wire.Mask5VAmps, -1000, "\xff\x0f\x18\x0c"}, // 2^24 - 1000 = 4095·4096 + 3096
		{"8.5 A", wire.Mask5VAmps, 8_500_000, "\x1b\x08\x20\x03"},               // 2075·4096 + 800
		{"13 A, the most", wire.Mask12VAmps, 13_000_000, "\x65\x0c\x40\x0d"},    // 3173·4096 + 3392
		{"5 V", wire.Mask5VVolts, 5000, "\x88\x13"},
		{"14.4 V, the most", wire.Mask12VVolts, 14_400, "\x40\x38"},
		{"-2 mV, a rail that is off", wire.Mask5VVolts, -2, "\xfe\x3f"}, // 2^14 - 2
	} {
		b := wire.AppendStripe(nil, c.mask, c.x, c.x, c.x, c.x)
		if !bytes.Equal(b, []byte(c.wire)) {
			t.Errorf("%s: encoded % x, want % x", c.name, b, c.wire)
		}
		o := decode(wire.AppendFrame(wire.AppendFrame(nil, []byte{5, 0, byte(c.mask), 0}), []byte(c.wire+"\x00")))
		var got []int32
		for _, col := range o.Columns {
			got = append(got, col...)
		}
		if len(got) != 1 || got[0] != c.x {
			t.Errorf("%s: decoded %d, want %d (%s)", c.name, got, c.x, o.Err)
		}
	}
}

// The offsets of an unloaded rail, +0.5, −0.5, −1.1 and 0 mA: as an unsigned number
// −0.5 mA would be 16.8 A. They are kept as they are, so that the mean of the four,
// −0.275 mA, is not lifted by clipping to 0 (which would give +0.125 mA).
func TestSmallNegativeCurrentsAreKeptInTheMean(t *testing.T) {
	want := []int32{500, -500, -1100, 0}
	payload := []byte{}
	for _, microAmps := range want {
		payload = wire.AppendStripe(payload, wire.Mask5VAmps, 0, microAmps, 0, 0)
	}
	o := decode(wire.AppendFrame(wire.AppendFrame(nil, []byte{5, 0, byte(wire.Mask5VAmps), 0}), append(payload, 0)))
	var got []int32
	var sum int32
	for _, col := range o.Columns {
		got = append(got, col...)
	}
	for _, microAmps := range got {
		sum += microAmps
	}
	if !slices.Equal(got, want) || sum != -4*275 {
		t.Errorf("decoded %d µA, want %d (%s)", got, want, o.Err)
	}
}

func TestStripeBytesByMask(t *testing.T) {
	for mask, want := range map[wire.Mask]int{
		wire.MaskAll: 12, wire.Mask5VVolts | wire.Mask5VAmps: 6, wire.Mask12VAmps: 4, wire.Mask12VVolts: 2,
	} {
		if got := mask.StripeBytes(); got != want {
			t.Errorf("mask %#x: %d bytes, want %d", byte(mask), got, want)
		}
	}
}
