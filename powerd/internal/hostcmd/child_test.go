package hostcmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain makes this test program the child that a test asks for.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "echo": // until its input ends, as a child should
			_, _ = io.Copy(os.Stdout, os.Stdin)
			return
		case "stubborn": // does not care
			signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
			fmt.Println("ready")
			<-time.After(time.Hour)
		case "fail":
			fmt.Fprint(os.Stderr, strings.Repeat("much ado\n", 1000), "powerd: the last word\n\n")
			os.Exit(3)
		case "parent": // has a child of its own, and waits to be killed
			c, err := Self("echo")
			if err != nil {
				panic(err)
			}
			fmt.Println(c.Pid())
			<-time.After(time.Hour)
		}
	}
	os.Exit(m.Run())
}

func start(t *testing.T, args ...string) *Child {
	t.Helper()
	c, err := Self(args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // whatever the test did
		_ = c.cmd.Process.Kill()
		<-c.Done()
	})
	return c
}

func line(t *testing.T, r io.Reader) string {
	t.Helper()
	s, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(s)
}

// A child talks over its pipes while it runs, and its end is asked for by the end of
// its input. Asking twice is no harm.
func TestChildTalksAndStops(t *testing.T) {
	c := start(t, "echo")
	fmt.Fprintln(c.In, "hello")
	if got := line(t, c.Out); got != "hello" {
		t.Errorf("the child said %q", got)
	}
	if err := c.Err(); err != nil {
		t.Errorf("a child that runs has ended badly: %v", err)
	}
	for range 2 {
		if err := c.Stop(t.Context()); err != nil {
			t.Errorf("stop: %v", err)
		}
	}
	select {
	case <-c.Done():
	default:
		t.Error("it has been stopped and is not done")
	}
}

// A child that does not go is killed when the patience of the caller ends, and that is
// an error, each time it is asked.
func TestStubbornChildIsKilled(t *testing.T) {
	c := start(t, "stubborn")
	line(t, c.Out)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for range 2 {
		if err := c.Stop(ctx); err == nil || !strings.Contains(err.Error(), "powerd stubborn: signal: killed") {
			t.Errorf("stop: %v, want the child's name and its end", err)
		}
	}
}

// A child that fails says why in its last line: that, its code and its name are the
// error, not the 9000 bytes before.
func TestFailingChildsLastWord(t *testing.T) {
	c := start(t, "fail")
	<-c.Done()
	const want = "powerd fail: the last word (exit status 3)"
	if err := c.Err(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// A parent that is killed outright leaves no child behind: its input has ended.
func TestChildGoesWithItsParent(t *testing.T) {
	parent := start(t, "parent")
	child, err := strconv.Atoi(line(t, parent.Out))
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(20 * time.Second)
	for !gone(child) {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			t.Fatalf("process %d is still there", child)
		}
	}
}

// gone reports whether a process has ended, be it collected or not.
func gone(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "X")
}
