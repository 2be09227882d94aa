package twinfile

import "powerd/engine/twin/model"

// The longest times that a key may have, in its unit.
const (
	hourMs = 3.6e6
	dayMs  = 24 * hourMs
	hourUs = 3.6e9
)

// keys is everything that a twin file may say, in the order in which it is listed.
func (r *reader) keys() []key {
	c := r.config
	return []key{
		{name: "extends", set: ignore},
		{name: "name", field: "Name", set: name(&c.Name)},
		{name: "supply", need: true, group: []key{
			{name: "ramp_ms", field: "RampNs", need: true, set: duration(&c.RampNs, ms, 0.02, hourMs)},
			{name: "fall_ms", field: "FallNs", need: true, set: duration(&c.FallNs, ms, 0.02, hourMs)},
		}},
		{name: "lock_out", field: "LockOut", need: true, group: []key{
			{name: "rail", field: "Rail", need: true, set: rail(&c.LockOut.Rail)},
			{name: "volts", field: "Volts", need: true, set: number(&c.LockOut.Volts, whole, 0.1, 13.2)},
			{name: "other_volts", field: "OtherVolts", set: number(&c.LockOut.OtherVolts, whole, 0.1, 13.2)},
		}},
		{name: "ready_ms", field: "ReadyNs", need: true, set: duration(&c.ReadyNs, ms, 0, hourMs)},
		{name: "power_limit_w", field: "PowerLimitW", set: number(&c.PowerLimitW, whole, 0.001, 100)},
		{name: "rails", need: true, group: []key{
			{name: "5v", field: "Rail5V", group: railKeys(&c.Rail5V, 4.5, 5.5)},
			{name: "12v", field: "Rail12V", group: railKeys(&c.Rail12V, 10.8, 13.2)},
		}},
		{name: "motor", field: "Motor", group: motorKeys(&c.Motor)},
		{name: "idle", group: idleKeys(c)},
		{name: "instrument", need: true, group: []key{
			{name: "sample_us", field: "SampleNs", need: true, set: duration(&c.SampleNs, us, 1, 1e6)},
		}},
		{name: "capacity_bytes", field: "CapacityBytes", need: true, set: integer(&c.CapacityBytes, 1<<20, 1e18)},
		{name: "queue", need: true, group: []key{
			{name: "depth", field: "QueueDepth", need: true, set: integer(&c.QueueDepth, 1, 65536)},
			{name: "catch_up_ms", field: "BurstNs", need: true, set: duration(&c.BurstNs, ms, 0, 1000)},
			{name: "unlimited", field: "Unlimited", set: yes(&c.Unlimited)},
		}},
		{name: "pulse", need: true, group: []key{
			{name: "lag_min_us", field: "LagMinNs", need: true, set: duration(&c.LagMinNs, us, 0, 1e5)},
			{name: "lag_max_us", field: "LagMaxNs", need: true, set: duration(&c.LagMaxNs, us, 0, 1e5)},
			{name: "lag_tail_us", field: "LagTailNs", need: true, set: duration(&c.LagTailNs, us, 0, 1000)},
			{name: "long_us", field: "PulseNs", need: true, set: duration(&c.PulseNs, us, 20, 1000)},
		}},
		{name: "read", field: "Read", need: true, group: directionKeys(&c.Read)},
		{name: "write", field: "Write", need: true, group: directionKeys(&c.Write)},
		{name: "flash", field: "Flash", group: flashKeys(&c.Flash)},
	}
}

func rail(into *string) setter     { return oneOf(into, "5v", "12v") }
func portion(into *float64) setter { return number(into, whole, 0, 1) }

func railKeys(r *model.Rail, leastVolts, mostVolts float64) []key {
	return []key{
		{name: "nominal_v", field: "NominalVolts", need: true, set: number(&r.NominalVolts, whole, leastVolts, mostVolts)},
		{name: "source_ohms", field: "SourceOhms", need: true, set: number(&r.SourceOhms, whole, 0.0001, 2)},
		{name: "farads_uf", field: "Farads", need: true, set: number(&r.Farads, micro, 0, 1e5)},
		{name: "leak_ma", field: "LeakAmps", need: true, set: number(&r.LeakAmps, milli, 0, 1000)},
		{name: "tau_ms", field: "TauNs", need: true, set: duration(&r.TauNs, ms, 0.02, 1000)},
		{name: "idle_mean_w", field: "IdleMeanW", need: true, set: number(&r.IdleMeanW, whole, 0.0001, 100)},
		{name: "noise_ma", field: "NoiseAmps", need: true, set: number(&r.NoiseAmps, milli, 0, 1000)},
		{name: "noise_mv", field: "NoiseVolts", need: true, set: number(&r.NoiseVolts, milli, 0, 1000)},
		{
			name: "plateaus", field: "Plateaus",
			size: func(n int) { r.Plateaus = make([]model.Plateau, n) },
			list: func() (all [][]key) {
				for i := range r.Plateaus {
					p := &r.Plateaus[i]
					all = append(all, []key{
						{name: "from_ms", field: "FromNs", need: true, set: duration(&p.FromNs, ms, 0, hourMs)},
						{name: "to_ms", field: "ToNs", need: true, set: duration(&p.ToNs, ms, 0, hourMs)},
						{name: "amps", field: "Amps", need: true, set: number(&p.Amps, whole, 0, 20)},
					})
				}
				return all
			},
		},
		{name: "crest", field: "Crest", group: []key{
			{name: "centre_ms", field: "CentreNs", need: true, set: duration(&r.Crest.CentreNs, ms, 0, hourMs)},
			{name: "width_ms", field: "WidthNs", need: true, set: duration(&r.Crest.WidthNs, ms, 0.02, 10_000)},
			{name: "amps", field: "Amps", need: true, set: number(&r.Crest.Amps, whole, 0, 20)},
		}},
	}
}

func motorKeys(m *model.Motor) []key {
	return []key{
		{name: "max_amps", field: "MaxAmps", need: true, set: number(&m.MaxAmps, whole, 0.01, 20)},
		{name: "idle_amps", field: "IdleAmps", need: true, set: number(&m.IdleAmps, whole, 0.001, 20)},
		{name: "v_s_per_rad", field: "VoltSPerRadian", need: true, set: number(&m.VoltSPerRadian, whole, 1e-5, 1)},
		{name: "ohms", field: "Ohms", need: true, set: number(&m.Ohms, whole, 0.01, 1000)},
		{name: "inertia_kg_m2", field: "InertiaKgM2", need: true, set: number(&m.InertiaKgM2, whole, 1e-7, 1)},
		{name: "rpm", field: "RPM", need: true, set: number(&m.RPM, whole, 100, 50_000)},
		{name: "start_ms", field: "StartNs", need: true, set: duration(&m.StartNs, ms, 0, hourMs)},
	}
}

func idleKeys(c *model.Config) []key {
	n, b := &c.IdleNoise, &c.IdleBump
	return []key{
		{name: "noise", field: "IdleNoise", group: []key{
			{name: "rail", field: "Rail", need: true, set: rail(&n.Rail)},
			{name: "sigma_w", field: "SigmaW", need: true, set: number(&n.SigmaW, whole, 0, 10)},
			{name: "phi", field: "Phi", need: true, set: number(&n.Phi, whole, 0, 0.99)},
		}},
		{name: "bump", field: "IdleBump", group: []key{
			{name: "rail", field: "Rail", need: true, set: rail(&b.Rail)},
			{name: "amps", field: "Amps", need: true, set: number(&b.Amps, whole, 0, 5)},
			{name: "long_ms", field: "LongNs", need: true, set: duration(&b.LongNs, ms, 0.02, hourMs)},
			{name: "each_ms", field: "EachNs", need: true, set: duration(&b.EachNs, ms, 0.04, hourMs)},
		}},
		{
			name: "tasks", field: "Tasks",
			size: func(n int) { c.Tasks = make([]model.Task, n) },
			list: func() (all [][]key) {
				for i := range c.Tasks {
					all = append(all, taskKeys(&c.Tasks[i]))
				}
				return all
			},
		},
		{
			name: "states", field: "IdleStates",
			size: func(n int) { c.IdleStates = make([]model.IdleState, n) },
			list: func() (all [][]key) {
				for i := range c.IdleStates {
					all = append(all, stateKeys(&c.IdleStates[i]))
				}
				return all
			},
		},
	}
}

func taskKeys(t *model.Task) []key {
	return []key{
		{name: "name", field: "Name", need: true, set: name(&t.Name)},
		{name: "extra_w", field: "ExtraW", need: true, set: number(&t.ExtraW, whole, 0, 50)},
		{name: "long_ms", field: "LongNs", need: true, set: duration(&t.LongNs, ms, 0.02, hourMs)},
		{name: "each_ms", field: "EachNs", need: true, set: duration(&t.EachNs, ms, 1, dayMs)},
		{name: "random", field: "Random", set: yes(&t.Random)},
		{name: "portion_5v", field: "Portion5V", need: true, set: portion(&t.Portion5V)},
		{name: "wakes", field: "Wakes", set: yes(&t.Wakes)},
	}
}

func stateKeys(s *model.IdleState) []key {
	return []key{
		{name: "name", field: "Name", need: true, set: name(&s.Name)},
		{name: "after_ms", field: "AfterNs", need: true, set: duration(&s.AfterNs, ms, 1, dayMs)},
		{name: "enter_ms", field: "EnterNs", need: true, set: duration(&s.EnterNs, ms, 0, hourMs)},
		{name: "exit_ms", field: "ExitNs", need: true, set: duration(&s.ExitNs, ms, 0, hourMs)},
		{name: "5v_w", field: "Rail5VW", set: number(&s.Rail5VW, whole, 0, 100)},
		{name: "12v_w", field: "Rail12VW", set: number(&s.Rail12VW, whole, 0, 100)},
		{name: "spun_down", field: "SpunDown", set: yes(&s.SpunDown)},
	}
}

func directionKeys(r *model.Direction) []key {
	s := &r.Seek
	return []key{
		{name: "top_iops", field: "TopIOPS", need: true, set: number(&r.TopIOPS, whole, 1, 1e8)},
		{name: "top_mb_per_s", field: "TopBytesPerS", need: true, set: large(&r.TopBytesPerS, 1e6, 0.1, 1e6)},
		{name: "service_us", field: "ServiceNs", need: true, set: duration(&r.ServiceNs, us, 1, hourUs)},
		{name: "service_spread", field: "ServiceSpread", need: true, set: portion(&r.ServiceSpread)},
		{name: "io_uj", field: "IOJoules", need: true, set: number(&r.IOJoules, micro, 0, 1e6)},
		{name: "page_uj", field: "PageJoules", need: true, set: number(&r.PageJoules, micro, 0, 1e6)},
		{name: "media_uj", field: "MediaJoules", need: true, set: number(&r.MediaJoules, micro, 0, 1e6)},
		{name: "host_5v_portion", field: "Host5VPortion", need: true, set: portion(&r.Host5VPortion)},
		{name: "media_5v_portion", field: "Media5VPortion", need: true, set: portion(&r.Media5VPortion)},
		{name: "seek", field: "Seek", group: []key{
			{name: "top_iops", field: "TopIOPS", need: true, set: number(&s.TopIOPS, whole, 1, 1e5)},
			{name: "service_us", field: "ServiceNs", need: true, set: duration(&s.ServiceNs, us, 0, 1e6)},
			{name: "long_us", field: "LongNs", need: true, set: duration(&s.LongNs, us, 20, 1e5)},
			{name: "min_amps", field: "MinAmps", need: true, set: number(&s.MinAmps, whole, 0, 10)},
			{name: "max_amps", field: "MaxAmps", need: true, set: number(&s.MaxAmps, whole, 0, 10)},
		}},
	}
}

func flashKeys(f *model.Flash) []key {
	a, b := &f.After, &f.Bursts
	return []key{
		{name: "programmes_per_s", field: "ProgrammesPerS", need: true, set: number(&f.ProgrammesPerS, whole, 1, 1e8)},
		{name: "fresh_share", field: "FreshShare", need: true, set: number(&f.FreshShare, whole, 0, 10)},
		{name: "tail_ms", field: "TailNs", need: true, set: duration(&f.TailNs, ms, 1, dayMs)},
		{name: "steady_wa", field: "SteadyWA", need: true, set: number(&f.SteadyWA, whole, 1, 100)},
		{name: "sequential_wa", field: "SequentialWA", need: true, set: number(&f.SequentialWA, whole, 1, 100)},
		{name: "drain_min_ms", field: "DrainMinNs", need: true, set: duration(&f.DrainMinNs, ms, 0, 500)},
		{name: "drain_max_ms", field: "DrainMaxNs", need: true, set: duration(&f.DrainMaxNs, ms, 0, 500)},
		{name: "compresses", field: "Compresses", set: yes(&f.Compresses)},
		{name: "bursts", field: "Bursts", group: []key{
			{name: "long_ms", field: "LongNs", need: true, set: duration(&b.LongNs, ms, 1, 500)},
			{name: "each_ms", field: "EachNs", need: true, set: duration(&b.EachNs, ms, 2, hourMs)},
			{name: "extra_w", field: "ExtraW", need: true, set: number(&b.ExtraW, whole, 0, 50)},
			{name: "slow_by", field: "SlowBy", need: true, set: number(&b.SlowBy, whole, 0, 0.99)},
		}},
		{name: "after", field: "After", group: []key{
			{name: "watts", field: "Watts", need: true, set: number(&a.Watts, whole, 0, 50)},
			{name: "long_ms", field: "LongNs", need: true, set: duration(&a.LongNs, ms, 0, dayMs)},
			{name: "per_work", field: "PerWork", need: true, set: number(&a.PerWork, whole, 0, 1e6)},
			{name: "quiet_ms", field: "QuietNs", need: true, set: duration(&a.QuietNs, ms, 0, hourMs)},
			{name: "portion_5v", field: "Portion5V", need: true, set: portion(&a.Portion5V)},
		}},
	}
}
