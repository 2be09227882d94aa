package pairing

// Evidence is what shows that a target's power is the module's, or what shows
// that it is not, with the JSON keys of results.json.
type Evidence struct {
	Method    string  `json:"method"` // MethodBursts or MethodTyped
	Confirmed bool    `json:"confirmed"`
	DateUTC   string  `json:"date_utc,omitempty"`
	Module    string  `json:"module,omitempty"` // serial number
	Drive     string  `json:"drive,omitempty"`  // serial number; of one without, its target
	Why       string  `json:"why,omitempty"`    // why not, or why it had to be typed
	Bursts    []Burst `json:"bursts,omitempty"`

	// Unclear says that reads seem to show and something else in the power keeps them from
	// confirming: the same proof in another pattern may tell.
	Unclear bool `json:"-"`

	// Unanswered says that the samples or the reads were no good for a proof: nothing is
	// known for or against.
	Unanswered bool `json:"-"`
}

// Ways in which a pairing is known.
const (
	MethodBursts = "read_bursts"  // reads on the target showed in the module's power
	MethodTyped  = "typed_serial" // a person typed the drive's serial number
)

// Burst is one burst of reads and what the module saw of it.
type Burst struct {
	StartMonoNs int64    `json:"start_mono_ns"` // first read submitted
	EndMonoNs   int64    `json:"end_mono_ns"`   // last read completed
	Reads       int      `json:"reads"`
	DeltaW      *float64 `json:"delta_w,omitempty"`   // mean power inside minus that around it
	SigmaW      *float64 `json:"sigma_w,omitempty"`   // of DeltaW, from the power without IO
	OffsetMs    *float64 `json:"offset_ms,omitempty"` // where its power lies, against where its reads do; absent where none shows
}
