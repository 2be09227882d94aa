package compare_test

import "math/rand/v2"

// newRandom returns numbers anywhere between −x and x.
func newRandom() func(x float64) float64 {
	r := rand.New(rand.NewPCG(1, 2))
	return func(x float64) float64 { return x * (2*r.Float64() - 1) }
}
