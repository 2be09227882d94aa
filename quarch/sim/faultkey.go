package sim

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"powerd/quarch/wire"
)

// faultKey is a key of faults: set reports whether a value is allowed, and get is
// empty for a value that means nothing was set.
type faultKey struct {
	want string
	set  func(f *Fault, value string) bool
	get  func(f *Fault) string
}

// keyOf returns a key of FaultKind.Keys.
func keyOf(name string) faultKey {
	switch name {
	case "at":
		return duration(func(f *Fault) *time.Duration { return &f.At }, 0, 1000*time.Hour)
	case "for":
		return duration(func(f *Fault) *time.Duration { return &f.For }, time.Millisecond, 1000*time.Hour)
	case "by":
		return duration(func(f *Fault) *time.Duration { return &f.By }, time.Millisecond, 10*time.Second)
	case "p":
		return number(func(f *Fault) *float64 { return &f.P }, 1e-9, 1, "1e-9 to 1, the chance of each frame")
	case "ppm":
		return number(func(f *Fault) *float64 { return &f.PPM }, -200, 200, "-200 to 200 ppm")
	case "count":
		return count(func(f *Fault) *int { return &f.Count }, 1, 1_000_000, "1 to 1000000 times")
	case "stream":
		return count(func(f *Fault) *int { return &f.Stream }, 1, 1_000_000, "1 to 1000000, counted from the module's start")
	case "bytes":
		return count(func(f *Fault) *int { return &f.Bytes }, 1, 65_536, "1 to 65536 bytes")
	case "baud":
		return count(func(f *Fault) *int { return &f.Baud }, 1200, 100_000_000, "1200 to 100000000 bits per second")
	case "status":
		return count(func(f *Fault) *int { return &f.Status }, 0, 2, "0, 1 or 2")
	case "model":
		return oneOf(func(f *Fault) *string { return &f.Model }, Delays())
	case "rail":
		return oneOf(func(f *Fault) *string { return &f.Rail }, []string{"5v", "3v3", "12v"})
	}
	return faultKey{ // averaging
		want: "0, 2, 4 … 512, 1k … 32k",
		set: func(f *Fault, value string) bool {
			f.Averaging = value
			_, err := wire.ParseAveraging(value)
			return err == nil
		},
		get: func(f *Fault) string { return f.Averaging },
	}
}

func duration(field func(*Fault) *time.Duration, least, most time.Duration) faultKey {
	return faultKey{
		want: least.String() + " to " + most.String() + `, with its unit, as in "1.5s"`,
		set: func(f *Fault, value string) bool {
			d, err := time.ParseDuration(value)
			*field(f) = d
			return err == nil && d >= least && d <= most
		},
		get: func(f *Fault) string {
			if *field(f) == 0 && least > 0 {
				return ""
			}
			return field(f).String()
		},
	}
}

func number(field func(*Fault) *float64, least, most float64, want string) faultKey {
	return faultKey{
		want: want,
		set: func(f *Fault, value string) bool {
			x, err := strconv.ParseFloat(value, 64)
			*field(f) = x
			return err == nil && x >= least && x <= most
		},
		get: func(f *Fault) string {
			if *field(f) == 0 && least > 0 {
				return ""
			}
			return strconv.FormatFloat(*field(f), 'g', -1, 64)
		},
	}
}

func count(field func(*Fault) *int, least, most int, want string) faultKey {
	return faultKey{
		want: want,
		set: func(f *Fault, value string) bool {
			n, err := strconv.Atoi(value)
			*field(f) = n
			return err == nil && n >= least && n <= most
		},
		get: func(f *Fault) string {
			if *field(f) == 0 && least > 0 {
				return ""
			}
			return strconv.Itoa(*field(f))
		},
	}
}

func oneOf(field func(*Fault) *string, names []string) faultKey {
	return faultKey{
		want: strings.Join(names, ", "),
		set: func(f *Fault, value string) bool {
			*field(f) = value
			return slices.Contains(names, value)
		},
		get: func(f *Fault) string { return *field(f) },
	}
}
