package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Fault is something that is wrong with a module, its line or its bench. Fields
// that its kind does not take are zero.
type Fault struct {
	Name   string        // of Faults
	At     time.Duration // from the first stripe of a stream, or from the module's start: its kind says which
	P      float64       // chance of each frame from then on; 0 = every one
	For    time.Duration // how long it lasts; 0 = to the end, where its kind has no length of its own
	Count  int           // how often in a stream at most; 0 = any number
	Stream int           // the stream that it concerns, from 1; 0 = every one

	By        time.Duration // how long a stall or a pause is, or between two writes
	Bytes     int
	Baud      int     // bits per second, ten of them a byte
	Model     string  // of Delays
	Rail      string  // "5v", "3v3" or "12v"
	PPM       float64 // how much slower a warm clock is
	Averaging string  // as in `rec:ave`
	Status    int     // that ends a stream
}

// FaultKind is a fault that can be switched on.
type FaultKind struct {
	Name string
	What string // one line
	Keys string // that it takes, with their defaults: "at=1s p for count stream"
}

// The names of faults.
const (
	faultLostByte       = "lost-byte"
	faultDuplicated     = "duplicated-block"
	faultWrongLength    = "wrong-length"
	faultGarbage        = "garbage"
	faultSplit          = "split-writes"
	faultMerged         = "merged-writes"
	faultSlowLine       = "slow-line"
	faultStall          = "stall"
	faultDelay          = "delay"
	faultNoEcho         = "no-echo"
	faultSilent         = "silent"
	faultSyncIgnored    = "sync-ignored"
	faultOverrun        = "overrun"
	faultEarlyEnd       = "early-end"
	faultHeaderMismatch = "header-mismatch"
	faultClockStep      = "clock-step"
	faultWarmUp         = "warm-up"
	faultUnplug         = "unplug"
	faultReset          = "reset"
	faultSaturated      = "saturated"
	faultRailMissing    = "rail-missing"
)

// FaultSwapped is the fault for which Options.Other is wanted.
const FaultSwapped = "swapped"

// Faults lists every fault there is. `at` counts from a stream's first stripe, and the
// fault strikes each stream, unless the line says that it counts from the start.
func Faults() []FaultKind {
	return []FaultKind{
		{faultLostByte, "a byte of a frame is lost", "at=1s p for count stream"},
		{faultDuplicated, "a frame of samples is sent twice", "at=1s p for count stream"},
		{faultWrongLength, "a frame's length is not that of its payload", "at=1s p for count stream"},
		{faultGarbage, "bytes that mean nothing come before a stream's first frame", "bytes=64 stream"},
		{faultSplit, "whatever is sent comes in pieces", "bytes=5"},
		{faultMerged, "what is sent within a while comes at once", "by=20ms"},
		{faultSlowLine, "the line carries so many bits per second and no more", "baud=115200"},
		{faultStall, "nothing comes for a while (5 to 80 ms if not said), and then all of it", "at=1s p for count by stream"},
		{faultDelay, "what is sent takes time to arrive, as over " + strings.Join(Delays(), ", "), "model=usbcdc"},
		{faultNoEcho, "the terminal link does not echo", ""},
		{faultSilent, "the module neither hears nor says anything; from the start", "at=0s for"},
		{faultSyncIgnored, "answers to a sync are not taken, so that the module goes on waiting", "at=1s for stream"},
		{faultOverrun, "the module's buffer counts as full", "at=1s stream"},
		{faultEarlyEnd, "the module ends its stream unasked", "at=1s status=2 stream"},
		{faultHeaderMismatch, "a stream's header says another averaging than is set", "averaging=32k stream"},
		{faultClockStep, "the sampling clock stands still for a while, and nothing says so", "at=1s by=50ms stream"},
		{faultWarmUp, "the clock drifts as it warms: ppm·exp(-t/600 s), and a tenth of it to and fro in 1200 s; from the start", "ppm=5"},
		{faultUnplug, "the port goes away, and comes back; from the start", "at=5s for=3s"},
		{faultReset, "the firmware restarts: settings are back at their defaults, the rails off, its run time at 0; from the start", "at=5s for=1s"},
		{faultSaturated, "a rail's current reads as the end of the range", "at=1s for rail=5v stream"},
		{faultRailMissing, "the module has no such rail", "rail=12v"},
		{FaultSwapped, "the module measures another drive than the one that is served", ""},
	}
}

// kindOf returns the kind of a name.
func kindOf(name string) (FaultKind, bool) {
	kinds := Faults()
	i := slices.IndexFunc(kinds, func(k FaultKind) bool { return k.Name == name })
	if i < 0 {
		return FaultKind{}, false
	}
	return kinds[i], true
}

// FaultError is a fault that cannot be switched on as it was described.
type FaultError struct {
	Name  string // of the fault
	Key   string // empty: the name itself is wrong
	Value string
	Want  string // what is allowed
}

func (e *FaultError) Error() string {
	switch {
	case e.Key == "":
		return fmt.Sprintf("no fault is called %q; there is: %s", e.Name, e.Want)
	case e.Value == "":
		return fmt.Sprintf("fault %s: %s: %s", e.Name, e.Key, e.Want)
	}
	return fmt.Sprintf("fault %s: %s: %q; want %s", e.Name, e.Key, e.Value, e.Want)
}

// Setting is one key of a fault and its value, as text.
type Setting struct{ Key, Value string }

// noKey stands for a key without a name.
const noKey = "its keys"

// ParseFault reads NAME or NAME:key=value,key=value… An error is a *FaultError.
func ParseFault(text string) (Fault, error) {
	name, rest, given := strings.Cut(strings.TrimSpace(text), ":")
	var settings []Setting
	for pair := range strings.SplitSeq(rest, ",") {
		key, value, found := strings.Cut(pair, "=")
		switch {
		case !given:
		case !found:
			return Fault{}, &FaultError{Name: name, Key: cmp.Or(strings.TrimSpace(pair), noKey), Want: "want key=value"}
		default:
			settings = append(settings, Setting{strings.TrimSpace(key), strings.TrimSpace(value)})
		}
	}
	return NewFault(name, settings)
}

// NewFault makes a fault of its name and settings; what is not given has its default.
// An error is a *FaultError.
func NewFault(name string, settings []Setting) (Fault, error) {
	f := Fault{Name: name}
	kind, ok := kindOf(name)
	if !ok {
		var names []string
		for _, k := range Faults() {
			names = append(names, k.Name)
		}
		return f, &FaultError{Name: name, Want: strings.Join(names, ", ")}
	}
	var takes, set []string
	for field := range strings.FieldsSeq(kind.Keys) {
		key, value, defaulted := strings.Cut(field, "=")
		takes = append(takes, key)
		if defaulted {
			keyOf(key).set(&f, value)
		}
	}
	for _, s := range settings {
		switch {
		case !slices.Contains(takes, s.Key) && len(takes) == 0:
			return f, &FaultError{Name: name, Key: cmp.Or(s.Key, noKey), Want: "it takes no key"}
		case !slices.Contains(takes, s.Key):
			return f, &FaultError{Name: name, Key: cmp.Or(s.Key, noKey), Want: "no such key; it takes " + strings.Join(takes, ", ")}
		case slices.Contains(set, s.Key):
			return f, &FaultError{Name: name, Key: s.Key, Want: "given twice"}
		}
		if key := keyOf(s.Key); !key.set(&f, s.Value) {
			return f, &FaultError{Name: name, Key: s.Key, Value: s.Value, Want: key.want}
		}
		set = append(set, s.Key)
	}
	// What strikes frames strikes one of a stream, unless more is asked for.
	if slices.Contains(takes, "count") && !slices.Contains(set, "count") && f.P == 0 && f.For == 0 {
		f.Count = 1
	}
	return f, nil
}

// CheckFaults refuses faults that cannot be on together: no rail would be left, or a kind
// of which there is one at a time is given twice. An error is a *FaultError.
func CheckFaults(faults []Fault) error {
	for i, f := range faults {
		for _, g := range faults[:i] {
			if g.Name != f.Name {
				continue
			}
			switch f.Name {
			case faultRailMissing:
				if !sameOutput(f.Rail, g.Rail) {
					return &FaultError{Name: f.Name, Key: "rail", Value: f.Rail, Want: "a rail to be left beside " + g.Rail}
				}
			case faultDelay, faultSlowLine, faultMerged, faultSplit, faultWarmUp, faultGarbage, faultClockStep, faultHeaderMismatch:
				if g.Stream == 0 || f.Stream == 0 || g.Stream == f.Stream {
					return &FaultError{Name: f.Name, Key: "given twice", Want: "only the first would be on"}
				}
			}
		}
	}
	return nil
}

// String returns the fault as ParseFault reads it, with every key that its kind takes.
func (f Fault) String() string {
	kind, _ := kindOf(f.Name)
	var pairs []string
	for field := range strings.FieldsSeq(kind.Keys) {
		key, _, _ := strings.Cut(field, "=")
		if value := keyOf(key).get(&f); value != "" {
			pairs = append(pairs, key+"="+value)
		}
	}
	if len(pairs) == 0 {
		return f.Name
	}
	return f.Name + ":" + strings.Join(pairs, ",")
}

// HasFault reports whether one of faults has this name.
func HasFault(faults []Fault, name string) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool { return f.Name == name })
}
