package catalog

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/store"
	"powerd/quarch"
)

// The twins have names, in order, and a name that is none is answered with all of them.
func TestTwinsByName(t *testing.T) {
	names := TwinNames()
	if !slices.Contains(names, "seagate-1200-400") || !slices.IsSorted(names) {
		t.Errorf("twins %q", names)
	}
	_, err := OpenTwin(t.Context(), TwinOptions{Name: "quantum-fireball", Now: clock.Mono})
	if err == nil || !strings.Contains(err.Error(), `"quantum-fireball"`) {
		t.Fatalf("error %v does not name the twin", err)
	}
	for _, name := range names {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error %v does not list %s", err, name)
		}
	}
}

// emulated serves a module with a constant load on TCP and returns its address.
func emulated(t *testing.T, serial string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	address, wait, err := NewSim(SimOptions{Serial: serial}, ConstantLoad(), clock.Mono).ServeTCP(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
	return address
}

// "tcp:" in front of an address opens it on the network, where the link is framed
// whatever the settings say of a serial port.
func TestModuleOnTheNetwork(t *testing.T) {
	m, err := OpenModule(t.Context(), ModuleOptions{Port: "tcp:" + emulated(t, "QTL1999-02-042"), Link: quarch.LinkTerminal, Timeout: 10 * time.Second, Now: clock.Mono})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	info, err := m.Info(t.Context())
	if err != nil || info.Serial != "QTL1999-02-042" || info.Link != quarch.LinkFramed || !strings.HasPrefix(info.Port, "tcp:") {
		t.Errorf("%+v, %v", info, err)
	}
}

// What is not there is an error that names it, and no module: an interface that holds
// an empty one would pass for one.
func TestModuleThatIsNotThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	listener.Close()
	for _, port := range []string{filepath.Join(t.TempDir(), "ttyUSB7"), "tcp:" + closed} {
		m, err := OpenModule(t.Context(), ModuleOptions{Port: port, Timeout: time.Second, Now: clock.Mono})
		if err == nil || m != nil || !strings.Contains(err.Error(), strings.TrimPrefix(port, "tcp:")) {
			t.Errorf("%s: %v, %v", port, m, err)
		}
	}
}

// Asked for one port, the answer is of that port: who is there, or why nobody is.
func TestFindOnOnePort(t *testing.T) {
	port := "tcp:" + emulated(t, "QTL1999-02-043")
	found, err := FindModules(t.Context(), ModuleOptions{Port: port, Timeout: 10 * time.Second, Now: clock.Mono}, "")
	if err != nil || len(found) != 1 || found[0].Port != port || found[0].Err != nil || found[0].Info.Serial != "QTL1999-02-043" {
		t.Errorf("%+v, %v", found, err)
	}
	missing := filepath.Join(t.TempDir(), "ttyUSB7")
	found, err = FindModules(t.Context(), ModuleOptions{Port: missing, Timeout: time.Second, Now: clock.Mono}, "")
	if err != nil || len(found) != 1 || found[0].Port != missing || found[0].Err == nil {
		t.Errorf("%+v, %v", found, err)
	}
}

// The database is made where it is asked for, with its folder. A place where
// it cannot be made is an error that names it.
func TestStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "powerd.db")
	s, err := OpenStores(t.Context(), StoreOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(t.Context(), store.Run{ID: "r1"}); err != nil {
		t.Error(err)
	}
	if _, err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	below := filepath.Join(path, "powerd.db") // a file is no folder
	if _, err := OpenStores(t.Context(), StoreOptions{Path: below}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v does not name %s", err, path)
	}
}

// What hangs on a module alone reads around zero while it is off, not zero: of a thousand
// readings within 1 mA some are negative and hardly any are 0.
func TestConstantLoadReadsAroundZeroWhileOff(t *testing.T) {
	const n = 1000
	v, a := [][]int32{make([]int32, n), make([]int32, n)}, [][]int32{make([]int32, n), make([]int32, n)}
	ConstantLoad().Fill(0, 4000, []string{"5v", "12v"}, v, a)
	for r := range a {
		if least, most := slices.Min(a[r]), slices.Max(a[r]); least < -1000 || least > -900 || most < 900 || most > 1000 {
			t.Errorf("rail %d reads %d to %d µA, want nearly -1000 to 1000", r, least, most)
		}
	}
}
