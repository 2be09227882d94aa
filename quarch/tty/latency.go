package tty

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// tuneLatency asks for a latency timer of 1 ms and returns what it now is, in
// ms; 0 where the device has none. Not being allowed is no error: the caller
// reports the figure.
func tuneLatency(sysRoot, device string) int {
	if sysRoot == "" {
		sysRoot = "/sys"
	}
	file := filepath.Join(sysRoot, "bus/usb-serial/devices", filepath.Base(device), "latency_timer")
	ms := readLatency(file)
	if ms <= 1 {
		return ms
	}
	if err := os.WriteFile(file, []byte("1"), 0); err != nil {
		return ms
	}
	return readLatency(file)
}

func readLatency(file string) int {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	ms, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || ms < 0 {
		return 0
	}
	return ms
}
