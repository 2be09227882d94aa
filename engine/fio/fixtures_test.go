package fio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"powerd/engine"
)

// testdata holds output of real fio, one folder a run, named by fio's version
// and what it shows; those named traced hold when the kernel saw the first and
// the last IO. testdata/made holds small documents made by hand.

// fixtureStep is the step's name in staged folders.
const fixtureStep = "step"

// bootUnixMs is when the host of the staged runs is said to have booted: it
// turns the wall clock of a run's notes into a monotonic one.
const bootUnixMs = 1_796_060_000_000

// ended is the record of a process that ran from spawnMs to exitMs of Unix time.
func ended(spawnMs, exitMs int64, exitCode int) *record {
	return &record{
		Schema: recordSchema, Step: fixtureStep, Version: "fio-3.33", Ended: true, ExitCode: exitCode,
		SpawnUnixNs: spawnMs * msNs, ExitUnixNs: exitMs * msNs,
		SpawnMonoNs: (spawnMs - bootUnixMs) * msNs, ExitMonoNs: (exitMs - bootUnixMs) * msNs,
	}
}

// stage copies a run's files into a folder of their own, as Start would have
// left them. What the run printed is in its file stderr.
func stage(t *testing.T, fixture string, rec *record) engine.Job {
	t.Helper()
	dir := t.TempDir()
	names := files{dir, fixtureStep}
	for _, path := range glob(t, filepath.Join("testdata", fixture, "*")) {
		data := readFile(t, path)
		to := filepath.Join(dir, filepath.Base(path))
		switch filepath.Base(path) {
		case "out.json":
			to = names.output()
		case "stderr":
			rec.Printed = strings.Split(strings.TrimSpace(data), "\n")
			continue
		}
		writeFile(t, to, data)
	}
	if rec != nil {
		if err := rec.write(names.record()); err != nil {
			t.Fatal(err)
		}
	}
	return engine.Job{Step: fixtureStep, Dir: dir}
}

// stageDocument puts one document made by hand where a step's report is, with
// the record of a process that ended well after a second.
func stageDocument(t *testing.T, document string) engine.Job {
	t.Helper()
	dir := t.TempDir()
	names := files{dir, fixtureStep}
	writeFile(t, names.output(), document)
	if err := ended(1_796_061_000_000, 1_796_061_001_000, 0).write(names.record()); err != nil {
		t.Fatal(err)
	}
	return engine.Job{Step: fixtureStep, Dir: dir}
}

func made(t *testing.T, name string) string {
	t.Helper()
	return readFile(t, filepath.Join("testdata", "made", name))
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %s (%v)", pattern, err)
	}
	return paths
}

// mustLoad loads a step that succeeded.
func mustLoad(t *testing.T, job engine.Job) *engine.Result {
	t.Helper()
	res, err := load(job)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return res
}

// warned returns the text of the warning of that code, "" if there is none.
func warned(res *engine.Result, code string) string {
	for _, w := range res.Warnings {
		if w.Code == code {
			return w.Text
		}
	}
	return ""
}

// iops is the rate that a result stands for.
func iops(res *engine.Result) float64 {
	return float64(res.IOs()) / max(res.Read.Runtime, res.Write.Runtime).Seconds()
}

func within(got, want, relative float64) bool {
	return got >= want*(1-relative) && got <= want*(1+relative)
}

const second = time.Second
