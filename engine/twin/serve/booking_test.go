package serve

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"powerd/engine/twin/model"
	"powerd/engine/twin/model/modeltest"
)

// A module that asks for samples right up to what is settled, as often as it can, never
// finds an IO that should have drawn in what it was given: of 400,000 reads and writes
// by eight threads that lose their processors at any moment none is late, though the lag
// from an IO to its current is nothing. What was given out is, in the sum, the joules of
// the truth but for their rounding to 1 mV and 1 µA, which is dithered.
func TestNoIOIsLateForTheModule(t *testing.T) {
	const (
		threads  = 8
		ios      = 400_000 / threads
		periodNs = 20_000
	)
	c := modeltest.Published(1)
	c.Unlimited, c.NoiseOff = true, true
	c.LagMinNs, c.LagMaxNs, c.LagTailNs = 0, 0, 0
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(monotonic()-10e9, true)
	p := &pacer{drive: d, now: monotonic, counted: counters{now: monotonic}}

	var all sync.WaitGroup
	var ended atomic.Bool
	const msNs = 1_000_000 // the truth knows the joules of whole milliseconds
	startNs, joules, n := monotonic()/msNs*msNs, 0.0, int64(0)
	all.Go(func() {
		v, a := [][]int32{make([]int32, 1000), make([]int32, 1000)}, [][]int32{make([]int32, 1000), make([]int32, 1000)}
		for !ended.Load() {
			k := min((p.booking.settled(monotonic())-startNs)/periodNs-n, 1000)
			if k <= 0 {
				continue
			}
			d.Fill(startNs+n*periodNs, periodNs, []string{"5v", "12v"}, [][]int32{v[0][:k], v[1][:k]}, [][]int32{a[0][:k], a[1][:k]})
			for i := range k {
				joules += (float64(v[0][i])*float64(a[0][i]) + float64(v[1][i])*float64(a[1][i])) * 1e-9 * periodNs * 1e-9
			}
			n += k
			runtime.Gosched()
		}
	})
	var threadsDone sync.WaitGroup
	for i := range threads {
		threadsDone.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range ios {
				q := model.Request{Write: r.IntN(4) == 0, OffsetBytes: r.Int64N(1<<16) << 12, Bytes: 4096 << r.IntN(4)}
				if errno := p.serve(q); errno != 0 {
					t.Error(errno)
					return
				}
				if r.IntN(64) == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	threadsDone.Wait()
	<-time.After(20 * time.Millisecond) // the last IO's current ends
	ended.Store(true)
	all.Wait()
	if late := d.Late(); late > 0 {
		t.Errorf("%d of %d IOs came after their samples were given out", late, threads*ios)
	}
	truth := d.Truth(startNs, startNs+n*periodNs)
	if truth.IOs != threads*ios {
		t.Errorf("%d IOs", truth.IOs)
	}
	off := math.Abs(joules/truth.EnergyJ - 1)
	t.Logf("%.3f J, off by %.1e", truth.EnergyJ, off)
	if off > 5e-6 {
		t.Errorf("the samples hold %.6f J, the drive drew %.6f J", joules, truth.EnergyJ)
	}
}
