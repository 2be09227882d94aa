package hostcmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Health is what a drive says of itself. What it does not say is nil or empty.
type Health struct {
	Tool       string   // that asked: "smartctl 7.4"
	TempC      *float64 // of the drive as a whole
	PowerState string   // in the tool's words: "ps0", "ACTIVE or IDLE", "STANDBY"
}

const (
	askAtMost    = 10 * time.Second // a program of them
	waitAtMost   = time.Second      // for its output to end, after it was ended
	mostHealth   = 1 << 20          // bytes that are read of it
	coldestC     = -60
	hottestC     = 200
	zeroC        = 273 // in kelvin as NVMe counts: whole ones
	nvmeFeature  = "2" // Power Management
	powerStateOf = 0x1f
)

// AskHealth asks a drive for its temperature and power state by smartctl, else nvme-cli; an
// NVMe drive for its state by the latter alone. A disk in standby is not woken. What is not
// there, not allowed or not understood is left out.
func AskHealth(ctx context.Context, device string) Health {
	var h Health
	if path := find("smartctl"); path != "" {
		h = ParseSmartctl(output(ctx, path, "-n", "standby", "-j", "-a", device))
	}
	if real, err := filepath.EvalSymlinks(device); err != nil || !strings.HasPrefix(filepath.Base(real), "nvme") {
		return h
	}
	path := find("nvme")
	if path == "" {
		return h
	}
	if h.TempC == nil {
		h.TempC = ParseNVMeTemperature(output(ctx, path, "smart-log", "-o", "json", device))
	}
	h.PowerState = cmp.Or(ParseNVMePowerState(output(ctx, path, "get-feature", "-f", nvmeFeature, device)), h.PowerState)
	if h.Tool == "" && (h.TempC != nil || h.PowerState != "") {
		h.Tool = "nvme-cli"
	}
	return h
}

// find returns where a program is; "" if it is not there. Users often lack sbin.
func find(name string) string {
	for _, candidate := range []string{name, "/usr/sbin/" + name, "/sbin/" + name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	return ""
}

// output returns what a program printed, whatever its exit code: smartctl's is a set of
// remarks.
func output(ctx context.Context, name string, args ...string) []byte {
	ctx, cancel := context.WithTimeout(ctx, askAtMost)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.WaitDelay = waitAtMost
	var out limited
	c.Stdout = &out
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		return nil
	}
	return out.Bytes()
}

// limited keeps the beginning of what is written to it.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:min(len(p), max(0, mostHealth-l.Len()))])
	return len(p), nil
}

// ParseSmartctl reads what `smartctl -j -a` printed.
func ParseSmartctl(b []byte) Health {
	var d struct {
		Smartctl struct {
			Version  []int `json:"version"`
			Messages []struct {
				Text string `json:"string"`
			} `json:"messages"`
		} `json:"smartctl"`
		Temperature struct {
			Current *float64 `json:"current"`
		} `json:"temperature"`
		NVMe struct {
			Temperature *float64 `json:"temperature"`
		} `json:"nvme_smart_health_information_log"`
		PowerMode struct {
			Name string `json:"ata_string"`
		} `json:"power_mode"`
	}
	var kind *json.UnmarshalTypeError // another version's: what fits is taken
	if err := json.Unmarshal(b, &d); err != nil && !errors.As(err, &kind) || len(d.Smartctl.Version) < 2 {
		return Health{}
	}
	h := Health{TempC: celsius(d.Temperature.Current, 0), PowerState: word(d.PowerMode.Name)}
	if h.TempC == nil {
		h.TempC = celsius(d.NVMe.Temperature, 0) // which smartctl has in °C
	}
	for _, m := range d.Smartctl.Messages {
		if s := inMode.FindStringSubmatch(m.Text); s != nil && h.PowerState == "" {
			h.PowerState = s[1]
		}
	}
	if h.TempC != nil || h.PowerState != "" {
		h.Tool = "smartctl " + strconv.Itoa(d.Smartctl.Version[0]) + "." + strconv.Itoa(d.Smartctl.Version[1])
	}
	return h
}

// ParseNVMeTemperature reads the composite temperature that `nvme smart-log -o json`
// printed, which is in kelvin; nil if there is none.
func ParseNVMeTemperature(b []byte) *float64 {
	var d struct {
		Temperature *float64 `json:"temperature"`
	}
	var kind *json.UnmarshalTypeError
	if err := json.Unmarshal(b, &d); err != nil && !errors.As(err, &kind) {
		return nil
	}
	return celsius(d.Temperature, zeroC)
}

// ParseNVMePowerState reads the power state that `nvme get-feature -f 2` printed: "ps4"; ""
// if there is none.
func ParseNVMePowerState(b []byte) string {
	s := currentValue.FindSubmatch(b)
	if s == nil {
		return ""
	}
	v, err := strconv.ParseUint(string(s[1]), 0, 32)
	if err != nil {
		return ""
	}
	return "ps" + strconv.FormatUint(v&powerStateOf, 10)
}

var (
	inMode       = regexp.MustCompile(`^Device is in ([A-Za-z][A-Za-z_ ]{0,40}) mode`)
	currentValue = regexp.MustCompile(`(?i)current value\s*:\s*(0x[0-9a-f]+|[0-9]+)\b`)
)

// celsius returns a temperature less what its scale begins at; nil for one that no drive
// has, as 0 K, which stands for none.
func celsius(v *float64, zero float64) *float64 {
	if v == nil || math.IsNaN(*v) || *v-zero < coldestC || *v-zero > hottestC {
		return nil
	}
	c := *v - zero
	return &c
}

// word returns a text that is one, else "".
func word(s string) string {
	if len(s) > 40 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return s
}
