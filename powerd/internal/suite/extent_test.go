package suite

import (
	"math"
	"testing"
	"time"

	"powerd/engine"
)

// What a plan writes to a drive of 400 GB that takes 200 MB/s:
//
//	precondition  2 × 75 % of 400 GB                        600 GB
//	mix           60 s + 5 s ramp, 30 % writes, 200 MB/s    3.9 GB
//	demand        100 s of 1000 IOPS of 4096 B              0.4096 GB
//	reads         nothing
//
// The precondition takes 600 GB at 200 MB/s, 3000 s, in place of the 6 h that it may.
func TestVolumeOfWrites(t *testing.T) {
	plan := parse(t, `
name: v
steps:
  - {name: mix, kind: load, duration: 60s, ramp: 5s, range: 75%, precondition: 2, fio: {rw: randrw, read_pct: 70, bs: 4k}}
  - {name: demand, kind: load, duration: 100s, fio: {rw: randwrite, bs: 4k, rate_iops: 1000}}
  - {name: reads, kind: load, duration: 1h, fio: {rw: randread, bs: 4k}}
`).Plan(Defaults{})
	rate := func(engine.Job) float64 { return 200e6 }
	if got, want := plan.Volume(400e9, rate), 600e9+3.9e9+0.4096e9; math.Abs(got-want) > 1e3 {
		t.Errorf("%.0f bytes, want %.0f", got, want)
	}
	if got, want := plan.DurationOn(400e9, rate), plan.Duration()-6*time.Hour+3000*time.Second; got != want {
		t.Errorf("takes %v, want %v", got, want)
	}
}

// An hour at 64 µs and one at 4 µs: 56.25 and 900 million stripes of 8 bytes, 0.45 and
// 7.2 GB, and 0.9 s of waiting at the end of each, a few hundred kB.
func TestDiskBytesGrowWithSampling(t *testing.T) {
	for sampling, want := range map[string]float64{"64us": 0.45e9, "4us": 7.2e9} {
		plan := parse(t, "name: d\nsteps:\n  - {name: a, kind: idle, duration: 1h, sampling: "+sampling+"}\n").Plan(Defaults{})
		if got := float64(plan.DiskBytes()); math.Abs(got/want-1) > 0.001 {
			t.Errorf("%s: %.0f bytes, want %.0f", sampling, got, want)
		}
	}
}
