package drivecmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"powerd/engine/target"
	"powerd/powerd/internal/host"
	"powerd/powerd/internal/hostcmd"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// folder of a run holds what programs printed.
const folder = "commands"

// Drive is what commands are for.
type Drive struct {
	Target   string       // as the bench names it
	Serial   string       // that it must have to be erased; emulated ones have none
	Emulated bool         // Target is the file of an emulated drive
	Now      func() int64 // host CLOCK_MONOTONIC in ns
}

// Check refuses a step that could not be done, before anything is: its program is missing,
// it is another kind of drive's, or the drive must not be erased.
func (d *Drive) Check(st suite.Step) error {
	if st.Kind == suite.Purge {
		if err := d.mayPurge(st); err != nil {
			return err
		}
	}
	if len(st.Argv) == 0 {
		return nil
	}
	if st.Argv[0] == suite.OwnersCommand {
		return fmt.Errorf("step %s: the suite leaves its command to the drive's owner: put that of %s in place of %s into a copy of the suite", st.Name, d.Target, suite.OwnersCommand)
	}
	if _, err := hostcmd.Find(st.Argv[0]); err != nil {
		return fmt.Errorf("step %s: %w", st.Name, err)
	}
	t, err := host.Look(d.Target)
	if err == nil && filepath.Base(st.Argv[0]) == "nvme" && t.Interface != "nvme" {
		return fmt.Errorf("step %s runs %s, and %s is no NVMe drive: put the command of this drive into a copy of the suite",
			st.Name, strings.Join(st.Argv, " "), d.Target)
	}
	return nil
}

// mayPurge refuses a target that is not surely the drive that may be erased.
func (d *Drive) mayPurge(st suite.Step) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("step %s would erase %s: %s", st.Name, d.Target, fmt.Sprintf(format, args...))
	}
	if !d.Emulated {
		t, err := host.Look(d.Target)
		switch {
		case err != nil:
			return refuse("%v", err)
		case len(st.Argv) == 0:
			return refuse("give the step its command, e.g. argv: [nvme, format, \"{device}\", --ses=1, --force]")
		case t.Block == "" || !strings.HasPrefix(d.Target, "/dev/disk/by-id/"):
			return refuse("its name may be another drive's; name it by its stable path under /dev/disk/by-id in the bench")
		case d.Serial == "" || t.Serial != d.Serial:
			return refuse("its serial number is %q, and target_serial of the bench says %q: write the number of the drive that may be erased there", t.Serial, d.Serial)
		}
	}
	if err := target.CheckWrite(d.Target); err != nil {
		return refuse("%v", err)
	}
	return nil
}

// Do does a step, and leaves what its program printed in the run's folder.
func (d *Drive) Do(ctx context.Context, dir string, st suite.Step) (done results.Command, err error) {
	done = results.Command{Step: st.Name, Kind: st.Kind, ExitCode: -1, StartMonoNs: d.Now()}
	defer func() { done.EndMonoNs = d.Now() }()
	if err := d.Check(st); err != nil { // hours may have passed
		return done, err
	}
	if len(st.Argv) == 0 {
		if !d.Emulated {
			return done, fmt.Errorf("step %s has no command", st.Name)
		}
		if err := hostcmd.Discard(d.Target); err != nil {
			return done, err
		}
		done.ExitCode = 0
		return done, nil
	}
	if done.Argv, err = d.argv(st.Argv); err != nil {
		return done, err
	}
	return done, d.run(ctx, dir, st, &done)
}

// run runs a program with its output in files.
func (d *Drive) run(ctx context.Context, dir string, st suite.Step, done *results.Command) error {
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
		return fmt.Errorf("keep the output of step %s: %w", st.Name, err)
	}
	done.Stdout, done.Stderr = filepath.Join(folder, st.Name+".out"), filepath.Join(folder, st.Name+".err")
	stdout, err := os.Create(filepath.Join(dir, done.Stdout))
	if err != nil {
		return fmt.Errorf("keep the output of step %s: %w", st.Name, err)
	}
	defer stdout.Close()
	stderr, err := os.Create(filepath.Join(dir, done.Stderr))
	if err != nil {
		return fmt.Errorf("keep the output of step %s: %w", st.Name, err)
	}
	defer stderr.Close()
	ended, err := hostcmd.Run(ctx, hostcmd.Command{Argv: done.Argv, Timeout: st.Timeout, Stdout: stdout, Stderr: stderr})
	done.ExitCode, done.TimedOut = ended.ExitCode, ended.TimedOut
	if err != nil {
		return fmt.Errorf("%w; what it printed is in %s", err, folder)
	}
	return nil
}

// argv puts the drive's paths into arguments.
func (d *Drive) argv(asked []string) ([]string, error) {
	device := d.Target
	if strings.Contains(strings.Join(asked, " "), "{device}") {
		real, err := filepath.EvalSymlinks(d.Target)
		if err != nil {
			return nil, fmt.Errorf("find the device of %s: %w", d.Target, err)
		}
		device = real
	}
	put := strings.NewReplacer("{target}", d.Target, "{device}", device)
	out := make([]string, len(asked))
	for i, a := range asked {
		out[i] = put.Replace(a)
	}
	return out, nil
}
