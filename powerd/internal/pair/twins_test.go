package pair

import (
	"testing"

	"powerd/engine/twin/model"
	"powerd/powerd/internal/twinfile"
)

// scaleOf returns what a twin's rates are divided by, so that a host of two cores carries
// several at once: some thousand reads of 128 KiB a second from each. An arm needs no
// scale, and one that takes no time for an IO is as fast as the host in any.
func scaleOf(name string) int {
	switch name {
	case "hdd-7200", "unlimited":
		return 1
	case "nvme-12v":
		return 40
	}
	return 4
}

// emulated returns a twin that has been on for a while, with its idle noise and its
// instrument's k times as strong.
func emulated(t *testing.T, name string, k float64, seed uint64) *model.Drive {
	t.Helper()
	c, err := twinfile.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	c = c.Scaled(scaleOf(name))
	c.Seed, c.CapacityBytes = seed, capacityBytes
	c.IdleNoise.SigmaW *= k
	c.IdleBump.Amps *= k
	for _, r := range []*model.Rail{&c.Rail5V, &c.Rail12V} {
		r.NoiseAmps, r.NoiseVolts = r.NoiseAmps*k, r.NoiseVolts*k
	}
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(0, true)
	return d
}
