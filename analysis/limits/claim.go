package limits

import (
	"fmt"
	"strconv"

	"powerd/analysis"
	"powerd/engine"
)

// Kinds of claims.
const (
	KindMax     = "max"
	KindMin     = "min"
	KindTypical = "typical"
)

// RailTotal stands for all rails of the drive together.
const RailTotal = "total"

// Quantities that a claim may speak of.
const (
	StartCurrent = "start_current"
	StartPower   = "start_power"
	IdlePower    = "idle_power"
	IdleCurrent  = "idle_current"
	SleepPower   = "sleep_power"
	ActivePower  = "active_power"
	IOPS         = "iops"
	Throughput   = "throughput"
	LatencyMean  = "latency_mean"
	Endurance    = "endurance"
)

// Quantity says what a claim's figure is.
type Quantity struct {
	Name     string
	About    string // for people: "start current"
	Unit     string // of its figures
	OneRail  bool   // it is of one rail; else of one or of all together
	Windowed bool   // it is the highest mean over a window of time
	Loaded   bool   // it may be of a workload
	IO       bool   // it is the IO's own: of a workload, of no rail
	Planning bool   // no run measures it: it tells what a suite costs the drive
}

// Quantities lists all that a claim may speak of.
func Quantities() []Quantity {
	return []Quantity{
		{Name: StartCurrent, About: "start current", Unit: "A", OneRail: true, Windowed: true},
		{Name: StartPower, About: "start power", Unit: "W", Windowed: true},
		{Name: IdlePower, About: "idle power", Unit: "W"},
		{Name: IdleCurrent, About: "idle current", Unit: "A", OneRail: true},
		{Name: SleepPower, About: "sleep power", Unit: "W"},
		{Name: ActivePower, About: "power under load", Unit: "W", Loaded: true},
		{Name: IOPS, About: "IOPS", Unit: "IOPS", Loaded: true, IO: true},
		{Name: Throughput, About: "throughput", Unit: "MB/s", Loaded: true, IO: true},
		{Name: LatencyMean, About: "mean latency", Unit: "µs", Loaded: true, IO: true},
		{Name: Endurance, About: "rated endurance: what may be written in all", Unit: "TB", Planning: true},
	}
}

// QuantityOf returns a quantity by its name.
func QuantityOf(name string) (Quantity, bool) {
	for _, q := range Quantities() {
		if q.Name == name {
			return q, true
		}
	}
	return Quantity{}, false
}

// Workload is what a claim's IO is. What is 0 or empty is not said.
type Workload struct {
	RW         string // "randread"
	BlockBytes int64
	ReadPct    int // of rw and randrw
	QD         int
	State      string // "fresh", "steady"
}

// Claim is what a datasheet says.
type Claim struct {
	Name     string // "start-current-12v"
	What     string // for people: "start current, 12 V"
	Quantity string
	Kind     string  // KindMax, KindMin or KindTypical
	Limit    float64 // in Unit
	Unit     string  // the quantity's
	Rail     string  // "5v", RailTotal; "" where the quantity is of no rail
	WindowUs float64 // of the mean that the claim speaks of; 0 = none named
	Workload *Workload
	Source   string // where it is published
}

// Text says a claim for people: "at most 0.7 A".
func (c Claim) Text() string {
	words := map[string]string{KindMax: "at most ", KindMin: "at least ", KindTypical: "typically "}
	return words[c.Kind] + analysis.FormatValue(c.Limit, 0, significant(c.Limit)) + " " + c.Unit
}

// significant returns how many digits show a limit as it was written.
func significant(x float64) int {
	for digits := 1; digits < 10; digits++ {
		if rounded(x, digits) == x {
			return digits
		}
	}
	return 10
}

func (c Claim) windowed() bool {
	q, _ := QuantityOf(c.Quantity)
	return q.Windowed
}

// WorkloadKinds lists what RW of a Workload may be.
func WorkloadKinds() []string { return engine.RWKinds() }

// Mixed reports whether the workload reads and writes.
func (w Workload) Mixed() bool { return engine.Mixed(w.RW) }

// Text says a workload for people: "randread 4k, queue depth 32, steady".
func (w Workload) Text() string {
	size := strconv.FormatInt(w.BlockBytes, 10)
	for _, u := range []struct {
		suffix string
		bytes  int64
	}{{"m", 1 << 20}, {"k", 1 << 10}} {
		if w.BlockBytes >= u.bytes && w.BlockBytes%u.bytes == 0 {
			size = strconv.FormatInt(w.BlockBytes/u.bytes, 10) + u.suffix
			break
		}
	}
	text := w.RW + " " + size
	if w.Mixed() {
		text += fmt.Sprintf(" %d %% reads", w.ReadPct)
	}
	if w.QD > 0 {
		text += fmt.Sprintf(", queue depth %d", w.QD)
	}
	if w.State != "" {
		text += ", " + w.State
	}
	return text
}
