package sim

import (
	"math"
	"math/rand/v2"
)

// Delays lists the models of links: what bytes go through between the module and the
// program that reads them.
//
//	usbcdc         the next USB frame of 125 µs, then 80 µs and 300 µs on average (exponential)
//	tcp            120 µs and 250 µs in the median (log-normal); one in a hundred 40 ms more
//	ftdi1, ftdi16  the next tick of a latency timer of 1 or 16 ms, then 60 µs and 150 µs on average
//	ftdi16-locked  ftdi16 of a module that sends once in 16.000 ms of its own clock: it beats with the timer
//	exp5+16        5 ms on average, then the next tick of 16 ms
func Delays() []string {
	return []string{"usbcdc", "tcp", "ftdi1", "ftdi16", "ftdi16-locked", "exp5+16"}
}

const (
	usNs = 1_000
	msNs = 1_000_000

	lockedBlockNs = 16 * msNs
	tcpSpread     = 0.8 // of the logarithm: 95 % of the delays within a factor of five
)

// delayNs draws when bytes that leave at host time atNs arrive.
func delayNs(model string, atNs int64, r *rand.Rand) int64 {
	exp := func(mean float64) int64 { return int64(mean * r.ExpFloat64()) }
	switch model {
	case "usbcdc":
		return tick(atNs, 125*usNs) + 80*usNs + exp(300*usNs)
	case "tcp":
		atNs += 120*usNs + int64(250*usNs*math.Exp(tcpSpread*r.NormFloat64()))
		if r.Float64() < 0.01 {
			atNs += 40 * msNs
		}
		return atNs
	case "ftdi1":
		return tick(atNs, msNs) + 60*usNs + exp(150*usNs)
	case "ftdi16", "ftdi16-locked":
		return tick(atNs, 16*msNs) + 60*usNs + exp(150*usNs)
	case "exp5+16":
		return tick(atNs+exp(5*msNs), 16*msNs)
	}
	return atNs
}

// tick returns the next multiple of everyNs.
func tick(atNs, everyNs int64) int64 { return (atNs/everyNs + 1) * everyNs }
