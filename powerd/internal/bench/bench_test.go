package bench

import (
	"strings"
	"testing"
	"time"

	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/host"
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
		err := hasPower("left", c.info, c.plan)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A run whose module comes back goes on with the very module, if it has not restarted, which
// switches its outputs off, and if they are on.
func TestOnlyTheModuleThatWasGoesOn(t *testing.T) {
	b := bench{info: quarch.Info{Serial: "QTL1999-02-001", RuntimeS: new(5000.0)}, openedNs: clock.Mono()}
	for _, c := range []struct {
		name string
		info quarch.Info
		want string // in the refusal; empty = none
	}{
		{"the same", quarch.Info{Serial: "QTL1999-02-001", RuntimeS: new(5003.0), Powered: new(true)}, ""},
		{"one that says little", quarch.Info{Serial: "QTL1999-02-001"}, ""},
		{"another", quarch.Info{Serial: "QTL1999-02-002", RuntimeS: new(5003.0), Powered: new(true)}, "is QTL1999-02-002, not QTL1999-02-001"},
		{"restarted", quarch.Info{Serial: "QTL1999-02-001", RuntimeS: new(2.0), Powered: new(true)}, "restarted meanwhile"},
		{"off", quarch.Info{Serial: "QTL1999-02-001", RuntimeS: new(5003.0), Powered: new(false)}, "its outputs are off; nothing was switched"},
	} {
		err := b.sameModule(c.info)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A bench says how long its drive is without power at least, and a disk needs 12 s
// between two spin-ups; a suite that asks for longer gets longer.
func TestDriveIsOffLongEnough(t *testing.T) {
	plan := suite.Plan{{Kind: suite.PowerCycle, OffTime: 2 * time.Second}, {Kind: suite.Idle}, {Kind: suite.PowerCycle, OffTime: time.Minute}}
	for _, tc := range []struct {
		name string
		b    bench
		want [3]time.Duration
	}{
		{"as the bench says", bench{cfg: config.Bench{OffTime: 10 * time.Second}}, [3]time.Duration{10 * time.Second, 0, time.Minute}},
		{"a disk", bench{cfg: config.Bench{OffTime: 10 * time.Second}, drive: &datasheet.Sheet{SpinUp: true}}, [3]time.Duration{12 * time.Second, 0, time.Minute}},
		{"a disk by the kernel's word", bench{cfg: config.Bench{OffTime: 10 * time.Second}, target: host.Target{Spins: true}}, [3]time.Duration{12 * time.Second, 0, time.Minute}},
		{"no bench", bench{}, [3]time.Duration{2 * time.Second, 0, time.Minute}},
	} {
		for i, st := range longEnoughOff(plan, tc.b.offTime()) {
			if st.OffTime != tc.want[i] {
				t.Errorf("%s: step %d is off for %v, want %v", tc.name, i, st.OffTime, tc.want[i])
			}
		}
	}
	if plan[0].OffTime != 2*time.Second {
		t.Error("the suite's own plan was changed")
	}
}
