package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/resume"
	"powerd/powerd/internal/suite"
)

// Broken is a run that was broken off, held for this process alone.
type Broken struct {
	Suite *suite.Suite // as it was run
	Bench string       // "" = none was named

	dir  string
	hold io.Closer
	past *results.Past
	next results.Leg
	way  resume.Way
}

// OpenBroken opens the run in dir to go on with it, unless it is none that can be gone on
// with. Nothing is written, and neither module nor drive is asked.
func OpenBroken(dir string) (*Broken, error) {
	hold, err := results.Hold(dir)
	if err != nil {
		return nil, refusal(err)
	}
	r := &Broken{dir: dir, hold: hold}
	if err := r.read(); err != nil {
		return nil, errors.Join(refuse("go on with %s: %w", dir, err), hold.Close())
	}
	return r, nil
}

// Close lets others have the folder. The run that has gone on with it has done so already.
func (r *Broken) Close() error {
	if err := r.hold.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

func (r *Broken) read() (err error) {
	if r.past, err = results.ReadPast(r.dir); err != nil {
		return err
	}
	m := &r.past.Meta
	switch {
	case r.past.Over == results.Completed:
		return errors.New("the run is completed; `powerd analyze` computes its results again")
	case m.Drive.Interface == results.TwinInterface && m.Drive.Vendor == "twin":
		return errors.New("its drive was emulated by the run itself and is gone with all that was written to it; begin a new run (a drive that `powerd sim` serves in another shell outlives a run)")
	case m.BootID == "" || m.Steps == "":
		return fmt.Errorf("it was made by powerd %s, which did not write down what that takes; begin a new run", m.Run.PowerdVersion)
	}
	if err := r.sameSchema(); err != nil {
		return err
	}
	source, err := os.ReadFile(filepath.Join(r.dir, suiteFile))
	if err != nil {
		return fmt.Errorf("read its suite: %w", err)
	}
	if r.Suite, err = suite.Parse(filepath.Join(r.dir, suiteFile), source); err != nil {
		return err
	}
	if r.Suite.SHA256 != m.Suite.SHA256 {
		return fmt.Errorf("its %s was changed: it has SHA-256 %.12s…, and the run was begun with %.12s…; put the file back, or begin a new run", suiteFile, r.Suite.SHA256, m.Suite.SHA256)
	}
	r.Bench = m.Bench.Name
	r.next = r.past.Next(clock.Read(), clock.BootID())
	return nil
}

// sameSchema refuses results that another powerd has written in another shape.
func (r *Broken) sameSchema() error {
	b, err := os.ReadFile(filepath.Join(r.dir, results.File))
	if errors.Is(err, fs.ErrNotExist) { // no step had ended
		return nil
	}
	if err != nil {
		return fmt.Errorf("read its results: %w", err)
	}
	var d struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(b, &d); err != nil {
		return nil //nolint:nilerr // they are computed again from the samples
	}
	if d.Schema != results.Schema {
		return fmt.Errorf("its results have schema %q, and this powerd writes %q; go on with the powerd that began it (%s)", d.Schema, results.Schema, r.past.Meta.Run.PowerdVersion)
	}
	return nil
}

// GoOn makes a request that of going on with a run.
func (q *Request) GoOn(r *Broken) { q.goesOn, q.Out = r, r.dir }

// decide says what is still to be done of the plan; nothing to a run that begins.
func (r *Broken) decide(q *Request) (err error) {
	if r == nil {
		return nil
	}
	var done []resume.Done
	for _, s := range r.past.Steps {
		done = append(done, resume.Done{Step: s.Mark.Step, Outcome: s.Outcome})
	}
	if r.way, err = resume.Decide(q.Plan, done); err != nil {
		return refuse("go on with %s: %w; `powerd analyze %s` computes its results", r.dir, err, r.dir)
	}
	return nil
}

// ahead is what is still to be done of the plan.
func (q *Request) ahead() suite.Plan {
	if q.goesOn == nil {
		return q.Plan
	}
	return q.goesOn.way.Ahead(q.Plan)
}

func (r *Broken) again() []results.Repeated {
	if r == nil {
		return nil
	}
	return r.way.Again
}

// clock is that of the run.
func (r *Broken) clock() clock.Continued {
	if r == nil {
		return clock.Continued{}
	}
	return clock.Continued{MonoNs: r.next.ClockShiftNs, RawNs: r.next.RawShiftNs}
}

// leg is what is done of the run from now on.
func (r *Broken) leg(version, fioVersion string, plan suite.Plan) results.Leg {
	l := r.next
	now := r.clock().Read()
	l.StartMonoNs, l.StartedUTC = now.MonoNs, clock.UTC(now).Format(results.TimeFormat)
	l.PowerdVersion, l.FioVersion, l.Again = version, fioVersion, r.way.Again
	l.From = plan[r.way.From].Name
	return l
}

// sameRun refuses to go on with a run on anything else than what it was begun on.
func (b *bench) sameRun(q *Request) error {
	if q.goesOn == nil {
		return nil
	}
	now := b.meta(q.Suite, q.Version)
	now.Steps = planSum(q.Plan)
	if faults := differences(&q.goesOn.past.Meta, &now); len(faults) > 0 {
		return refuse("go on with %s: %s; what was measured stays as it is, and `powerd analyze` reads it", q.goesOn.dir, strings.Join(faults, "; "))
	}
	return nil
}

// differences says what a run that would begin now has otherwise than one that began then.
func differences(then, now *results.Meta) []string {
	var faults []string
	differs := func(what, was, is string) {
		if was != is {
			faults = append(faults, fmt.Sprintf("%s was %s, and is %s now", what, orHint(was, "none"), orHint(is, "none")))
		}
	}
	differs("the bench", then.Bench.Name, now.Bench.Name)
	differs("the module", then.Module.Serial, now.Module.Serial)
	if then.Drive.Serial == "" && now.Drive.Serial == "" {
		differs("the target", then.Drive.Target, now.Drive.Target)
	}
	differs("the drive", then.Drive.Serial, now.Drive.Serial)
	differs("the drive's firmware", then.Drive.Firmware, now.Drive.Firmware)
	differs("the suite's SHA-256", then.Suite.SHA256, now.Suite.SHA256)
	if then.Steps != now.Steps && then.Suite.SHA256 == now.Suite.SHA256 {
		faults = append(faults, fmt.Sprintf("settings (sampling, fio, off_time) or powerd (%s, now %s) make another plan of the suite", then.Run.PowerdVersion, now.Run.PowerdVersion))
	}
	return faults
}

// planSum names a plan: two that do the same have the same.
func planSum(p suite.Plan) string {
	b, err := json.Marshal(p)
	if err != nil { // of plain values
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// howOn says how a run that was interrupted goes on; "" if it cannot.
func (b *bench) howOn(dir string) string {
	if b.twin != nil {
		return ""
	}
	return fmt.Sprintf("; `powerd run --resume %s` goes on with it", dir)
}
