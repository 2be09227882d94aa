package influxtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const version = "1.8.3"

// binary returns the path of the server, building it if the cache has none.
func binary(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatalf("find a place for influxd: %v", err)
	}
	dir := filepath.Join(cache, "powerd-test")
	path := filepath.Join(dir, "influxd-"+version)
	if err := build(dir, path); err != nil {
		t.Fatalf("build influxd: %v", err)
	}
	return path
}

// build makes path unless it is there. Test binaries run side by side, so one
// builds and the others wait.
func build(dir, path string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close() // and so unlocks
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	module, err := nestedModule()
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-C", module, "-o", path+".new",
		"-ldflags", "-s -w -X main.version="+version, "github.com/influxdata/influxdb/cmd/influxd")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return os.Rename(path+".new", path)
}

// nestedModule returns the folder of the module that pins the server.
func nestedModule() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "powerd").Output()
	if err != nil {
		return "", fmt.Errorf("find powerd's module: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "powerd", "internal", "store", "influx", "influxd"), nil
}
