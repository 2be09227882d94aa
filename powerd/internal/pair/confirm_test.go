package pair

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// Only the serial number itself confirms; case and spaces within it count, spaces around
// it do not. The question says why it is asked, and for what.
func TestConfirm(t *testing.T) {
	for _, c := range []struct {
		typed string
		want  bool
	}{
		{"Z1D0A2B3\n", true},
		{"  Z1D0A2B3 \r\n", true},
		{"Z1D0A2B3", true}, // end of input instead of a new line
		{"z1d0a2b3\n", false},
		{"Z1D0 A2B3\n", false},
		{"yes\n", false},
		{"\n", false},
		{"", false},
		{"\nZ1D0A2B3\n", false}, // one line counts
		{strings.Repeat(" ", 5000) + "Z1D0A2B3\n", false},
	} {
		var out strings.Builder
		got, err := Confirm(t.Context(), strings.NewReader(c.typed), &out, "The drive is off.", "Z1D0A2B3")
		if err != nil || got != c.want {
			t.Errorf("%.20q: %v, %v", c.typed, got, err)
		}
		if !strings.Contains(out.String(), "The drive is off.\n") || !strings.Contains(out.String(), "type its serial number, Z1D0A2B3: ") {
			t.Errorf("asked %q", out.String())
		}
	}
}

// Where nothing is known that could be typed, nothing confirms.
func TestConfirmNothing(t *testing.T) {
	if ok, err := Confirm(t.Context(), strings.NewReader("\n"), io.Discard, "why", ""); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// A terminal that breaks is an error; a Ctrl-C ends the question.
func TestConfirmEnds(t *testing.T) {
	in, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if ok, err := Confirm(ctx, in, io.Discard, "why", "Z1"); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v, %v", ok, err)
	}
	broken, end := io.Pipe()
	end.CloseWithError(errDrive)
	if ok, err := Confirm(t.Context(), broken, io.Discard, "why", "Z1"); ok || !errors.Is(err, errDrive) {
		t.Errorf("broken: %v, %v", ok, err)
	}
}
