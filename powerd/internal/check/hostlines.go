package check

import (
	"errors"
	"fmt"
	"math"

	"powerd/engine"
)

const (
	bytesPerStripe = 6   // of a capture of two rails, packed; about 5 were measured
	clockFast      = 100 // ppm that a clock is slewed by while it is being set
)

// hostLines judge the machine that loads the drive.
func hostLines(f *Facts) []Line {
	lines := []Line{diskLine(f), fioLine(f), fuseLine(f)}
	if f.ClockPPM != nil {
		lines = append(lines, clockLine(*f.ClockPPM))
	}
	return lines
}

// hourBytes is what an hour of samples takes on disk.
func hourBytes(periodNs int64) float64 {
	if periodNs <= 0 {
		return 0
	}
	return 3600e9 / float64(periodNs) * bytesPerStripe
}

func diskLine(f *Facts) Line {
	if f.FreeErr != nil {
		return Line{Fail, "disk", reason(f.FreeErr), "name a folder that can be written to with out: in the settings"}
	}
	need, free := hourBytes(f.PeriodNs), float64(f.FreeBytes)
	found := fmt.Sprintf("%s has %.1f GB free; an hour of samples takes about %.2f GB", f.Out, free/1e9, need/1e9)
	switch {
	case free < need:
		return Line{Fail, "disk", found, "make room, or name a folder on another disk with out: in the settings"}
	case free < 24*need:
		return Line{Warn, "disk", found + ": less than a day", ""}
	}
	return Line{OK, "disk", found, ""}
}

func fioLine(f *Facts) Line {
	switch {
	case f.FioErr == nil:
		return Line{OK, "fio", f.Fio, ""}
	case errors.Is(f.FioErr, engine.ErrUnavailable):
		return Line{Fail, "fio", reason(f.FioErr), ""} // it says how to get it
	}
	return Line{Fail, "fio", reason(f.FioErr), "apt install fio, or set fio.path"}
}

func fuseLine(f *Facts) Line {
	if f.FuseErr != nil {
		return Line{Warn, "fuse", reason(f.FuseErr), "only drive twins need it"}
	}
	return Line{OK, "fuse", "drive twins can be served", ""}
}

func clockLine(ppm float64) Line {
	if math.Abs(ppm) < 0.05 {
		ppm = 0 // and not -0.0
	}
	found := fmt.Sprintf("CLOCK_MONOTONIC runs %+.1f ppm against the raw one", ppm)
	if math.Abs(ppm) > clockFast {
		return Line{Warn, "clock", found + ": the time service is setting it", "wait until the clock is set; `chronyc tracking` or `timedatectl` tells"}
	}
	return Line{OK, "clock", found, ""}
}
