package analysis

// Waveform is a trace reduced to what can be drawn: min, mean and max of each of
// n equal columns of time. A column without samples has NaN in all three, and a
// line breaks there.
type Waveform struct {
	Name           string  // "5v_w": rail and quantity
	Label          string  // "5 V power"
	Unit           string  // "V", "A", "W", "IOPS", "MB/s"
	StartS         float64 // of the first column's left edge, seconds on the plot's axis
	StepS          float64 // seconds a column
	Min, Mean, Max []float64
}

// Limit is a line that a plot shows: a claim of the datasheet.
type Limit struct {
	Label string
	Unit  string
	Value float64
}
