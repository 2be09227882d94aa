package sim

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"powerd/quarch/lan"
)

// discoverable serves m over TCP and to those who ask, on any ports.
func discoverable(t *testing.T, m *Module) (tcp, udp string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	serve := func(start func(context.Context, string) (string, func() error, error)) string {
		bound, wait, err := start(ctx, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			cancel()
			if err := wait(); err != nil {
				t.Error(err)
			}
		})
		return bound
	}
	return serve(m.ServeTCP), serve(m.ServeDiscovery)
}

func discoveredModule() *Module {
	return New(Options{Alias: "bench 3", Dialect: Dialect{Fixture: "SFF-8639"}, Now: monotonic}, oneDrive())
}

func TestDriverFindsAnEmulatedModule(t *testing.T) {
	t.Parallel() // waits a second for others to answer
	tcp, udp := discoverable(t, discoveredModule())
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	found, err := lan.Discover(ctx, udp)
	if err != nil || len(found) != 1 {
		t.Fatalf("found %+v, %v; want one module", found, err)
	}
	f := found[0]
	if f.Address != tcp || f.Serial != "QTL1999-02-001" || f.Product != "HD Programmable Power Module +Triggering" {
		t.Errorf("found %+v, want QTL1999-02-001 at %s", f, tcp)
	}
}

// A client that knows the table of codes only and cuts answers at CR LF, as clients do.
func TestAnswerHasEveryCode(t *testing.T) {
	tcp, udp := discoverable(t, discoveredModule())
	conn, err := net.Dial("udp4", udp)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	ask := func(question string) {
		if _, err := conn.Write([]byte(question)); err != nil {
			t.Fatal(err)
		}
	}
	ask("Who is out there?")                            // not the question
	ask(strings.Repeat("Discovery: Who is there?", 50)) // longer than any
	ask("Discovery: Who is out there?\x00\n")
	buf := make([]byte, 2048)
	n, err := conn.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(buf[:n], []byte("\r\n")) {
		t.Errorf("the answer %q has no line end at its end", buf[:n])
	}
	lines := strings.Split(strings.TrimSuffix(string(buf[:n]), "\r\n"), "\r\n")
	if len(lines) < 2 || !strings.HasPrefix(lines[1], "00-04-A3-") || len(lines[1]) != len("00-04-A3-00-00-00") {
		t.Fatalf("the first lines are %q, want a name and a MAC as text", lines[:min(2, len(lines))])
	}
	values := map[byte]string{}
	for _, line := range lines[2:] {
		values[line[0]] = line[1:]
	}
	_, port, _ := net.SplitHostPort(tcp)
	if len(values[0x02]) != 6 || values[0x02][:3] != "\x00\x04\xa3" {
		t.Errorf("the MAC is % x, want 6 bytes from 00 04 a3 on", values[0x02])
	}
	delete(values, 0x02)
	want := map[byte]string{
		0x03: "MAC", 0x04: "QTL1999-02-001", 0x05: "\x7f\x00\x00\x01",
		0x80: "5.016", 0x81: "1.000", 0x82: "1.000", 0x83: "1944-02-001",
		0x84: "80", 0x85: port, 0x86: "QTL1999-02-001", 0x87: "1", 0x88: "bench 3",
		0x89: "HD Programmable Power Module +Triggering", 0x8a: "23", 0x8c: "SFF-8639", 0x8d: "1.000",
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// Two modules on one machine need an address each, as their TCP ports do.
func TestDiscoveryAddressInUse(t *testing.T) {
	_, udp := discoverable(t, discoveredModule())
	_, _, err := discoveredModule().ServeDiscovery(t.Context(), udp)
	if err == nil || !strings.Contains(err.Error(), udp) || !strings.Contains(err.Error(), "another address") {
		t.Errorf("error %v, want one that names %s and what to do", err, udp)
	}
}
