package serve

import (
	"math/rand/v2"
	"testing"

	"powerd/engine/twin/model"
	"powerd/engine/twin/model/modeltest"
)

func TestStoredShare(t *testing.T) {
	// A random byte is as the one before it in 1 of 256 cases.
	random := make([]byte, 4096)
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range random {
		random[i] = byte(rnd.Uint32())
	}
	half := make([]byte, 4096)
	copy(half, random[:2048])
	for _, c := range []struct {
		what string
		data []byte
		want float64
	}{{"zeros", make([]byte, 4096), 0}, {"random", random, 1}, {"half of either", half, 0.5}, {"one byte", []byte{7}, 1}} {
		if got := storedShare(c.data); got < c.want-0.01 || got > c.want+0.01 {
			t.Errorf("%s: got %.3f, want %.2f", c.what, got, c.want)
		}
	}
}

func TestContentMattersToWhoCompresses(t *testing.T) {
	// 256 writes of 64 KiB of zeros are 4096 programmes of 25.15 µJ, which a drive that
	// compresses does without.
	for _, compresses := range []bool{false, true} {
		c := modeltest.Published(1)
		c.Unlimited, c.Flash.Compresses, c.IdleNoise.SigmaW = true, compresses, 0
		d, err := model.New(c)
		if err != nil {
			t.Fatal(err)
		}
		d.SetPower(monotonic()-10e9, true)
		f := opened(t, served(t, d, 16<<20))
		startNs := monotonic()
		for k := range int64(256) {
			if _, err := f.WriteAt(make([]byte, 64<<10), k<<16); err != nil {
				t.Fatal(err)
			}
		}
		endNs := monotonic() + 20e6
		got := d.Truth(startNs, endNs).EnergyJ - 256*(2e-6+16*4e-6) - 2.981*float64(endNs-startNs)*1e-9
		want := 4096 * 25.15e-6
		if compresses {
			want = 0
		}
		if got < want-0.01 || got > want+0.01 { // an idle bump is 1.4 mJ
			t.Errorf("compresses %v: %.4f J of programmes, want %.4f J", compresses, got, want)
		}
	}
}
