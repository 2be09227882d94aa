package check

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/analysis/pairing"
	"powerd/engine"
	"powerd/engine/target"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/host"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// good is a bench on which everything is as it should be, on 30 November 2026.
func good() *Facts {
	return &Facts{
		Now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Bench: config.Bench{
			Name: "left", Module: config.Module{Port: "/dev/ttyUSB0", Serial: "QTL1999-02-001"},
			Target: "/dev/disk/by-id/ata-X1_S1", TargetSerial: "S1", Fixture: "tray",
			Consent: []string{"write", "power"}, Accuracy: config.Accuracy{CalDate: "2026-03-31"},
		},
		Info: &quarch.Info{
			Model: "HD Programmable Power Module", Serial: "QTL1999-02-001", Firmware: "5.016", Link: quarch.LinkFramed,
			Rails:      []quarch.Rail{"5v", "12v"},
			OutputMode: "5V", Powered: new(true), SelfTest: "OK", LatencyMs: 1, RuntimeS: new(1200.0),
		},
		PeriodNs: 64_000,
		Stream:   &Stream{Seconds: 1, Stripes: 15_630, Volts: map[quarch.Rail]float64{"5v": 5.01, "12v": 11.9}},
		Memory: benchbook.Entry{
			Pairing: &pairing.Evidence{Method: pairing.MethodBursts, Confirmed: true, DateUTC: "2026-11-20T10:00:00Z", Module: "QTL1999-02-001", Drive: "S1"},
			Zero: &results.Zero{DateUTC: "2026-11-20T12:00:00Z", Module: "QTL1999-02-001", Fixture: "tray", Rails: map[quarch.Rail]*results.ZeroFigure{
				"5v": {MeanA: 8.2e-3}, "12v": {MeanA: -0.4e-3},
			}},
		},
		Target: &host.Target{Path: "/dev/sdb", Block: "sdb", ByID: "/dev/disk/by-id/ata-X1_S1", Model: "X1", Serial: "S1", SizeBytes: 400e9},
		Out:    "/data/runs", FreeBytes: 100e9, Fio: "fio-3.33", ClockPPM: new(12.3),
	}
}

// A bench that is as it should be has a word for each thing, and no cure.
func TestGoodBenchHasNothingToMend(t *testing.T) {
	lines := Judge(good())
	whats := map[string]string{}
	for _, l := range lines {
		if l.Level != OK || l.Cure != "" {
			t.Errorf("%s %s", l.Level, l)
		}
		whats[l.What] = l.Finding
	}
	for what, part := range map[string]string{
		"port": "/dev/ttyUSB0", "module": "HD Programmable Power Module", "serial number": "QTL1999-02-001", "self test": "passed",
		"firmware": "5.016", "rate": "15630 stripes/s of 15625 (+320 ppm", "latency timer": "1 ms", "warm-up": "20 min",
		"output mode": "5V", "outputs": "on", "rails": "5v 5.010 V (+0.2 %), 12v 11.900 V (-0.8 %)",
		"zero": "5v 8.2 mA, 12v -0.4 mA, measured 10 days ago", "calibration": "2026-03-31", "pairing": "drive S1, shown by reads", "consent": "write, power, for drive S1",
		"target": "X1, 400.0 GB", "drive": "S1", "in use": "nobody",
		"disk": "100.0 GB free; an hour of samples takes about 0.34 GB", // 3600 s / 64 µs · 6 B = 337.5 MB
		"fio":  "fio-3.33", "fuse": "can be served", "clock": "+12.3 ppm",
	} {
		if !strings.Contains(whats[what], part) {
			t.Errorf("%s: %q lacks %q", what, whats[what], part)
		}
	}
	if Fails(lines) != 0 {
		t.Error("it fails")
	}
}

// A powerd that serves has the module: it is not asked, which is no fault of the bench, and
// the line says who has it and where to ask.
func TestBenchThatIsServed(t *testing.T) {
	f := good()
	f.Served, f.Info, f.Stream = "bench left belongs to the powerd that serves at http://127.0.0.1:7780 (pid 7)", nil, nil
	lines := Judge(f)
	i := slices.IndexFunc(lines, func(l Line) bool { return l.What == "module" })
	if Fails(lines) != 0 || i < 0 || lines[i].Level != Warn || !strings.Contains(lines[i].Finding, f.Served) || !strings.Contains(lines[i].Cure, "/api/v1/live") {
		t.Errorf("%v", lines)
	}
}

// A port that is not there is told once, with its cure; that no module answers on it is
// no second fault.
func TestMissingPortIsOneFault(t *testing.T) {
	f := good()
	f.Info, f.Stream, f.Port.Err, f.ModuleErr = nil, nil, fs.ErrNotExist, fmt.Errorf("open port: %w", fs.ErrNotExist)
	lines := Judge(f)
	if Fails(lines) != 1 || lines[0].What != "port" || lines[1].What == "module" {
		t.Errorf("%v", lines)
	}
}

// Each fault has its line, as bad as it is, with what was found and its cure. All but
// what follows from it stays as it was.
func TestFaultsAndTheirCures(t *testing.T) {
	permission := fmt.Errorf("/dev/x: %w", fs.ErrPermission)
	for name, c := range map[string]struct {
		change  func(*Facts)
		level   Level
		what    string
		finding string
		cure    string
	}{
		"port missing":     {func(f *Facts) { f.Port.Err = fs.ErrNotExist }, Fail, "port", "/dev/ttyUSB0 does not exist", "powerd devices"},
		"port not allowed": {func(f *Facts) { f.Port = Access{Err: permission, Group: "uucp"} }, Fail, "port", "may not use", "usermod -aG uucp"},
		"port of root":     {func(f *Facts) { f.Port = Access{Err: permission, Group: "root"} }, Fail, "port", "may not use", "usermod -aG dialout"},
		"port odd":         {func(f *Facts) { f.Port.Err = errors.New("odd") }, Fail, "port", "odd", "powerd devices"},
		"silent":           {func(f *Facts) { f.Info, f.ModuleErr = nil, fmt.Errorf("module: %w", quarch.ErrTimeout) }, Fail, "module", "module", "is the module powered"},
		"held": {func(f *Facts) {
			f.Info, f.ModuleErr = nil, fmt.Errorf("open port: %w: pid 17 holds /dev/ttyUSB0", quarch.ErrBusy)
		}, Fail, "module", "pid 17 holds", "wait until it is done"},
		"no port":       {func(f *Facts) { f.Info, f.ModuleErr = nil, fmt.Errorf("not a serial port: %w", unix.ENOTTY) }, Fail, "module", "not a serial port", "name the module's serial port"},
		"no module":     {func(f *Facts) { f.Info, f.ModuleErr = nil, quarch.ErrNotAModule }, Fail, "module", "module", "another device"},
		"another":       {func(f *Facts) { f.Info.Serial = "QTL1999-02-009" }, Fail, "serial number", "is QTL1999-02-009, not QTL1999-02-001", "benches.left.module"},
		"any":           {func(f *Facts) { f.Bench.Module.Serial = "" }, Warn, "serial number", "any module", "benches.left.module: QTL1999-02-001"},
		"self test":     {func(f *Facts) { f.Info.SelfTest = "FAIL: 0x12 -6.5V" }, Fail, "self test", "6.5V", "check again"},
		"no self test":  {func(f *Facts) { f.Info.SelfTest = "" }, Warn, "self test", "does not say", ""},
		"no firmware":   {func(f *Facts) { f.Info.Firmware = "" }, Warn, "firmware", "does not say", ""},
		"line too slow": {func(f *Facts) { f.PeriodErr = errors.New("19200 baud carry 1920 B/s") }, Fail, "rate", "19200 baud", "sampling.default"},
		"stream broke":  {func(f *Facts) { f.StreamErr = errors.New("overran") }, Fail, "rate", "overran", "check again"},
		"no samples":    {func(f *Facts) { f.Stream = &Stream{} }, Fail, "rate", "no samples", "check again"},
		"lost":          {func(f *Facts) { f.Stream.Lost = 12 }, Warn, "rate", "12 stripes lost", "USB port"},
		"half rate":     {func(f *Facts) { f.Stream.Stripes = 7812 }, Warn, "rate", "7812 stripes/s of 15625", "busy"},
		"polled": {func(f *Facts) {
			f.Info.Link, f.Stream = quarch.LinkTerminal, &Stream{Seconds: 1, Stripes: 11, Volts: map[quarch.Rail]float64{"5v": 5}}
		}, Warn, "rate", "11 readings/s", "framed link"},
		"latency timer":    {func(f *Facts) { f.Info.LatencyMs = 16 }, Warn, "latency timer", "16 ms", "echo 1 | sudo tee /sys/bus/usb-serial/devices/ttyUSB0/latency_timer"},
		"udev rule":        {func(f *Facts) { f.Info.LatencyMs = 16 }, Warn, "latency timer", "16 ms", `ATTR{latency_timer}="1"`},
		"cold":             {func(f *Facts) { f.Info.RuntimeS = new(90.0) }, Warn, "warm-up", "90 s", "wait 510 s more"},
		"unknown warm-up":  {func(f *Facts) { f.Info.RuntimeS = nil }, Warn, "warm-up", "does not say", "10 min"},
		"disabled":         {func(f *Facts) { f.Info.OutputMode = "DISABLED" }, Fail, "output mode", "no power", "powerd power left mode 5V"},
		"off":              {func(f *Facts) { f.Info.Powered = new(false) }, Warn, "outputs", "off", "powerd power left up"},
		"power unknown":    {func(f *Facts) { f.Info.Powered = nil }, Warn, "outputs", "does not say", ""},
		"rail low":         {func(f *Facts) { f.Stream.Volts["5v"] = 4.74 }, Fail, "rails", "5v 4.740 V (-5.2 %)", "cable"},
		"rail high":        {func(f *Facts) { f.Stream.Volts["12v"] = 12.61 }, Fail, "rails", "12v 12.610 V (+5.1 %)", "benches.left.rails"},
		"rail not there":   {func(f *Facts) { f.Bench.Rails = []string{"5v", "3v3"} }, Fail, "rails", "does not measure 3v3", "benches.left.rails"},
		"no volts":         {func(f *Facts) { f.Stream.Volts = nil }, Warn, "rails", "no volts", ""},
		"no zero":          {func(f *Facts) { f.Memory.Zero = nil }, Warn, "zero", "never", "powerd zero left"},
		"zero of another":  {func(f *Facts) { f.Memory.Zero.Module = "M2" }, Warn, "zero", "M2", "powerd zero left"},
		"other fixture":    {func(f *Facts) { f.Memory.Zero.Fixture = "bare" }, Warn, "zero", `"bare", not "tray"`, "powerd zero left"},
		"old zero":         {func(f *Facts) { f.Memory.Zero.DateUTC = "2025-11-29T12:00:00Z" }, Warn, "zero", "366 days", "powerd zero left"},
		"zero's date":      {func(f *Facts) { f.Memory.Zero.DateUTC = "?" }, Warn, "zero", "cannot be read", "powerd zero left"},
		"no calibration":   {func(f *Facts) { f.Bench.Accuracy.CalDate = "" }, Warn, "calibration", "assumed", "benches.left.accuracy.cal_date"},
		"old calibration":  {func(f *Facts) { f.Bench.Accuracy.CalDate = "2025-11-29" }, Warn, "calibration", "366 days", "calibrated"},
		"to come":          {func(f *Facts) { f.Bench.Accuracy.CalDate = "2027-01-01" }, Warn, "calibration", "to come", "clock"},
		"calibration date": {func(f *Facts) { f.Bench.Accuracy.CalDate = "soon" }, Warn, "calibration", "cannot be read", "2026-03-31"},
		"nowhere to write": {func(f *Facts) { f.StateErr = errors.New("write to /ro: read-only file system") }, Fail, "memory", "read-only", "with state: in the settings"},
		"memory":           {func(f *Facts) { f.MemoryErr = errors.New("left.json is damaged") }, Fail, "memory", "damaged", ""},
		"never paired":     {func(f *Facts) { f.Memory.Pairing = nil }, Warn, "pairing", "never", "powerd pair left"},
		"not confirmed":    {func(f *Facts) { f.Memory.Pairing.Confirmed = false }, Warn, "pairing", "never", "powerd pair left"},
		"paired elsewhere": {func(f *Facts) { f.Memory.Pairing.Module = "M2" }, Warn, "pairing", "M2", "powerd pair left"},
		"another drive":    {func(f *Facts) { f.Memory.Pairing.Drive = "S9" }, Warn, "pairing", "S9, not S1", "powerd pair left"},
		"typed":            {func(f *Facts) { f.Memory.Pairing.Method = pairing.MethodTyped }, OK, "pairing", "by a person", ""},
		"left touched": {func(f *Facts) {
			f.Memory.Supply = &benchbook.Supply{Run: "r7", Pid: 17, SinceUTC: "2026-11-30T10:00:00Z"}
		}, Warn, "supply", "r7 (pid 17", "powerd power left status"},
		"no drive file":   {func(f *Facts) { f.Bench.Drive, f.SheetErr = "x9", errors.New(`no drive file "x9"`) }, Fail, "drive file", "x9", "benches.left.drive"},
		"in memory":       {func(f *Facts) { f.BeaconErr = errors.New("lies in memory") }, Fail, "reads", "in memory", ""},
		"no consent":      {func(f *Facts) { f.Bench.Consent = nil }, OK, "consent", "only read", ""},
		"any drive":       {func(f *Facts) { f.Bench.TargetSerial = "" }, Warn, "consent", "whatever drive", "benches.left.target_serial"},
		"no target":       {func(f *Facts) { f.Bench.Target, f.Target = "", nil }, Warn, "target", "none", "benches.left.target"},
		"no target, pair": {func(f *Facts) { f.Bench.Target, f.Target = "", nil }, Warn, "pairing", "no target", "benches.left.target"},
		"target missing":  {func(f *Facts) { f.Target, f.TargetErr = nil, fs.ErrNotExist }, Fail, "target", "does not exist", "ls /dev/disk/by-id"},
		"missing, off":    {func(f *Facts) { f.Target, f.TargetErr, f.Info.Powered = nil, fs.ErrNotExist, new(false) }, Warn, "target", "the drive is off", "powerd power left up"},
		"no drive": {func(f *Facts) {
			f.Target, f.TargetErr = nil, errors.New("neither a block device nor a regular file; name one of these")
		}, Fail, "target", "regular file; name one of these", ""},
		"kernel name":     {func(f *Facts) { f.Bench.Target = "/dev/sdb" }, Warn, "target", "another drive may have this name", "benches.left.target: /dev/disk/by-id/ata-X1_S1"},
		"no stable name":  {func(f *Facts) { f.Bench.Target, f.Target.ByID = "/dev/sdb", "" }, Warn, "target", "no stable name", "serial number"},
		"a file":          {func(f *Facts) { f.Target.Block = "" }, OK, "target", "a file", ""},
		"wrong drive":     {func(f *Facts) { f.Target.Serial = "S2" }, Fail, "drive", "is S2, not S1", "benches.left.target_serial"},
		"no serial":       {func(f *Facts) { f.Target.Serial = "" }, Fail, "drive", "tells no serial number, and the bench says S1", "benches.left.target_serial"},
		"serial unknown":  {func(f *Facts) { f.Target.Serial, f.Bench.Consent = "", nil }, Warn, "drive", "tells no serial number", ""},
		"paired by claim": {func(f *Facts) { f.Target.Serial = "" }, Warn, "pairing", "proved for drive S1, not /dev/disk/by-id/ata-X1_S1", "powerd pair left"},
		"drive's rights":  {func(f *Facts) { f.Access = Access{Err: permission, Group: "disk"} }, Fail, "rights", "may not read", "usermod -aG disk"},
		"engine refuses":  {func(f *Facts) { f.JobErr = errors.New("too small") }, Fail, "reads", "too small", ""},
		"mounted": {func(f *Facts) {
			f.Uses = []target.Use{{Kind: target.Mounted, Device: "sdb1", What: "is mounted at /mnt", Cure: "umount /mnt"}}
		}, Fail, "in use", "sdb1 is mounted at /mnt; writes, purges and power-down are refused", "umount /mnt"},
		"mounted, reads only": {func(f *Facts) {
			f.Uses, f.Bench.Consent = []target.Use{{Kind: target.Mounted, Device: "sdb1", What: "is mounted at /mnt", Cure: "umount /mnt"}}, nil
		}, Warn, "in use", "may only read", "umount /mnt"},
		"system disk": {func(f *Facts) { f.Uses = []target.Use{{Device: "sdb2", What: "is mounted at /", System: true}} }, Fail, "in use", "this machine runs from it", ""},
		"a zero of a drive": {
			func(f *Facts) { f.Memory.Zero.Rails["5v"].MeanA = 0.421 }, Warn, "zero", "5v 421 mA, 12v -0.4 mA, measured 10 days ago: that looks like a drive", "powerd zero left",
		},
		"a reader": {func(f *Facts) {
			f.Readers = []target.Use{{Kind: target.Read, What: "is open for reading in dd (pid 9)", Cure: "end that first"}}
		}, Fail, "in use", "is open for reading in dd (pid 9); power-down is refused", "end that first"},
		"a reader, power left alone": {func(f *Facts) {
			f.Bench.Consent, f.Readers = []string{"write"}, []target.Use{{Kind: target.Read, What: "is open for reading in dd (pid 9)"}}
		}, Warn, "in use", "dd (pid 9)", ""},
		"partitioned":  {func(f *Facts) { f.WriteErr = errors.New("it has 2 partitions") }, Fail, "in use", "2 partitions", "benches.left.consent"},
		"uses unknown": {func(f *Facts) { f.UsesErr = errors.New("no /proc") }, Warn, "in use", "no /proc", ""},
		"disk full":    {func(f *Facts) { f.FreeBytes = 0.3e9 }, Fail, "disk", "0.3 GB free", "make room"},
		"disk tight":   {func(f *Facts) { f.FreeBytes = 1e9 }, Warn, "disk", "less than a day", ""},
		"no folder":    {func(f *Facts) { f.FreeErr = permission }, Fail, "disk", "permission", "out:"},
		"no fio":       {func(f *Facts) { f.FioErr = fmt.Errorf("%w: install it", engine.ErrUnavailable) }, Fail, "fio", "install it", ""},
		"fio odd":      {func(f *Facts) { f.FioErr = errors.New("no word") }, Fail, "fio", "no word", "fio.path"},
		"no fuse":      {func(f *Facts) { f.FuseErr = errors.New("no /dev/fuse") }, Warn, "fuse", "no /dev/fuse", "twins"},
		"clock slewed": {func(f *Facts) { f.ClockPPM = new(-480.0) }, Warn, "clock", "-480.0 ppm", "timedatectl"},
	} {
		f := good()
		c.change(f)
		var got *Line
		for _, l := range Judge(f) {
			if l.What == c.what {
				got = &l
				break
			}
		}
		switch {
		case got == nil:
			t.Errorf("%s: no line %s", name, c.what)
		case got.Level != c.level || !strings.Contains(got.Finding, c.finding) || !strings.Contains(got.Cure, c.cure) || c.cure == "" && got.Cure != "":
			t.Errorf("%s:\n  %s  %s\nwant %s, %q, %q", name, got.Level, got, c.level, c.finding, c.cure)
		case strings.ContainsAny(got.String(), "\n\r"):
			t.Errorf("%s: more than a line: %q", name, got)
		}
	}
}

// Whatever does not follow is not said: no word of samples or supply without a
// module, of latency where the port has no timer, of clocks that were not compared.
func TestNothingIsSaidOfWhatWasNotFound(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Facts)
		silent []string
	}{
		"no module": {func(f *Facts) { f.Info, f.Stream, f.ModuleErr = nil, nil, quarch.ErrTimeout }, []string{"rate", "rails", "outputs", "output mode", "serial number", "warm-up"}},
		"off":       {func(f *Facts) { f.Info.Powered = new(false) }, []string{"rails"}},
		"no timer":  {func(f *Facts) { f.Info.LatencyMs = 0 }, []string{"latency timer"}},
		"no clock":  {func(f *Facts) { f.ClockPPM = nil }, []string{"clock"}},
		"no target": {func(f *Facts) { f.Bench.Target, f.Target = "", nil }, []string{"drive", "in use", "rights"}},
	} {
		f := good()
		c.change(f)
		for _, l := range Judge(f) {
			for _, s := range c.silent {
				if l.What == s {
					t.Errorf("%s: %s %s", name, l.Level, l)
				}
			}
		}
	}
}

// A rail that the drive does not use may be as it likes.
func TestRailOutOfUseIsNotJudged(t *testing.T) {
	f := good()
	f.Stream.Volts["12v"] = 0
	f.Bench.Rails = []string{"5v"}
	for _, l := range Judge(f) {
		if l.What == "rails" && (l.Level != OK || strings.Contains(l.Finding, "12v")) {
			t.Errorf("%s %s", l.Level, l)
		}
	}
}
