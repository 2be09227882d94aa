package suite

// What a run does after a step that failed.
const (
	Continue = "continue" // go on with the next one
	Stop     = "stop"     // end, with all that was measured
)

// onFailure refuses what is neither.
func (c *checker) onFailure(line int, v string) {
	if v != "" && v != Continue && v != Stop {
		c.fault(line, "on_failure: %q: it is %s or %s", v, Continue, Stop)
	}
}
