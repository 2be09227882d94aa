package config

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	modulesPrefix = "modules."
	benchesPrefix = "benches."
)

// key is one setting.
type key struct {
	name string
	// secret reports whether a text may not be shown; nil = none is.
	secret func(text string) bool
	// fault says why a text is no value of the key, and what is; "" if it is one.
	fault func(text string) string
}

// keys lists all settings but those under modules and benches, in the order of the file.
func keys() []key {
	all := []key{
		{name: "out", fault: notEmpty("a folder")},
		{name: "target", fault: anyText},
		{name: "state", fault: anyText},
	}
	all = append(all, moduleKeys("module.")...)
	return append(
		all,
		key{name: "fio.path", fault: anyText},
		key{name: "fio.ioengine", fault: oneOf("libaio", "io_uring", "psync")},
		key{name: "sampling.power_cycle", fault: samplePeriod},
		key{name: "sampling.default", fault: samplePeriod},
		key{name: "alignment.beacons", fault: orNever(duration(time.Second, time.Hour))},
		key{name: "store.path", fault: anyText},
		key{name: "influx.url", secret: hasLogin, fault: serverURL},
		key{name: "influx.token", secret: always, fault: anyText},
		key{name: "influx.org", fault: anyText},
		key{name: "influx.bucket", fault: anyText},
		key{name: "influx.timeout", fault: duration(100*time.Millisecond, 5*time.Minute)},
		key{name: "influx.batch", fault: integer(1, 5000, "points")},
		key{name: "influx.retry_max", fault: duration(time.Second, time.Hour)},
		key{name: "serve.listen", fault: address},
		key{name: "serve.token", secret: always, fault: anyText},
		key{name: "serve.out", fault: anyText},
		key{name: "serve.disk_max", fault: size(1<<20, 1<<50)},
		key{name: "serve.segment", fault: duration(time.Second, 24*time.Hour)},
		key{name: "serve.sampling", fault: samplePeriod},
		key{name: "serve.keep", fault: duration(time.Hour, 366*24*time.Hour)},
		key{name: "twin.size", fault: pages(size(16<<20, 1<<40))},
		key{name: "twin.scale", fault: integer(1, 1000, "")},
		key{name: "twin.ppm", fault: number(-1000, 1000, "ppm")},
		key{name: "twin.offset", fault: duration(0, 10*time.Second)},
		key{name: "twin.jitter", fault: duration(0, time.Second)},
	)
}

// Fault says why a text is no value of a setting, and what is; "" if it is one. A flag
// of its own that means what a setting means takes what that takes.
func Fault(name, text string) string {
	all := keys()
	i := slices.IndexFunc(all, func(k key) bool { return k.name == name })
	if i < 0 {
		return "is no setting"
	}
	return all[i].fault(text)
}

// moduleKeys lists the settings of one module.
func moduleKeys(prefix string) []key {
	return []key{
		{name: prefix + "port", fault: port},
		{name: prefix + "link", fault: oneOf("terminal", "framed", "auto")},
		{name: prefix + "baud", fault: integer(300, 12_000_000, "bit/s")},
		{name: prefix + "timeout", fault: duration(50*time.Millisecond, 5*time.Minute)},
		{name: prefix + "serial", fault: anyText},
		{name: prefix + "dtr", fault: optional(oneOf("true", "false"))},
		{name: prefix + "rts", fault: optional(oneOf("true", "false"))},
	}
}

// check returns the fault of a value of k, nil if it has none.
func (k *key) check(name string, v value) error {
	want := k.fault(v.text)
	if want == "" {
		return nil
	}
	return &KeyError{Where: v.origin.Where, Key: name, Value: k.shown(v.text), Want: want}
}

// shown returns a text as others may see it.
func (k *key) shown(text string) string {
	if text != "" && k.secret != nil && k.secret(text) {
		return hidden
	}
	return text
}

func always(string) bool { return true }

// hasLogin reports whether an address may have a name and password in it.
func hasLogin(address string) bool { return strings.Contains(address, "@") }

func anyText(string) string { return "" }

func notEmpty(what string) func(string) string {
	return func(text string) string {
		if text == "" {
			return "needs " + what
		}
		return ""
	}
}

func oneOf(allowed ...string) func(string) string {
	return func(text string) string {
		if slices.Contains(allowed, text) {
			return ""
		}
		return "must be one of " + strings.Join(allowed, ", ") + didYouMean(text, allowed)
	}
}

// duration wants a time with a unit: 5 alone would be 5 ns.
func duration(least, most time.Duration) func(string) string {
	allowed := short(least) + " to " + short(most)
	return func(text string) string {
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return fmt.Sprintf("needs a unit, e.g. 5ms; allowed: %s", allowed)
		}
		d, err := time.ParseDuration(text)
		switch {
		case err != nil:
			return fmt.Sprintf("is no time; write e.g. 5ms, 90s or 1m30s; allowed: %s", allowed)
		case d < least || d > most:
			return "is out of range; allowed: " + allowed
		}
		return ""
	}
}

// short writes 5m, not 5m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

const (
	basePeriod = 4 * time.Microsecond
	maxPeriod  = basePeriod << 15
)

// samplePeriod wants a period that a module has: it averages 2ⁿ base samples.
func samplePeriod(text string) string {
	allowed := fmt.Sprintf("%v times a power of two, up to %v", basePeriod, maxPeriod)
	if why := duration(basePeriod, maxPeriod)(text); why != "" {
		return why + ", " + allowed
	}
	d, err := time.ParseDuration(text)
	if n := d / basePeriod; err != nil || d%basePeriod != 0 || n&(n-1) != 0 {
		return "is no period of a module; allowed: " + allowed
	}
	return ""
}

func integer(least, most int, unit string) func(string) string {
	allowed := strings.TrimSpace(fmt.Sprintf("%d to %d %s", least, most, unit))
	return func(text string) string {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil || strconv.Itoa(n) != text:
			return "is no whole number; allowed: " + allowed
		case n < least || n > most:
			return "is out of range; allowed: " + allowed
		}
		return ""
	}
}

func number(least, most float64, unit string) func(string) string {
	return func(text string) string {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || x < least || x > most {
			return fmt.Sprintf("must be a number from %g to %g %s", least, most, unit)
		}
		return ""
	}
}

func size(least, most Bytes) func(string) string {
	return func(text string) string {
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err != nil {
			return err.Error()
		}
		if b < least || b > most {
			return fmt.Sprintf("is out of range; allowed: %v to %v", least, most)
		}
		return ""
	}
}

// pages wants a size, as fault does, of whole pages.
func pages(fault func(string) string) func(string) string {
	return func(text string) string {
		if why := fault(text); why != "" {
			return why
		}
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err != nil || b%pageBytes != 0 {
			return fmt.Sprintf("must be a multiple of %d bytes", pageBytes)
		}
		return ""
	}
}

// pageBytes is what an emulated drive's memory is made of.
const pageBytes = 4096

// port wants a device path or a network address.
func port(text string) string {
	host, isTCP := strings.CutPrefix(text, "tcp:")
	if text == "" || strings.HasPrefix(text, "/") || (isTCP && host != "") {
		return ""
	}
	return "is no port; write a device's path such as /dev/serial/by-id/usb-X, or tcp:HOST[:PORT]"
}

// address wants a host and a port to listen on.
func address(text string) string {
	const want = "is no address to listen on; write HOST:PORT, e.g. 127.0.0.1:7780"
	_, number, err := net.SplitHostPort(text)
	if err != nil {
		return want
	}
	if n, err := strconv.ParseUint(number, 10, 16); err != nil || strconv.FormatUint(n, 10) != number {
		return want
	}
	return ""
}

// serverURL wants the address of a server, without a password in it.
func serverURL(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return "is no address of a server; write e.g. http://127.0.0.1:8086"
	case u.User != nil:
		return "has a name or password in it; give them as influx.token (user:password)"
	}
	return ""
}
