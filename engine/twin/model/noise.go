package model

import "math"

// normals holds 2^16 quantiles of the normal distribution, scaled to variance
// 1. Their mean is 0 by symmetry; the largest is 4.3 σ.
type normals [1 << 16]float32

func newNormals() *normals {
	n := new(normals)
	half := make([]float64, len(n)/2) // the other half is its mirror image
	var ss float64
	for i := range half {
		half[i] = math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(len(n))-1)
		ss += 2 * half[i] * half[i]
	}
	k := math.Sqrt(float64(len(n)) / ss)
	for i, q := range half {
		n[i], n[len(n)-1-i] = float32(k*q), float32(-k*q)
	}
	return n
}

// mix is a 64-bit finaliser: a different input gives independent bits. Random
// numbers here are a function of what they belong to, so that they do not depend
// on the order of calls.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit makes a number of [0, 1) from the upper bits of dice.
func unit(dice uint64) float64 { return float64(dice>>11) * 0x1p-53 }

const (
	idleChunk = 1024 // values of idle noise that are calculated in one go
	mostPhi   = 0.99 // of which a chunk later 3e-5 is left
)

// idleNoise walks a first-order autoregressive sequence. Every chunk starts
// from its own past, the chunk before, so that any value can be had at any time and
// is always the same; mostPhi bounds what is missing of the past before that.
type idleNoise struct {
	n     *normals
	seed  uint64
	phi   float64
	sigma float64 // of an innovation, watts

	m int64 // index of x
	x float64
}

func newIdleNoise(n *normals, seed uint64, c IdleNoise) idleNoise {
	return idleNoise{n: n, seed: seed, phi: c.Phi, sigma: c.SigmaW * math.Sqrt(1-c.Phi*c.Phi), m: -1}
}

// at returns value m ≥ 0 in watts.
func (a *idleNoise) at(m int64) float64 {
	if m == a.m {
		return a.x
	}
	if a.m < 0 || m < a.m || m/idleChunk != a.m/idleChunk {
		a.m = m/idleChunk*idleChunk - idleChunk - 1
		a.x = 0
	}
	for a.m < m {
		a.m++
		a.x = a.phi*a.x + a.sigma*float64(a.n[mix(a.seed+uint64(a.m))&0xffff])
	}
	return a.x
}
