package catalog

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"powerd/engine/twin/model"
	"powerd/powerd/internal/twinfile"
	"powerd/quarch"
)

// What a client orders of a module's outputs the drive feels: without one of its rails, or
// with 3.3 V where it wants 5, it serves nothing, and after the rails are back it starts up.
// The published drive is ready 3.28 s after its power came on.
func TestDriveFeelsItsModule(t *testing.T) {
	c, err := twinfile.Find("seagate-1200-400")
	if err != nil {
		t.Fatal(err)
	}
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var nowNs atomic.Int64
	nowNs.Store(100e9)
	now := nowNs.Load
	d.SetPower(now()-10e9, true) // it has been on for a while
	order := orders(t, NewSim(SimOptions{}, d, now))
	for _, x := range []struct {
		order string
		after int64 // ns
		ready bool
	}{
		{"sig:5v:volt 5100", 1e9, true},
		{"sig:12v:volt 0", 1e9, false},
		{"sig:12v:volt 12000", 3.2e9, false},
		{"hello?", 0.1e9, true},
		{"conf:out:mode 3v3", 1e9, false},
		{"conf:out:mode 5v", 3.3e9, true},
		{"config:default state", 1e9, false}, // the rails are off, as after a start
		{"run:power up", 3.3e9, true},
		{"run:power down", 1e9, false},
	} {
		if got := order(x.order); strings.HasPrefix(got, "FAIL") {
			t.Fatalf("%s was answered %q", x.order, got)
		}
		nowNs.Add(x.after)
		if d.Ready(now()) != x.ready {
			t.Errorf("%.1f s after %s the drive's readiness is %v, want %v", float64(x.after)*1e-9, x.order, !x.ready, x.ready)
		}
	}
}

// orders returns what asks a module on its terminal link.
func orders(t *testing.T, m *Sim) func(line string) string {
	t.Helper()
	near, far := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.Serve(t.Context(), far, quarch.LinkTerminal)
	}()
	t.Cleanup(func() {
		near.Close()
		<-ended
	})
	return func(line string) string {
		if _, err := io.WriteString(near, line+"\r\n"); err != nil {
			t.Fatal(err)
		}
		var got []byte
		buf := make([]byte, 4096)
		for !strings.HasSuffix(string(got), "\r\n>") {
			n, err := near.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, buf[:n]...)
		}
		_, reply, _ := strings.Cut(strings.TrimSuffix(string(got), "\r\n>"), "\r\n")
		return reply
	}
}
