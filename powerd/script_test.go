package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// TestMain makes this test binary the program powerd itself when a script (or
// powerd, which starts itself again to serve a twin) calls it by that name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"powerd": main})
}

// TestScripts runs what users type, with a drive that is loaded: testdata/script holds a
// story a file, each opening with the case, the right answer, and why. They run one at a
// time, since most of them measure.
func TestScripts(t *testing.T) { runScripts(t, true) }

// TestScriptsWithoutDrive runs those in which no drive is loaded, one at a time beside the
// others: they wait more than they work.
func TestScriptsWithoutDrive(t *testing.T) { runScripts(t, false) }

func runScripts(t *testing.T, loaded bool) {
	t.Parallel()
	testscript.RunT(serial{t}, testscript.Params{
		Files:               scripts(t, loaded),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":       exits,      // exits CODE PROGRAM ARG…: run it, and hold it to this exit code
			"start":       start,      // start NAME PROGRAM ARG…: run it beside the script; it prints into NAME.out, NAME.err
			"ends":        ends,       // ends NAME CODE: wait for its end
			"signal":      signalTo,   // signal NAME INT|TERM|HUP|KILL
			"await":       await,      // await FILE REGEXP: until the file says so
			"on-terminal": onTerminal, // on-terminal FILE PROGRAM ARG…: run it on a terminal of 100 columns; FILE is what was shown
			"clean":       clean,      // nothing of powerd's is left: no process, no mount, no folder
			"sim":         simulated,  // sim NAME ARG…: an emulated module in a process of its own; $NAME is its port
			"twin":        twinned,    // twin NAME ARG…: a drive twin in a process of its own; $NAME is its module's port, $NAME_drive its drive
			"pty":         terminal,   // pty NAME silent|shell: something that is no module; $NAME is its port
			"server":      server,     // server NAME STATUS|down: an InfluxDB that answers with this; $NAME is its address
			"received":    received,   // received NAME OP COUNT: points that it has taken
			"get":         get,        // get FILE STATUS URL: ask a server; its answer into FILE
			"tmpfs":       tmpfs,      // tmpfs DIR BYTES: a disk of this size
			"cp-dir":      copyDir,    // cp-dir FROM TO
			"json":        jsonValue,  // json FILE PATH OP VALUE
			"let":         let,        // let NAME FILE PATH: $NAME is that value
			"near":        near,       // near FILE PATH FILE PATH TOLERANCE: 1%, an absolute one, or @PATH in the first file
			"not-below":   notBelow,   // not-below FILE PATH FILE PATH SLACK: the first is no smaller than the second
			"sql":         sqlValue,   // sql DATABASE QUERY OP VALUE
			"drop":        drop,       // drop PATTERN N: delete the Nth of these files, from 0
			"damage":      damage,     // damage PATTERN N: overwrite a stretch of it

			"steady-truth": steadyTruth, // steady-truth DIR: the steady window is the one that the twin's IO has
		},
	})
}

// scripts returns the scripts that load a drive, as they say by what they need, or the
// others.
func scripts(t *testing.T, loaded bool) (files []string) {
	t.Helper()
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("\n[!twin] skip")) == loaded {
			files = append(files, file)
		}
	}
	return files
}

// serial keeps scripts from running beside one another.
type serial struct{ *testing.T }

// Run implements testscript.T.
func (s serial) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(serial{t}) })
}

// Parallel implements testscript.T by doing nothing.
func (serial) Parallel() {}

// Verbose implements testscript.T.
func (serial) Verbose() bool { return testing.Verbose() }

// setup gives every script its own bench, and no settings of whoever runs it.
func setup(e *testscript.Env) error {
	b := newBench(e.WorkDir)
	e.Values[benchKey{}] = b
	e.Defer(b.close)
	e.Setenv("POWERD_STORE_PATH", filepath.Join(e.WorkDir, "powerd.db"))
	e.Setenv("POWERD_STATE", filepath.Join(e.WorkDir, "state"))
	if raceDetector { // which makes an emulated module too slow for 250,000 stripes a second
		e.Setenv("POWERD_SAMPLING_POWER_CYCLE", "32us")
	}
	return nil
}

// condition tells what a script may need beside a user's rights.
func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "long": // minutes on a machine that does nothing else
		return os.Getenv("POWERD_TEST_LONG") == "1", nil
	case "hangup": // a closed terminal is told of; under nohup it is not, and powerd heeds that
		return !signal.Ignored(unix.SIGHUP), nil
	case "timens": // a process can be given clocks of its own
		return exec.Command("unshare", "--time", "--monotonic", "1", "true").Run() == nil, nil
	case "twin": // a drive can be served, and an engine can load it
		_, err := exec.LookPath("fio")
		return err == nil && unix.Access("/dev/fuse", unix.R_OK|unix.W_OK) == nil, nil
	}
	return false, fmt.Errorf("no condition is called %s", name)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want := number(ts, neg, args, 2, "exits CODE PROGRAM ARG…")
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		code = -1
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			code = e.ExitCode()
		}
	}
	if code != want {
		ts.Fatalf("exit code %d (%v), want %d", code, err, want)
	}
}

// number reads the first of at least n arguments.
func number(ts *testscript.TestScript, neg bool, args []string, n int, usage string) int {
	if neg || len(args) < n {
		ts.Fatalf("usage: %s", usage)
	}
	v, err := strconv.Atoi(args[0])
	ts.Check(err)
	return v
}

func tmpfs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tmpfs DIR BYTES")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+args[1]))
	ts.Defer(func() { ts.Check(unix.Unmount(dir, unix.MNT_DETACH)) })
}

func copyDir(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cp-dir FROM TO")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

func sqlValue(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: sql DATABASE QUERY OP VALUE")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0])) // the driver is powerd's own
	ts.Check(err)
	defer db.Close()
	var got any
	ts.Check(db.QueryRow(args[1]).Scan(&got))
	hold(ts, args[1], got, args[2], args[3])
}

func drop(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.Remove(nth(ts, args)))
}

func damage(ts *testscript.TestScript, _ bool, args []string) {
	name := nth(ts, args)
	b, err := os.ReadFile(name)
	ts.Check(err)
	for i := len(b) / 3; i < len(b)/3+512 && i < len(b); i++ {
		b[i] ^= 0x5a
	}
	ts.Check(os.WriteFile(name, b, 0o644))
}

// nth returns one of the files that a pattern names.
func nth(ts *testscript.TestScript, args []string) string {
	if len(args) != 2 {
		ts.Fatalf("usage: drop|damage PATTERN N")
	}
	files, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	if n >= len(files) {
		ts.Fatalf("%d files are like %s", len(files), args[0])
	}
	return files[n] // Glob sorts them
}
