package results

import "testing"

// A disk needs ten seconds to start, and its step ended six after the power came on: the
// reason names both, so that the reader knows what to change.
func TestStepThatEndedBeforeTheDriveWasReady(t *testing.T) {
	s := step{powerOnNs: 100e9, end: StepResult{EndMonoNs: 106e9}, ready: &Ready{Tries: 31, FailedNs: 105_900e6, Why: "input/output error"}}
	ns, u95, why := s.answered()
	const want = "nothing could be read from the drive in the 6.0 s from its power-up to the end of the step (31 tries, the last: input/output error); " +
		"a drive that takes longer to start needs a longer duration of the step"
	if ns != 0 || u95 != 0 || why != want {
		t.Errorf("ready at %d ± %d ns, why %q, want %q", ns, u95, why, want)
	}
}
