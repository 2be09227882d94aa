package realtime_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"powerd/quarch/realtime"
)

func policy(t *testing.T) uint32 {
	t.Helper()
	a, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a.Policy
}

// Where the process may, the thread of one goroutine has precedence, and a
// program that it starts has not.
func TestThreadHasPrecedenceAndItsChildrenHaveNot(t *testing.T) {
	done := make(chan struct{})
	go func() { // its thread ends with it
		defer close(done)
		if err := realtime.Thread(); err != nil {
			t.Log(err)
			return
		}
		if got := policy(t); got != unix.SCHED_RR {
			t.Errorf("policy %d, want %d", got, unix.SCHED_RR)
		}
		// Field 41 of stat is the policy; the name in field 2 has no space.
		stat, err := exec.CommandContext(t.Context(), "cat", "/proc/self/stat").Output()
		if err != nil {
			t.Error(err)
			return
		}
		if got := strings.Fields(string(stat))[40]; got != "0" {
			t.Errorf("a program that it started has policy %s, want 0", got)
		}
	}()
	<-done
	if got := policy(t); got != unix.SCHED_NORMAL {
		t.Errorf("policy %d of another thread, want %d", got, unix.SCHED_NORMAL)
	}
}

// processEnv makes the test binary the process of the next test.
const processEnv = "POWERD_TEST_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(processEnv) == "" {
		os.Exit(m.Run())
	}
	if err := realtime.Process(); err != nil {
		os.Exit(3)
	}
	ended := make(chan struct{})
	for range 8 { // more than there are threads
		go func() {
			b, err := os.ReadFile("/proc/thread-self/stat")
			if err != nil || strings.Fields(string(b[strings.LastIndexByte(string(b), ')'):]))[39] != "2" {
				os.Exit(1)
			}
			ended <- struct{}{}
		}()
	}
	for range 8 {
		<-ended
	}
}

// Threads that were there and threads that come later have it.
func TestProcessHasPrecedence(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), processEnv+"=1")
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() == 3 {
		t.Skip("this user may not take real-time priority")
	}
	if err != nil {
		t.Errorf("a thread of the process has no precedence: %v", err)
	}
}
