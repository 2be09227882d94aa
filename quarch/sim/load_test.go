package sim

import (
	"slices"
	"testing"
)

// Power comes on at 2.5 µs. Stripes of 1 µs: two before it, one that has it for
// half of its time, then full ones; at 4.25 µs the rail is set to 5200 mV, so
// stripe 4 reads 0.25·5000 + 0.75·5200 = 5150 mV.
func TestConstantLoadAveragesOverASwitch(t *testing.T) {
	l := NewConstantLoad(map[string]int{"5v": 5000}, map[string]int{"5v": 400_000})
	l.SetPower(2_500, true)
	l.SetRail(4_250, "5v", 5200)
	v, a := columns(2, 6), columns(2, 6)
	l.Fill(0, 1_000, []string{"5v", "12v"}, v, a)
	if want := []int32{0, 0, 2500, 5000, 5150, 5200}; !slices.Equal(v[0], want) {
		t.Errorf("5 V rail: %d mV, want %d", v[0], want)
	}
	if want := []int32{0, 0, 200_000, 400_000, 400_000, 400_000}; !slices.Equal(a[0], want) {
		t.Errorf("5 V rail: %d µA, want %d", a[0], want)
	}
	if want := make([]int32, 6); !slices.Equal(v[1], want) || !slices.Equal(a[1], want) {
		t.Errorf("a rail that the load does not have: %d mV, %d µA, want zeros", v[1], a[1])
	}
}

// With the rails off a module reads what its amplifiers make of nothing, which is as often
// negative; with the rails on the load is all there is. A reading depends on its time alone,
// so that two looks at the same window agree.
func TestReadingsNearZeroMayBeNegative(t *testing.T) {
	l := oneDrive()
	l.ReadNoise(1_000)
	look := func(startNs int64) []int32 {
		v, a := columns(2, 1_000), columns(2, 1_000)
		l.Fill(startNs, 4_000, []string{"5v", "12v"}, v, a)
		return a[0]
	}
	off := look(0)
	if least, most := slices.Min(off), slices.Max(off); least < -1_000 || least > -900 || most > 1_000 || most < 900 {
		t.Errorf("1000 readings lie between %d and %d µA, want nearly -1000 and 1000", least, most)
	}
	if !slices.Equal(off, look(0)) {
		t.Error("the same window reads otherwise when asked again")
	}
	l.SetPower(10_000_000, true)
	if on := look(10_000_000); slices.Min(on) != 500_123 || slices.Max(on) != 500_123 {
		t.Errorf("with power on readings lie between %d and %d µA, want 500123", slices.Min(on), slices.Max(on))
	}
}
