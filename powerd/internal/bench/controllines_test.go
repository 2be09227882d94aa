package bench

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"powerd/powerd/internal/config"
)

// What a bench says of DTR and RTS gets as far as the port. A pseudo-terminal has no
// such lines, so that one which is asked to set them does not open, and says why; a
// setting lost on the way would open it and ask who is there.
func TestControlLinesOfABenchReachThePort(t *testing.T) {
	near, far, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	defer far.Close()
	for _, line := range []string{"dtr: false", "rts: true"} {
		file := filepath.Join(t.TempDir(), "powerd.yaml")
		text := fmt.Sprintf("benches:\n  left: {port: %s, timeout: 100ms, %s}\n", far.Name(), line)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Read(config.Sources{File: file})
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := OpenModule(t.Context(), cfg.Benches["left"], slog.New(slog.DiscardHandler))
		if err == nil {
			m.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "leave dtr and rts out of the settings") || !strings.Contains(err.Error(), far.Name()) {
			t.Errorf("%s: %v, want the port refused for its lines", line, err)
		}
	}
}
