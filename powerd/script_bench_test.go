package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func simulated(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: sim NAME ARG…")
	}
	start(ts, false, append([]string{args[0], "powerd", "sim"}, args[1:]...))
	says := filepath.Join(benchOf(ts).work, args[0]+".out")
	await(ts, false, []string{says, `^module .* on \S+\n`})
	port := regexp.MustCompile(`on (\S+)\n`).FindStringSubmatch(ts.ReadFile(says))
	ts.Setenv(args[0], port[1])
}

// twinned starts a drive twin, which is a module and a drive as far as anybody can
// tell from outside.
func twinned(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: twin NAME ARG…")
	}
	name, work := args[0], benchOf(ts).work
	dir := filepath.Join(work, name+"-mount")
	b := benchOf(ts)
	b.closers = append(b.closers, func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }) // if it was killed
	start(ts, false, append([]string{name, "powerd", "sim", "--twin", "seagate-1200-400", "--dir", dir}, args[1:]...))
	says := filepath.Join(work, name+".out")
	await(ts, false, []string{says, `at \S+\n`})
	found := regexp.MustCompile(`on (\S+)\n.* at (\S+)\n`).FindStringSubmatch(ts.ReadFile(says))
	ts.Setenv(name, found[1])
	ts.Setenv(name+"_drive", found[2])
}

// terminal opens a pseudo-terminal that no module is on: one that never says
// anything, or one with a login shell, as it stands on a server's console port.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || (args[1] != "silent" && args[1] != "shell") {
		ts.Fatalf("usage: pty NAME silent|shell")
	}
	master, slave, err := pty.Open()
	ts.Check(err)
	var answering sync.WaitGroup
	answering.Go(func() {
		if args[1] == "silent" {
			_, _ = io.Copy(io.Discard, master)
			return
		}
		answerAsShell(master)
	})
	b := benchOf(ts)
	b.closers = append(b.closers, func() { master.Close(); slave.Close(); answering.Wait() })
	ts.Setenv(args[0], slave.Name())
}

func onTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: on-terminal FILE PROGRAM ARG…")
	}
	cmd := command(ts, args[1:])
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	ts.Check(err)
	defer master.Close()
	var shown bytes.Buffer
	_, _ = io.Copy(&shown, master) // ends with EIO when the program has gone
	ts.Check(cmd.Wait())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), shown.Bytes(), 0o644))
}

// answerAsShell echoes each line and does not know it, until the terminal ends.
func answerAsShell(terminal io.ReadWriter) {
	lines := bufio.NewReader(terminal)
	for {
		line, err := lines.ReadString('\r')
		if err != nil {
			return
		}
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		fmt.Fprintf(terminal, "%s\n-sh: %q: not found\r\n# ", line, word)
	}
}

// counter counts points in lines of line protocol.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
}

func (c *counter) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// server makes an InfluxDB of the script answer with a status from now on, at the
// address that it first had.
func server(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: server NAME STATUS|down")
	}
	b := benchOf(ts)
	s := b.servers[args[0]]
	if s == nil {
		s = &influxStub{address: "127.0.0.1:0", points: &counter{}}
		b.servers[args[0]] = s
	}
	s.stop()
	l, err := net.Listen("tcp", s.address)
	ts.Check(err)
	s.address = l.Addr().String()
	ts.Setenv(args[0], "http://"+s.address)
	if args[1] == "down" {
		ts.Check(l.Close())
		return
	}
	status, err := strconv.Atoi(args[1])
	ts.Check(err)
	s.server = httptest.NewUnstartedServer(answerWith(status, s.points))
	s.server.Listener.Close()
	s.server.Listener = l
	s.server.Start()
}

func answerWith(status int, points *counter) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // its sender is gone
		}
		if status >= 300 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"code":"refused","message":"the server says %d"}`, status)
			return
		}
		points.add(strings.Count(strings.TrimSpace(string(body)), "\n") + 1)
		w.WriteHeader(status)
	})
}

func received(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || benchOf(ts).servers[args[0]] == nil {
		ts.Fatalf("usage: received NAME OP COUNT, after server NAME")
	}
	n := benchOf(ts).servers[args[0]].points.get()
	hold(ts, "points that "+args[0]+" has received", strconv.Itoa(n), args[1], args[2])
}
