package check

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"powerd/quarch"
)

const (
	warmUpS   = 600
	rateWrong = 0.01 // of the rate; a second of arrivals tells it to about a per cent
)

// moduleLines judge whether the right module answers, and how well.
func moduleLines(f *Facts) []Line {
	lines := []Line{portLine(f)}
	if f.Served != "" {
		return append(lines, Line{Warn, "module", "not asked: " + f.Served, "runs go through that powerd, whose /api/v1/live tells how the module is; stop it to have all checked"})
	}
	if f.Info == nil && f.Port.Err != nil {
		return lines // that says it all
	}
	if f.Info == nil {
		return append(lines, Line{Fail, "module", reason(f.ModuleErr), noAnswerCure(f.ModuleErr)})
	}
	i := f.Info
	lines = append(lines, Line{OK, "module", fmt.Sprintf("%s answers, %s link", i.Model, i.Link), ""},
		serialLine(f), selfTestLine(i), firmwareLine(i), rateLine(f))
	if l, has := latencyLine(f); has {
		lines = append(lines, l)
	}
	return append(lines, warmUpLine(i))
}

func portLine(f *Facts) Line {
	port := f.Bench.Module.Port
	switch err := f.Port.Err; {
	case err == nil:
		return Line{OK, "port", port, ""}
	case errors.Is(err, fs.ErrNotExist):
		return Line{Fail, "port", port + " does not exist", "plug the module in; `powerd devices` lists what answers"}
	case errors.Is(err, fs.ErrPermission):
		return Line{Fail, "port", "this user may not use " + port, joinGroup(f.Port.Group, "dialout")}
	default:
		return Line{Fail, "port", reason(err), "`powerd devices` lists what answers"}
	}
}

// joinGroup is the cure of a device that belongs to a group.
func joinGroup(group, usual string) string {
	if group == "" || group == "root" {
		group = usual
	}
	return fmt.Sprintf("sudo usermod -aG %s $USER, then log in again", group)
}

func noAnswerCure(err error) string {
	switch {
	case errors.Is(err, quarch.ErrBusy):
		return "wait until it is done, or stop it"
	case errors.Is(err, unix.ENOTTY):
		return "name the module's serial port; `powerd devices` lists what answers"
	case errors.Is(err, quarch.ErrNotAModule):
		return "another device is on this port; `powerd devices` lists what answers"
	}
	return "is the module powered, and its link set as it is (link, baud)? `powerd devices` lists what answers"
}

func serialLine(f *Facts) Line {
	want, got := f.Bench.Module.Serial, f.Info.Serial
	switch {
	case want == "":
		return Line{Warn, "serial number", got + ", but the bench would take any module", fmt.Sprintf("set benches.%s.module: %s", f.Bench.Name, got)}
	case want != got:
		return Line{Fail, "serial number", fmt.Sprintf("the module on %s is %s, not %s", f.Bench.Module.Port, got, want), "plug in the right one, or mend benches." + f.Bench.Name + ".module"}
	}
	return Line{OK, "serial number", got, ""}
}

func selfTestLine(i *quarch.Info) Line {
	switch {
	case strings.EqualFold(i.SelfTest, "ok"):
		return Line{OK, "self test", "passed", ""}
	case i.SelfTest == "":
		return Line{Warn, "self test", "the module does not say", ""}
	}
	return Line{Fail, "self test", i.SelfTest, "it fails in the first seconds after switching on: check again; if it stays so, its figures may be wrong"}
}

func firmwareLine(i *quarch.Info) Line {
	if i.Firmware == "" {
		return Line{Warn, "firmware", "the module does not say", ""}
	}
	return Line{OK, "firmware", i.Firmware, ""}
}

// rateLine says whether samples come as they should.
func rateLine(f *Facts) Line {
	const what = "rate"
	switch {
	case f.PeriodErr != nil:
		return Line{Fail, what, reason(f.PeriodErr), "set sampling.default longer, or use a faster link"}
	case f.StreamErr != nil:
		return Line{Fail, what, reason(f.StreamErr), "check again; if it stays so, switch the module off and on"}
	case f.Stream == nil || f.Stream.Stripes == 0:
		return Line{Fail, what, "no samples came within a second", "check again; if it stays so, switch the module off and on"}
	}
	s := f.Stream
	if f.Info.Link == quarch.LinkTerminal {
		return Line{Warn, what, fmt.Sprintf("polled at %.3g readings/s: good for idle watts and long means, not for peaks", s.PerSecond()), "a framed link (tcp:, USB bridge) streams"}
	}
	want := 1e9 / float64(f.PeriodNs)
	found := fmt.Sprintf("%.0f stripes/s of %.0f (%+.0f ppm, known to about ±%.0f)", s.PerSecond(), want, (s.PerSecond()/want-1)*1e6, rateWrong*1e6)
	switch {
	case s.Lost > 0:
		return Line{Warn, what, fmt.Sprintf("%s, %d stripes lost in %.1f s", found, s.Lost, s.Seconds), "use a longer sampling.default, a shorter cable, or another USB port"}
	case math.Abs(s.PerSecond()/want-1) > rateWrong:
		return Line{Warn, what, found, "the host is busy or the link too slow: a longer sampling.default asks less of them"}
	}
	return Line{OK, what, found + ", none lost", ""}
}

// latencyLine is about a USB adapter's habit of holding data back.
func latencyLine(f *Facts) (Line, bool) {
	ms := f.Info.LatencyMs
	switch ms {
	case 0:
		return Line{}, false
	case 1:
		return Line{OK, "latency timer", "1 ms", ""}, true
	}
	port := f.Bench.Module.Port
	if device, err := filepath.EvalSymlinks(port); err == nil {
		port = device
	}
	return Line{
		Warn, "latency timer", fmt.Sprintf("the USB adapter holds data back for %d ms", ms),
		fmt.Sprintf("echo 1 | sudo tee /sys/bus/usb-serial/devices/%s/latency_timer; for good, a udev rule: "+
			`ACTION=="add", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ATTR{latency_timer}="1"`, filepath.Base(port)),
	}, true
}

func warmUpLine(i *quarch.Info) Line {
	const what = "warm-up"
	switch {
	case i.RuntimeS == nil:
		return Line{Warn, what, "the module does not say how long it has been on", "leave it on for 10 min before you measure"}
	case *i.RuntimeS < warmUpS:
		return Line{Warn, what, fmt.Sprintf("on for %.0f s only", *i.RuntimeS), fmt.Sprintf("wait %.0f s more: its accuracy holds from 10 min on", warmUpS-*i.RuntimeS)}
	}
	return Line{OK, what, fmt.Sprintf("on for %.0f min", *i.RuntimeS/60), ""}
}

// reason writes an error as part of a line.
func reason(err error) string {
	if err == nil {
		return "not asked"
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
