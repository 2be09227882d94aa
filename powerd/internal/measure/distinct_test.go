package measure

import (
	"errors"
	"fmt"
	"testing"
)

// One cause that comes up again, bare or inside another, is kept where it came up
// first; what is new is added.
func TestDistinct(t *testing.T) {
	full, stuck := errors.New("disk full"), errors.New("module stuck")
	step := fmt.Errorf("step idle: %w", full)
	for _, c := range []struct {
		errs []error
		want string
	}{
		{nil, ""},
		{[]error{nil, full, nil}, "disk full"},
		{[]error{full, full}, "disk full"},
		{[]error{step, full, step}, "step idle: disk full"},
		{[]error{step, stuck, full}, "step idle: disk full\nmodule stuck"},
	} {
		got := ""
		if err := distinct(c.errs...); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q gives %q, want %q", c.errs, got, c.want)
		}
	}
}
