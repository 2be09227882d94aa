package measure_test

import (
	"os"
	"os/signal"
	"testing"
)

// TestMain lets Go's own goroutine for signals begin before any bubble of virtual time
// does: it starts with the first channel that asks for signals, and belongs to no bubble.
func TestMain(m *testing.M) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt)
	signal.Stop(asked)
	os.Exit(m.Run())
}
