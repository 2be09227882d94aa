package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// prepareRun checks what somebody asks for over the network. Whoever asks names no files:
// what may be read and written are the built-in files and the folder of runs.
func (s *served) prepareRun(q daemon.RunRequest) (daemon.Prepared, error) {
	su, err := askedSuite(q.Suite)
	if err != nil {
		return daemon.Prepared{}, err
	}
	if q.Drive != "" && !slices.Contains(datasheet.Names(), q.Drive) {
		return daemon.Prepared{}, fmt.Errorf("no drive file %q is built in; there is: %s", q.Drive, strings.Join(datasheet.Names(), ", "))
	}
	cfg, err := s.allowing(q)
	if err != nil {
		return daemon.Prepared{}, err
	}
	scale, err := readScale(q.Scale)
	if err != nil {
		return daemon.Prepared{}, err
	}
	d := planDefaults(cfg, catalog.TwinFacts{})
	d.Scale = scale
	plan := su.Plan(d)
	if err := bench.Allowed(cfg.Benches[q.Bench], plan); err != nil {
		return daemon.Prepared{}, err
	}
	r := bench.Request{Config: cfg, Bench: q.Bench, Suite: su, Scale: scale, Plan: plan, Drive: q.Drive, Version: version(), Log: s.log.With("bench", q.Bench)}
	if q.Out != "" {
		if filepath.Base(q.Out) != q.Out || !filepath.IsLocal(q.Out) || q.Out == "." {
			return daemon.Prepared{}, fmt.Errorf("out: %q is no name of a folder; it lies in the folder of runs, %s", q.Out, cfg.Out)
		}
		r.Out = filepath.Join(cfg.Out, q.Out)
	}
	return daemon.Prepared{Suite: su.Name, Run: func(ctx context.Context, m quarch.Module, tell daemon.Tell) (string, error) {
		r := r
		r.Module, r.Show = m, tell.Status
		r.Begin = func(b bench.Begun) { tell.Begun(b.Dir) }
		_, err := bench.Run(ctx, r)
		return outcome(err), err
	}}, nil
}

// askedSuite is a built-in suite, or the text of one.
func askedSuite(text string) (*suite.Suite, error) {
	if slices.Contains(suite.Names(), text) {
		return suite.Find(text)
	}
	if !strings.Contains(text, ":") { // a suite's text has keys
		return nil, fmt.Errorf("no suite %q is built in; there is: %s; or send the text of a suite file", text, strings.Join(suite.Names(), ", "))
	}
	su, err := suite.Parse("suite", []byte(text))
	if err != nil {
		return nil, err
	}
	for _, st := range su.Steps {
		if st.Fio != nil && st.Fio.File != "" {
			return nil, fmt.Errorf("step %s: fio.file: a powerd that serves runs no job files, which could name any file and program; write the job into the suite, or stop powerd and run it by hand", st.Name)
		}
	}
	return su, nil
}

// allowing returns the settings, with no more consent than the request wants.
func (s *served) allowing(q daemon.RunRequest) (*config.Config, error) {
	b, err := s.cfg.Bench(q.Bench)
	if err != nil || q.Allow == nil {
		return s.cfg, err
	}
	for _, deed := range q.Allow {
		if !slices.Contains(b.Consent, deed) {
			return nil, fmt.Errorf("allow: bench %s does not consent to %q, and a request cannot; its owner does in the settings", q.Bench, deed)
		}
	}
	cfg := *s.cfg
	b.Consent = q.Allow
	cfg.Benches = map[string]config.Bench{q.Bench: b}
	return &cfg, nil
}

// outcome is that of a run which ended with err.
func outcome(err error) string {
	var refused *bench.RefusalError
	switch {
	case err == nil:
		return results.Completed
	case errors.Is(err, bench.ErrInterrupted):
		return results.Interrupted
	case errors.As(err, &refused):
		return daemon.Refused
	}
	return results.Failed
}
