package ppm_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"powerd/quarch/realtime"
	"powerd/quarch/sim"
)

// childEnv makes the test binary an emulated module: one in this process would
// stall together with its reader, and could never overrun.
const childEnv = "POWERD_TEST_MODULE"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	if err := beModule(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// beModule says where the module is, then answers each line with what really
// happened in its streams, until there are no more. Hardware does not wait for a
// processor: where it may, neither does this.
func beModule() error {
	precedence := realtime.Process()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var o sim.Options
	if strings.Contains(os.Getenv(childEnv), "no sync") {
		o.SyncFrames, o.SyncNs = math.MaxInt, -1
	}
	m := emulated(o)
	path, wait, err := m.ServePTY(ctx)
	if err != nil {
		return err
	}
	fmt.Println(path)
	if precedence != nil {
		fmt.Fprintln(os.Stderr, precedence)
	}
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		if err := json.NewEncoder(os.Stdout).Encode(m.Streams()); err != nil {
			return err
		}
	}
	cancel()
	return wait()
}

// child is an emulated module in a process of its own.
type child struct {
	path  string
	ask   *os.File
	lines *bufio.Scanner
}

// startChild starts a module, as the zero options or "no sync" say.
func startChild(t testing.TB, kind ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=module "+strings.Join(kind, " "))
	cmd.Stderr = os.Stderr
	in, ask, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd.Stdin = in
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ask.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the emulated module: %v", err)
		}
	})
	c := &child{ask: ask, lines: bufio.NewScanner(out)}
	c.path = c.line(t)
	return c
}

func (c *child) line(t testing.TB) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the emulated module has gone: %v", c.lines.Err())
	}
	return strings.TrimSpace(c.lines.Text())
}

// truth returns what really happened in the latest stream.
func (c *child) truth(t testing.TB) sim.StreamTruth {
	t.Helper()
	if _, err := c.ask.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	var streams []sim.StreamTruth
	if err := json.Unmarshal([]byte(c.line(t)), &streams); err != nil {
		t.Fatal(err)
	}
	if len(streams) == 0 {
		t.Fatal("the emulated module has not streamed")
	}
	return streams[len(streams)-1]
}
