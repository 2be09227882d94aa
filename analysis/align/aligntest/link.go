package aligntest

import (
	"math"
	"math/rand/v2"
)

// Link is how blocks reach the host.
type Link struct {
	Name    string
	BlockNs float64 // stream time in a block, before rounding to stripes
	TickNs  float64 // period of the adapter's latency timer; 0 = it has none

	// Delay returns the delay of a block whose last stripe ended at endNs.
	Delay func(r *rand.Rand, endNs float64) float64
}

const block = 10e6

// USBCDC hands over at the next frame of 125 µs, then the host takes its time.
func USBCDC() Link {
	return Link{Name: "usbcdc", BlockNs: block, Delay: func(r *rand.Rand, end float64) float64 {
		return tick(end, 125e3) + 80e3 + 300e3*r.ExpFloat64()
	}}
}

// TCP is a quiet local network where one block in a hundred is sent again.
func TCP() Link {
	return Link{Name: "tcp", BlockNs: block, Delay: func(r *rand.Rand, _ float64) float64 {
		d := 120e3 + 250e3*math.Exp(0.8*r.NormFloat64())
		if r.IntN(100) == 0 {
			d += 40e6
		}
		return d
	}}
}

// FTDI is a USB adapter that hands over when its latency timer ticks.
func FTDI(name string, tickNs float64) Link {
	return Link{Name: name, BlockNs: block, TickNs: tickNs, Delay: ftdi(tickNs)}
}

// Locked is an adapter whose latency timer has the very length of a block, so that
// all blocks wait for the same time, which no block tells.
func Locked(periodNs float64) Link {
	tickNs := periodNs * math.Max(1, math.Round(16e6/periodNs))
	return Link{Name: "locked16", BlockNs: tickNs, TickNs: tickNs, Delay: ftdi(tickNs)}
}

// Exp5Tick16 is a module that keeps blocks for 5 ms on average, behind an adapter.
func Exp5Tick16() Link {
	return Link{Name: "exp5+16", BlockNs: block, TickNs: 16e6, Delay: func(r *rand.Rand, end float64) float64 {
		d := 5e6 * r.ExpFloat64()
		return d + ftdi(16e6)(r, end+d)
	}}
}

// Links returns the six delay models for stripes of a period.
func Links(periodNs float64) []Link {
	return []Link{USBCDC(), TCP(), FTDI("ftdi1", 1e6), FTDI("ftdi16", 16e6), Locked(periodNs), Exp5Tick16()}
}

func ftdi(tickNs float64) func(*rand.Rand, float64) float64 {
	return func(r *rand.Rand, end float64) float64 { return tick(end, tickNs) + 60e3 + 150e3*r.ExpFloat64() }
}

// tick is the wait for the next tick of a host timer.
func tick(at, periodNs float64) float64 { return math.Ceil(at/periodNs)*periodNs - at }
