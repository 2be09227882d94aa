package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
)

// claim makes dir, or takes an empty one. What stands in a folder already is
// somebody's, and a run would write over it.
func claim(dir string) (io.Closer, error) {
	if _, err := os.Stat(filepath.Join(dir, "capture")); err == nil {
		return nil, refuse("%s holds a run already; name another folder with --out, or remove it", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, refuse("make the run's folder: %w", err)
	}
	hold, err := results.Hold(dir)
	if err != nil {
		return nil, refusal(err)
	}
	switch entries, err := os.ReadDir(dir); {
	case err != nil:
		return nil, errors.Join(refuse("look into the run's folder: %w", err), hold.Close())
	case len(entries) > 0:
		return nil, errors.Join(refuse("%s is not empty (%s is in it); name a new folder with --out", dir, entries[0].Name()), hold.Close())
	}
	return hold, nil
}

// fill writes what is known before the first sample.
func fill(dir string, files map[string]string) error {
	if err := os.Mkdir(filepath.Join(dir, "engine"), 0o755); err != nil {
		return fmt.Errorf("make the run's folder: %w", err)
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
			return fmt.Errorf("write to the run's folder: %w", err)
		}
	}
	return nil
}

// The files that a run's folder begins with.
const (
	suiteFile  = "suite.yaml"
	configFile = "config.yaml"
)

// specify says what is measured, and holds the run's folder: a new one, or that of the
// run that is gone on with.
func (b *bench) specify(q *Request, meta results.Meta) (measure.Spec, io.Closer, error) {
	meta.Steps = planSum(q.Plan)
	if q.goesOn == nil {
		return b.prepare(q, meta)
	}
	return measure.Spec{
		Dir: q.goesOn.dir, Meta: q.goesOn.past.Meta, Plan: q.Plan, Target: b.target.Path,
		Resume: &measure.Resume{Past: q.goesOn.past, Leg: q.goesOn.leg(q.Version, b.fioVersion, q.Plan), Way: q.goesOn.way},
	}, q.goesOn.hold, nil
}

// discard takes back what fill wrote if nothing was measured, so that the same
// command can be given again once its mistake is mended.
func discard(dir string) {
	if _, err := os.Stat(filepath.Join(dir, "capture")); err == nil {
		return
	}
	for _, name := range []string{"engine", suiteFile, configFile, results.DriveFile, ""} {
		_ = os.Remove(filepath.Join(dir, name)) // a folder that is not empty stays
	}
}
