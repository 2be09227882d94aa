package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
)

// A warning reads like the lines beside it; on a terminal the line that is written over is
// taken off first. What is below the level is not said, and an error of two lines stays
// one.
func TestTheLogReadsLikeTheRest(t *testing.T) {
	for tty, before := range map[bool]string{false: "", true: "\r\x1b[2K"} {
		var b bytes.Buffer
		log := slog.New(&sayer{w: &b, level: slog.LevelWarn, tty: tty}).With("port", "/dev/ttyUSB0")
		log.Info("module opened")
		log.Warn("damaged stream", "stripes_lost", 3)
		log.Error("not stored", "error", errors.New("disk full\nmake room"))
		want := before + "powerd: warning: damaged stream (port /dev/ttyUSB0, stripes lost 3)\n" +
			before + "powerd: error: not stored (port /dev/ttyUSB0, error disk full; make room)\n"
		if b.String() != want {
			t.Errorf("it reads\n%q, want\n%q", b.String(), want)
		}
	}
}
