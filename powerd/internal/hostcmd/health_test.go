package hostcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func said(h Health) string {
	t := "?"
	if h.TempC != nil {
		t = fmt.Sprintf("%g °C", *h.TempC)
	}
	return strings.Join([]string{h.Tool, t, h.PowerState}, ", ")
}

// What smartctl prints of drives of each kind, written by its documented format. A disk in
// standby is not asked (-n standby), and says so in a message; what is no report says
// nothing at all.
func TestParseSmartctl(t *testing.T) {
	for _, c := range []struct{ what, json, want string }{
		{"SATA", `{"json_format_version":[1,0],"smartctl":{"version":[7,4],"exit_status":0},"device":{"type":"sat","protocol":"ATA"},
			"power_mode":{"ata_value":255,"ata_string":"ACTIVE or IDLE"},"temperature":{"current":34}}`, "smartctl 7.4, 34 °C, ACTIVE or IDLE"},
		{"SAS", `{"smartctl":{"version":[7,3],"exit_status":4},"device":{"protocol":"SCSI"},"temperature":{"current":31,"drive_trip":60}}`, "smartctl 7.3, 31 °C, "},
		{"NVMe", `{"smartctl":{"version":[7,2]},"nvme_smart_health_information_log":{"critical_warning":0,"temperature":41,"available_spare":100}}`, "smartctl 7.2, 41 °C, "},
		{"asleep", `{"smartctl":{"version":[7,4],"messages":[{"string":"Device is in STANDBY mode, exit(2)","severity":"information"}],"exit_status":2}}`, "smartctl 7.4, ?, STANDBY"},
		{"not allowed", `{"smartctl":{"version":[7,4],"messages":[{"string":"Smartctl open device: /dev/sda failed: Permission denied","severity":"error"}],"exit_status":2}}`, ", ?, "},
		{"0 K is none", `{"smartctl":{"version":[7,4]},"temperature":{"current":-273}}`, ", ?, "},
		{"of another version", `{"smartctl":{"version":[9,0]},"temperature":{"current":36},"power_mode":"idle"}`, "smartctl 9.0, 36 °C, "},
		{"no report", `smartctl: invalid option -- j`, ", ?, "},
		{"empty", ``, ", ?, "},
	} {
		if got := said(ParseSmartctl([]byte(c.json))); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// nvme-cli has kelvin: 311 K are 38 °C. The power state is the low five bits of the feature.
func TestParseNVMe(t *testing.T) {
	for _, c := range []struct {
		json string
		want string
	}{
		{`{"critical_warning":0,"temperature":311,"avail_spare":100,"temperature_sensor_1":315}`, "38"},
		{`{"critical_warning":{"value":0},"temperature":300}`, "27"},
		{`{"temperature":0}`, "none"},
		{`{"temperature":"311"}`, "none"},
		{`NVMe status: Invalid Field in Command(0x2)`, "none"},
	} {
		got := "none"
		if v := ParseNVMeTemperature([]byte(c.json)); v != nil {
			got = fmt.Sprint(*v)
		}
		if got != c.want {
			t.Errorf("%s: %s °C, want %s", c.json, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"get-feature:0x2 (Power Management), Current value:0x000004\n":   "ps4",
		"get-feature:0x02 (Power Management), Current value:00000000\n":  "ps0",
		"get-feature:0x02 (Power Management), Current value: 0x00000143": "ps3", // workload hint 2 above it
		"NVMe status: Invalid Field in Command(0x2)":                     "",
	} {
		if got := ParseNVMePowerState([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A disk is asked by smartctl so that it is not woken, an NVMe drive by nvme-cli for its
// power state too; arguments are arguments, whatever a device is called. Without the
// programs nothing is known.
func TestWhoIsAsked(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "asked")
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	program := func(name, text string) {
		script := fmt.Sprintf("#!/bin/sh\nprintf '%%s|' %s \"$@\" >>%s\nprintf '\\n' >>%s\n%s\n", name, log, log, text)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program("smartctl", `echo '{"smartctl":{"version":[7,4]},"temperature":{"current":40}}'; exit 4`)
	program("nvme", `case $1 in get-feature) echo 'get-feature:0x02 (Power Management), Current value:0x00000003';; *) echo '{"temperature":300}';; esac`)
	disk, nvme := filepath.Join(dir, "sd a;b"), filepath.Join(dir, "nvme0n1")
	if err := os.WriteFile(nvme, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "by-id")
	if err := os.Symlink(nvme, link); err != nil {
		t.Fatal(err)
	}
	if got := said(AskHealth(t.Context(), disk)); got != "smartctl 7.4, 40 °C, " {
		t.Errorf("a disk: %s", got)
	}
	if got := said(AskHealth(t.Context(), link)); got != "smartctl 7.4, 40 °C, ps3" {
		t.Errorf("an NVMe drive: %s", got)
	}
	want := "smartctl|-n|standby|-j|-a|" + disk + "|\nsmartctl|-n|standby|-j|-a|" + link + "|\nnvme|get-feature|-f|2|" + link + "|\n"
	if got := content(t, log); got != want {
		t.Errorf("asked:\n%s\nwant\n%s", got, want)
	}
	program("smartctl", `echo no`)
	if got := said(AskHealth(t.Context(), nvme)); got != "nvme-cli, 27 °C, ps3" {
		t.Errorf("an NVMe drive that smartctl does not know: %s", got)
	}
}

// Whatever a program prints is no figure that no drive has, and no panic.
func FuzzParseHealth(f *testing.F) {
	f.Add([]byte(`{"smartctl":{"version":[7,4],"messages":[{"string":"Device is in STANDBY mode, exit(2)"}]},"temperature":{"current":34}}`))
	f.Add([]byte(`{"temperature":311}`))
	f.Add([]byte("get-feature:0x02 (Power Management), Current value:0x00000143"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h := ParseSmartctl(b)
		for _, v := range []*float64{h.TempC, ParseNVMeTemperature(b)} {
			if v != nil && !(*v >= -60 && *v <= 200) {
				t.Errorf("%g °C", *v)
			}
		}
		if len(h.PowerState) > 41 || strings.ContainsAny(h.PowerState, "\n\x00") {
			t.Errorf("power state %q", h.PowerState)
		}
		if s := ParseNVMePowerState(b); s != "" && (len(s) > 4 || !strings.HasPrefix(s, "ps")) {
			t.Errorf("power state %q", s)
		}
	})
}
