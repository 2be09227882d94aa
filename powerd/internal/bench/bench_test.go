package bench

import (
	"strings"
	"testing"

	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// A drive that is off draws 0 W, whoever it is: a plan that does not begin by
// switching it on is refused. A module that does not say whether it is on is
// believed to be, since many cannot.
func TestDriveWithoutPowerIsNotMeasured(t *testing.T) {
	on, off := true, false
	idle, cycle := suite.Step{Name: "idle", Kind: suite.Idle}, suite.Step{Name: "up", Kind: suite.PowerCycle}
	for _, c := range []struct {
		name string
		info quarch.Info
		plan suite.Plan
		want string // in the refusal; empty = none
	}{
		{"on", quarch.Info{Powered: &on, OutputMode: "5V"}, suite.Plan{idle}, ""},
		{"unknown", quarch.Info{}, suite.Plan{idle}, ""},
		{"off", quarch.Info{Powered: &off}, suite.Plan{idle, cycle}, "the drive is off"},
		{"off, switched on first", quarch.Info{Powered: &off}, suite.Plan{cycle, idle}, ""},
		{"output disabled", quarch.Info{Powered: &on, OutputMode: "DISABLED"}, suite.Plan{cycle, idle}, "output mode is DISABLED"},
	} {
		err := hasPower(c.info, c.plan)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
