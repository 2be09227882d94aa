package model

import "math"

// spinUp returns the motor's current by cell from standstill until it has settled at
// IdleAmps; none without a motor. At speed, control lets the current fall with the
// rail's time constant.
func (m *Motor) spinUp(r *Rail) []float64 {
	if m.MaxAmps == 0 {
		return nil
	}
	const dt = cellNs * 1e-9
	rated := m.RPM * 2 * math.Pi / 60
	free := func(speed float64) float64 { return min(m.MaxAmps, (r.NominalVolts-m.VoltSPerRadian*speed)/m.Ohms) }
	gain := func(speed float64) float64 {
		return m.VoltSPerRadian * (free(speed) - m.IdleAmps*speed/rated*math.Sqrt(speed/rated)) / m.InertiaKgM2
	}
	var out []float64
	for speed := 0.0; speed < rated && len(out) < mostSpinCells; {
		half := speed + gain(speed)*dt/2
		out = append(out, free(half))
		speed += gain(half) * dt
	}
	over := free(rated) - m.IdleAmps
	for n := range settleTaus * r.TauNs / cellNs {
		out = append(out, m.IdleAmps+over*math.Exp(-float64(n)*cellNs/float64(r.TauNs)))
	}
	return out
}

// mostSpinCells is a minute: a motor that is not there by then never will be.
const mostSpinCells = 60_000 * msCells
