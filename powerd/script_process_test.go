package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for what must come. It only bounds a
// failure: every wait ends with the event that it waits for.
const patience = 90 * time.Second

type benchKey struct{}

// bench is what a script runs beside itself.
type bench struct {
	work     string
	programs map[string]*program
	servers  map[string]*influxStub
	closers  []func()
}

// program runs beside a script.
type program struct {
	cmd  *exec.Cmd
	done chan struct{} // it has ended; cmd.ProcessState is set
}

func newBench(work string) *bench {
	return &bench{work: work, programs: map[string]*program{}, servers: map[string]*influxStub{}}
}

func benchOf(ts *testscript.TestScript) *bench { return ts.Value(benchKey{}).(*bench) }

// close ends what a script, having failed perhaps, has left.
func (b *bench) close() {
	for _, p := range b.programs {
		_ = p.cmd.Process.Kill() // it may have ended long ago
		<-p.done
	}
	for _, s := range b.servers {
		s.stop()
	}
	for _, c := range b.closers {
		c()
	}
}

func start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME PROGRAM ARG…")
	}
	b, name := benchOf(ts), args[0]
	cmd := command(ts, args[1:])
	out, err := os.Create(filepath.Join(b.work, name+".out"))
	ts.Check(err)
	defer out.Close()
	errOut, err := os.Create(filepath.Join(b.work, name+".err"))
	ts.Check(err)
	defer errOut.Close()
	cmd.Stdout, cmd.Stderr = out, errOut
	ts.Check(cmd.Start())
	p := &program{cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // its state tells
	}()
	b.programs[name] = p
	ts.Setenv(name+"_pid", strconv.Itoa(cmd.Process.Pid))
}

// command is a program of the script's PATH in the script's environment.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	ts.Check(ts.Exec("env", "-0"))
	env := strings.Split(strings.TrimRight(ts.ReadFile("stdout"), "\x00"), "\x00")
	return &exec.Cmd{Path: lookPath(ts, args[0]), Args: args, Env: env, Dir: ts.MkAbs(".")}
}

func lookPath(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && st.Mode()&0o111 != 0 {
			return path
		}
	}
	ts.Fatalf("no program is called %s", name)
	return ""
}

func ends(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ends NAME CODE (-1: by a signal)")
	}
	b := benchOf(ts)
	p := b.programs[args[0]]
	if p == nil {
		ts.Fatalf("nothing called %s was started", args[0])
	}
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // says where it hangs
		<-p.done
	}
	ts.Logf("%s", ts.ReadFile(filepath.Join(b.work, args[0]+".err")))
	if got := strconv.Itoa(p.cmd.ProcessState.ExitCode()); got != args[1] {
		ts.Fatalf("%s: exit code %s, want %s", args[0], got, args[1])
	}
}

func signalTo(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL, "HUP": syscall.SIGHUP}
	if neg || len(args) != 2 || signals[args[1]] == nil {
		ts.Fatalf("usage: signal NAME INT|TERM|HUP|KILL")
	}
	p := benchOf(ts).programs[args[0]]
	if p == nil {
		ts.Fatalf("nothing called %s was started", args[0])
	}
	ts.Check(p.cmd.Process.Signal(signals[args[1]]))
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE REGEXP")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	var last []byte
	ok := until(patience, func() bool {
		last, err = os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && re.Match(last)
	})
	if !ok {
		ts.Fatalf("%s does not come to say %s: %v\n%s", args[0], args[1], err, last)
	}
}

// until waits for something to be so.
func until(most time.Duration, so func() bool) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	enough := time.After(most)
	for !so() {
		select {
		case <-tick.C:
		case <-enough:
			return so()
		}
	}
	return true
}

// cleanWithin is how soon powerd has to have cleaned up after whatever death.
const cleanWithin = 5 * time.Second

func clean(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 || (len(args) == 1 && args[0] != "running") {
		ts.Fatalf("usage: clean [running]")
	}
	b := benchOf(ts)
	var left []string
	if !until(cleanWithin, func() bool {
		left = b.left()
		if len(args) == 1 { // an empty folder is the next run's to take away
			left = slices.DeleteFunc(left, func(what string) bool { return strings.HasPrefix(what, "folder ") })
		}
		return len(left) == 0
	}) {
		ts.Fatalf("left behind: %s", strings.Join(left, "; "))
	}
}

// left lists what still runs in the script's name but was not started by it, what
// is mounted in its folder, and folders of twins.
func (b *bench) left() []string {
	var out []string
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return []string{err.Error()}
	}
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 2 && strings.HasPrefix(f[1], b.work) && strings.HasPrefix(f[2], "fuse") {
			out = append(out, "mount "+f[1])
		}
	}
	folders, err := filepath.Glob(filepath.Join(b.work, ".tmp", "powerd-twin-*"))
	if err != nil {
		return []string{err.Error()}
	}
	for _, f := range folders {
		out = append(out, "folder "+f)
	}
	mine := map[string]bool{}
	for _, p := range b.programs {
		mine[strconv.Itoa(p.cmd.Process.Pid)] = true
	}
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return []string{err.Error()}
	}
	for _, dir := range processes {
		env, err := os.ReadFile(dir + "/environ")
		if err != nil || mine[filepath.Base(dir)] || !bytes.Contains(env, []byte("WORK="+b.work+"\x00")) {
			continue
		}
		command, err := os.ReadFile(dir + "/cmdline")
		if len(command) > 0 && !errors.Is(err, os.ErrNotExist) {
			out = append(out, fmt.Sprintf("process %s", bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
		}
	}
	return out
}

// influxStub answers as a test wants an InfluxDB to.
type influxStub struct {
	address string
	server  *httptest.Server // nil: nothing listens
	points  *counter
}

func (s *influxStub) stop() {
	if s.server != nil {
		s.server.Close()
		s.server = nil
	}
}
