package engine

import (
	"errors"
	"testing"
)

// A share lies on borders of 1 MiB, and two that touch do not overlap. Of the review's
// drive of 400,088,457,216 bytes, 75 % are 300,066,342,912 bytes: 286,165.56… MiB, so
// 286,165 MiB = 300,065,751,040 bytes.
func TestShareOfADrive(t *testing.T) {
	const capacity, mib = 400_088_457_216, 1 << 20
	for _, c := range []struct {
		share        Share
		offset, size int64 // 0, 0: all of it
	}{
		{Share{}, 0, 0},
		{Share{ToPct: 100}, 0, 0},
		{Share{ToPct: 75}, 0, 286_165 * mib},
		{Share{FromPct: 75, ToPct: 100}, 286_165 * mib, 381_554*mib - 286_165*mib}, // 381,554.09 MiB in all
		{Share{ToPct: 50}, 0, 190_777 * mib},
	} {
		j, err := Job{BlockBytes: 4096, Share: c.share}.On(capacity)
		if err != nil || j.OffsetBytes != c.offset || j.SizeBytes != c.size {
			t.Errorf("%v: offset %d, size %d, %v; want %d, %d", c.share, j.OffsetBytes, j.SizeBytes, err, c.offset, c.size)
		}
	}
	for name, j := range map[string]Job{
		"capacity not known":  {BlockBytes: 4096, Share: Share{ToPct: 75}},
		"less than one block": {BlockBytes: 1 << 30, Share: Share{ToPct: 0.1}},
	} {
		capacity := int64(capacity)
		if name == "capacity not known" {
			capacity = 0
		}
		if _, err := j.On(capacity); !errors.Is(err, ErrTarget) {
			t.Errorf("%s: %v, want ErrTarget", name, err)
		}
	}
}

// A share says how much of the drive it is; none says all.
func TestWidthOfAShare(t *testing.T) {
	for share, want := range map[Share]float64{{}: 100, {ToPct: 75}: 75, {FromPct: 25, ToPct: 75}: 50} {
		if got := share.WidthPct(); got != want {
			t.Errorf("%v: %g %%, want %g", share, got, want)
		}
	}
}
