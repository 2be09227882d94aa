package analysis

import "math"

// Student95 returns Student's two-sided 95 % factor of 1 degree of freedom and more, within
// 1 %: of one and of two in closed form, beyond that the first terms of its expansion about
// the normal's.
func Student95(freedom float64) float64 {
	const p, z = 0.95, 1.959964
	const z3, z5, z7 = z * z * z, z * z * z * z * z, z * z * z * z * z * z * z
	switch {
	case freedom < 2:
		return math.Tan(math.Pi * p / 2)
	case freedom < 3:
		return p * math.Sqrt(2/(1-p*p))
	}
	return z + (z3+z)/(4*freedom) + (5*z5+16*z3+3*z)/(96*freedom*freedom) +
		(3*z7+19*z5+17*z3-15*z)/(384*freedom*freedom*freedom)
}
