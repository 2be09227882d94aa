package fio

import "fmt"

// hostTimes brackets a process on both of the host's clocks.
type hostTimes struct {
	spawnMonoMs, exitMonoMs int64
	spawnUnixMs, exitUnixMs int64
}

type timeBase int

const (
	baseRelative  timeBase = iota // ms since the clone's epoch
	baseUnix                      // ms since 1970
	baseMonotonic                 // ms of CLOCK_MONOTONIC
)

// slackMs is allowed on either side of the process when a stamp is judged:
// floors, and a scheduler that was late.
const slackMs = 1000

// wallSlackMs is that for the wall clock, which may be stepped meanwhile.
const wallSlackMs = 60_000

// recognise tells what a log's stamps count from by where they fall, looking
// first for the kind that the job's options ask for. Stamps that fall nowhere
// are refused: nothing is placed, and nothing is allocated by their value.
func recognise(earliestMs, latestMs int64, asked timeBase, h hostTimes) (timeBase, error) {
	fits := func(b timeBase) bool {
		lo, hi := int64(0), h.exitMonoMs-h.spawnMonoMs+slackMs
		switch b {
		case baseUnix:
			lo, hi = h.spawnUnixMs-wallSlackMs, h.exitUnixMs+wallSlackMs
		case baseMonotonic:
			lo, hi = h.spawnMonoMs-slackMs, h.exitMonoMs+slackMs
		}
		return earliestMs >= lo && latestMs <= hi
	}
	for _, b := range []timeBase{asked, baseMonotonic, baseUnix, baseRelative} {
		if fits(b) {
			return b, nil
		}
	}
	return 0, fmt.Errorf("time base implausible: rows from %d to %d ms fit neither the job's %d ms, nor the host's clocks (host time now: monotonic %d ms, Unix %d ms)",
		earliestMs, latestMs, h.exitMonoMs-h.spawnMonoMs, h.exitMonoMs, h.exitUnixMs)
}

// toMonotonic returns what to add to a stamp of base b to get ms of
// CLOCK_MONOTONIC. ok = false for relative stamps: when the epoch was is not in
// them. fio reads the wall clock once, at the epoch, and adds elapsed time, so
// the offset at the start holds for all rows.
func (b timeBase) toMonotonic(h hostTimes) (addMs int64, ok bool) {
	switch b {
	case baseMonotonic:
		return 0, true
	case baseUnix:
		return h.spawnMonoMs - h.spawnUnixMs, true
	}
	return 0, false
}

// askedBase is the time base that the options ask for.
func askedBase(o options) timeBase {
	switch {
	case o.on("log_unix_epoch") || o.on("log_alternate_epoch"):
		if o.count("log_alternate_epoch_clock_id", 0) == 1 {
			return baseMonotonic
		}
		return baseUnix
	}
	return baseRelative
}
