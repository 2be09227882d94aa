package model

import (
	"fmt"
	"math"
)

// Fault is a field of a Config that can't be so, by its Go name ("Rail5V.Plateaus[1]",
// or two that don't go together: "LagMinNs, LagMaxNs"), and what it must be.
type Fault struct{ Field, Want string }

// need takes note of a fault unless ok.
type need = func(ok bool, field, want string)

// Faults returns everything that is wrong with c.
func (c *Config) Faults() []Fault {
	var all []Fault
	need := func(ok bool, field, want string) {
		if !ok {
			all = append(all, Fault{field, want})
		}
	}
	need(c.Scale >= 1, "Scale", "1 or more")
	need(c.RampNs > 0, "RampNs", "positive")
	need(c.FallNs > 0, "FallNs", "positive")
	need(!c.Rail5V.absent() || !c.Rail12V.absent(), "Rail5V", "there, or Rail12V")
	need(c.has(c.LockOut.Rail), "LockOut.Rail", "a rail that the drive has")
	if c.has(c.LockOut.Rail) {
		rail := railIndex(c.LockOut.Rail)
		need(c.LockOut.Volts > 0 && c.LockOut.Volts < c.rail(rail).NominalVolts, "LockOut.Volts", "between 0 and its rail's nominal")
		other := c.rail(railCount - 1 - rail)
		need(c.LockOut.OtherVolts == 0 || c.LockOut.OtherVolts > 0 && c.LockOut.OtherVolts < other.NominalVolts,
			"LockOut.OtherVolts", "between 0 and the nominal of the other rail")
	}
	need(c.ReadyNs >= 0, "ReadyNs", "0 or more")
	need(c.SampleNs > 0, "SampleNs", "positive")
	need(c.LagMinNs >= 0 && c.LagMaxNs >= c.LagMinNs, "LagMinNs, LagMaxNs", "ordered, 0 or more")
	need(c.LagTailNs >= 0 && c.LagTailNs <= msNs, "LagTailNs", "0 to 1 ms")
	need(c.PulseNs >= cellNs && c.PulseNs <= msNs, "PulseNs", "20 µs to 1 ms")
	need(c.QueueDepth >= 1, "QueueDepth", "1 or more")
	need(c.BurstNs >= 0, "BurstNs", "0 or more")
	c.Rail5V.faults("Rail5V", c.ReadyNs, need)
	c.Rail12V.faults("Rail12V", c.ReadyNs, need)
	c.idleFaults(need)
	c.motorFaults(need)
	c.Read.faults(c, "Read", need)
	c.Write.faults(c, "Write", need)
	c.Flash.faults(c, need)
	return all
}

// has says whether the drive has a rail.
func (c *Config) has(rail string) bool { return c.index(rail) >= 0 }

// shareable says whether the drive has the rails that a share from 5 V asks for.
func (c *Config) shareable(portion5V float64) bool {
	return portion5V >= 0 && portion5V <= 1 && (portion5V == 0 || c.has("5v")) && (portion5V == 1 || c.has("12v"))
}

const shareableText = "0 to 1, and of rails that the drive has"

// faults looks at a rail of a drive that is ready readyNs after its lock-out: its start-up
// current ends there, since from then on a drive draws what is idle and what IO costs.
func (r *Rail) faults(name string, readyNs int64, need need) {
	if r.absent() {
		return
	}
	need(r.NominalVolts > 0 && r.SourceOhms > 0 && r.TauNs > 0, name, "with positive NominalVolts, SourceOhms and TauNs")
	need(r.Farads >= 0 && r.LeakAmps >= 0 && r.NoiseAmps >= 0 && r.NoiseVolts >= 0, name, "with Farads, LeakAmps and noise of 0 or more")
	need(r.possible(r.IdleMeanW), name+".IdleMeanW", "above its leakage and within half of what the source can give")
	for i, p := range r.Plateaus {
		need(p.FromNs >= 0 && p.FromNs%cellNs == 0 && p.ToNs%cellNs == 0 && p.FromNs < p.ToNs && (i == 0 || p.FromNs >= r.Plateaus[i-1].ToNs),
			fmt.Sprintf("%s.Plateaus[%d]", name, i), "after the one before, on multiples of 20 µs")
		need(p.ToNs <= readyNs, fmt.Sprintf("%s.Plateaus[%d].ToNs", name, i), startUpText(readyNs))
	}
	need(r.Crest.Amps == 0 || r.Crest.CentreNs+r.Crest.WidthNs/2 <= readyNs, name+".Crest.CentreNs", startUpText(readyNs)+", with half its width")
}

func startUpText(readyNs int64) string {
	return fmt.Sprintf("%g ms at most, when the drive is ready", float64(readyNs)/msNs)
}

// possible says whether a rail can draw watts in the long run.
func (r *Rail) possible(watts float64) bool {
	if r.absent() {
		return watts == 0
	}
	leak := (r.NominalVolts - r.SourceOhms*r.LeakAmps) * r.LeakAmps
	return watts >= leak && watts > 0 && watts < r.NominalVolts*r.NominalVolts/(8*r.SourceOhms)
}

func (c *Config) idleFaults(need need) {
	n, b := &c.IdleNoise, &c.IdleBump
	if n.SigmaW != 0 {
		need(c.has(n.Rail), "IdleNoise.Rail", "a rail that the drive has")
		need(n.SigmaW > 0 && n.SigmaW < c.idleMeanW()/5, "IdleNoise.SigmaW", "0 or more, and below a fifth of the idle power")
		need(n.Phi >= 0 && n.Phi <= mostPhi, "IdleNoise.Phi", "0 to 0.99")
	}
	if b.Amps != 0 {
		need(b.Amps > 0 && c.has(b.Rail), "IdleBump", "positive, on a rail that the drive has")
		need(b.EachNs >= cellNs && b.LongNs >= 0 && b.LongNs <= b.EachNs/2, "IdleBump.LongNs", "at most half of its period")
	}
	if c.PowerLimitW != 0 {
		need(c.idleMeanW() < c.PowerLimitW, "PowerLimitW", fmt.Sprintf("above the idle power of all rails, %.4g W", c.idleMeanW()))
	}
	for i, t := range c.Tasks {
		name := fmt.Sprintf("Tasks[%d]", i)
		need(t.ExtraW >= 0 && c.shareable(t.Portion5V), name+".Portion5V", shareableText)
		need(t.LongNs >= cellNs && t.EachNs >= t.LongNs && t.EachNs >= msNs, name+".LongNs", "20 µs or more, and no longer than its period")
	}
	need(len(c.IdleStates) == 0 || c.Flash.After.Watts == 0, "IdleStates", "left out of a drive that works on after a load")
	for i, s := range c.IdleStates {
		name := fmt.Sprintf("IdleStates[%d]", i)
		need(s.EnterNs >= 0 && s.ExitNs >= 0, name, "with times of 0 or more")
		need(s.AfterNs >= msNs && (i == 0 || s.AfterNs >= c.IdleStates[i-1].AfterNs+c.IdleStates[i-1].EnterNs),
			name+".AfterNs", "1 ms or more, and after the state before has been entered")
		need(c.Rail5V.possible(s.Rail5VW), name+".Rail5VW", "above the leakage of its rail, and 0 without one")
		need(c.Rail12V.possible(s.Rail12VW), name+".Rail12VW", "above the leakage of its rail, and 0 without one")
		need(s.Rail5VW+s.Rail12VW < c.idleMeanW(), name, fmt.Sprintf("below the idle power of all rails, %.4g W", c.idleMeanW()))
	}
}

func (c *Config) idleMeanW() float64 { return c.Rail5V.IdleMeanW + c.Rail12V.IdleMeanW }

func (c *Config) motorFaults(need need) {
	m := &c.Motor
	for i, s := range c.IdleStates {
		need(!s.SpunDown || m.MaxAmps > 0, fmt.Sprintf("IdleStates[%d].SpunDown", i), "of a drive with a motor")
	}
	if m.MaxAmps == 0 {
		return
	}
	need(c.has("12v"), "Motor", "on a drive with a 12 V rail")
	need(m.MaxAmps > 0 && m.IdleAmps > 0 && m.IdleAmps < m.MaxAmps && m.VoltSPerRadian > 0 && m.Ohms > 0 && m.InertiaKgM2 > 0 && m.RPM > 0 && m.StartNs >= 0,
		"Motor", "positive, with IdleAmps below MaxAmps")
	atSpeed := (c.Rail12V.NominalVolts - m.VoltSPerRadian*m.RPM*2*math.Pi/60) / m.Ohms
	if need(atSpeed > m.IdleAmps, "Motor.VoltSPerRadian", "so that 12 V hold its speed"); atSpeed > m.IdleAmps && c.Rail12V.TauNs > 0 {
		spun := m.StartNs + int64(len(m.spinUp(&c.Rail12V)))*cellNs
		need(c.ReadyNs >= spun, "ReadyNs", fmt.Sprintf("%d ms or more, when the motor is at speed", spun/msNs+1))
	}
	need(c.Rail12V.IdleMeanW >= m.IdleAmps*(c.Rail12V.NominalVolts-c.Rail12V.SourceOhms*m.IdleAmps), "Rail12V.IdleMeanW", "at least what the motor draws")
}

func (r *Direction) faults(c *Config, name string, need need) {
	need(r.TopIOPS > 0 && r.TopBytesPerS > 0 && r.ServiceNs > 0, name, "with positive TopIOPS, TopBytesPerS and ServiceNs")
	need(r.ServiceSpread >= 0 && r.ServiceSpread <= 1, name+".ServiceSpread", "0 to 1")
	need(c.shareable(r.Host5VPortion), name+".Host5VPortion", shareableText)
	need(c.shareable(r.Media5VPortion), name+".Media5VPortion", shareableText)
	if s := &r.Seek; s.LongNs != 0 {
		need(c.has("12v") && s.TopIOPS > 0 && s.ServiceNs >= 0 && s.LongNs > 0 && s.MinAmps >= 0 && s.MaxAmps >= s.MinAmps,
			name+".Seek", "positive, on a drive with a 12 V rail")
	}
}
