package bench

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/quarch"
)

// A bench says baud: 19200, which carries 1,920 bytes a second. A stripe of two rails
// needs 16 bytes or more: at 64 µs, 15,625 stripes a second need over 130 times the
// line. A period is refused before anything is streamed, and the message says what fits.
//
// A pseudo-terminal has no speed to keep, so its device is looked at through another
// folder, where it passes for a serial port.
func TestLineOfABenchIsNotOverfilled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	pts, wait, err := catalog.NewSim(catalog.SimOptions{Serial: "QTL1999-02-001"}, catalog.ConstantLoad(), clock.Mono).ServePTY(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
	devices := t.TempDir()
	if err := unix.Mount("/dev/pts", devices, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("show the terminal in another folder: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(devices, unix.MNT_DETACH) })
	file := filepath.Join(t.TempDir(), "powerd.yaml")
	text := fmt.Sprintf("benches:\n  left: {port: %s, link: framed, baud: 19200}\n", filepath.Join(devices, filepath.Base(pts)))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Read(config.Sources{File: file})
	if err != nil {
		t.Fatal(err)
	}
	b, err := cfg.Bench("left")
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := OpenModule(ctx, b, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	err = m.(quarch.Sampler).SetPeriod(ctx, (64 * time.Microsecond).Nanoseconds())
	if err == nil || !strings.Contains(err.Error(), "19200 baud carry 1920 B/s") || !strings.Contains(err.Error(), "the lowest averaging that fits") {
		t.Errorf("64 µs on 19200 baud: %v, want it refused", err)
	}
	if err := m.(quarch.Sampler).SetPeriod(ctx, (131_072 * time.Microsecond).Nanoseconds()); err != nil {
		t.Errorf("131 ms, 8 stripes a second: %v", err)
	}
}
