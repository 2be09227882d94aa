package measure_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// orders is what was ordered, and fails where it is told to.
type orders struct {
	done  []string
	fails string
	took  time.Duration
}

func (o *orders) Do(ctx context.Context, _ string, st suite.Step) (results.Command, error) {
	o.done = append(o.done, st.Name)
	select {
	case <-time.After(o.took):
	case <-ctx.Done():
	}
	if st.Name == o.fails {
		return results.Command{Step: st.Name, Kind: st.Kind, ExitCode: 3}, errors.New("it ended badly")
	}
	return results.Command{Step: st.Name, Kind: st.Kind}, nil
}

// settings is a plan of two settings with an idle second in each, and the first again.
func settings() []suite.Step {
	command := func(name string) suite.Step {
		return suite.Step{Name: name, Group: name, Kind: suite.Command, Sampling: 1024 * time.Microsecond, Timeout: time.Minute}
	}
	restore := command("restore")
	low, high := command("low"), command("high")
	low.Undo, high.Undo = &restore, &restore
	idle := func(name, needs string) suite.Step {
		return suite.Step{Name: name, Group: name, Kind: suite.Idle, Duration: time.Second, Sampling: low.Sampling, Needs: needs}
	}
	return []suite.Step{low, idle("idle-low", "low"), high, idle("idle-high", "high"), restore}
}

// Commands are done in their order, each once, and stand in the results; what was put back by
// the plan is not put back again.
func TestCommandsAreDoneInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := newBench(t), &orders{took: 50 * time.Millisecond}
		b.commands = o
		d, err := b.run(t.Context(), settings()...)
		if err != nil || !slices.Equal(o.done, []string{"low", "high", "restore"}) {
			t.Errorf("%v, done %v", err, o.done)
		}
		if len(d.Commands) != 3 || d.Commands[1].Step != "high" || len(d.Idles) != 2 {
			t.Errorf("commands %+v, %d idles", d.Commands, len(d.Idles))
		}
	})
}

// A setting that was not made is measured by nobody, the others are, and the run has failed.
func TestNothingIsMeasuredUnderASettingThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := newBench(t), &orders{fails: "low"}
		b.commands = o
		d, err := b.run(t.Context(), settings()...)
		if !errors.Is(err, measure.ErrStep) || !slices.Equal(o.done, []string{"low", "high", "restore"}) {
			t.Errorf("%v, done %v", err, o.done)
		}
		if len(d.Idles) != 1 || d.Idles[0].Step != "idle-high" || d.Commands[0].ExitCode != 3 || d.Commands[0].Why != "it ended badly" {
			t.Errorf("idles %v, commands %+v", d.Idles, d.Commands)
		}
		if !slices.ContainsFunc(d.Warnings, func(w results.Warning) bool {
			return w.Code == "not_done" && strings.Contains(w.Text, "since step low failed")
		}) {
			t.Errorf("not told: %v", d.Warnings)
		}
	})
}

// A run that is interrupted under a setting makes the first one again before it ends.
func TestSettingIsPutBackAfterAnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := newBench(t), &orders{}
		b.commands = o
		ctx, stop := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer stop()
		d, _ := b.run(ctx, settings()...)
		if !slices.Equal(o.done, []string{"low", "restore"}) || d.Run.Outcome != results.Interrupted {
			t.Errorf("done %v, %s", o.done, d.Run.Outcome)
		}
	})
}

// Where that fails, too, the run says how the drive was left.
func TestSettingThatCannotBePutBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := newBench(t), &orders{fails: "restore"}
		b.commands = o
		ctx, stop := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer stop()
		d, err := b.run(ctx, settings()...)
		if err == nil || !strings.Contains(err.Error(), "the drive is left with another setting") || !strings.Contains(d.Run.Why, "it ended badly") {
			t.Errorf("%v; %s", err, d.Run.Why)
		}
	})
}

// A plan with commands is not begun where nobody does them.
func TestCommandsNeedSomebody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if _, err := newBench(t).run(t.Context(), settings()...); err == nil || !strings.Contains(err.Error(), "sends the drive commands") {
			t.Errorf("%v", err)
		}
	})
}
