package systemd_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"powerd/configs"
)

// The unit that is shipped speaks to the manager as this package does, lets powerd write
// where it has to (its state, and the locks by which powerds share serial ports), and is
// what systemd itself takes for a good one.
func TestShippedUnit(t *testing.T) {
	unit := string(configs.Unit)
	for _, want := range []string{
		"Type=notify", "WatchdogSec=", "ExecStart=/usr/local/bin/powerd serve ", "Restart=on-failure",
		"SupplementaryGroups=dialout disk", "NoNewPrivileges=yes", "ProtectSystem=strict", "ReadWritePaths=/var/lib/powerd -/run/lock",
	} {
		if !strings.Contains(unit, "\n"+want) {
			t.Errorf("the unit does not say %s", want)
		}
	}
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze here")
	}
	// The program, its user and its groups need not be on this machine.
	unit = strings.NewReplacer("/usr/local/bin/powerd", "/bin/true", "User=powerd", "User=root", "Group=powerd", "Group=root").Replace(unit)
	path := filepath.Join(t.TempDir(), "powerd.service")
	if err := os.WriteFile(path, []byte(unit), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), verify, "verify", "--man=no", path).CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("powerd.service:")) {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
