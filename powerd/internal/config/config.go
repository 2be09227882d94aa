package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"

	"powerd/configs"
	"powerd/powerd/internal/textfile"
)

// Config is all settings, checked.
type Config struct {
	Out       string            `mapstructure:"out"`    // folder of runs
	Target    string            `mapstructure:"target"` // block device or file; "" = none
	State     string            `mapstructure:"state"`  // folder of what benches remember
	Module    Module            `mapstructure:"module"`
	Modules   map[string]Module `mapstructure:"-"` // by name, as written
	Fio       Fio               `mapstructure:"fio"`
	Sampling  Sampling          `mapstructure:"sampling"`
	Alignment Alignment         `mapstructure:"alignment"`
	Store     Store             `mapstructure:"store"`
	Influx    Influx            `mapstructure:"influx"`
	Serve     Serve             `mapstructure:"serve"`
	Twin      Twin              `mapstructure:"twin"`
	Benches   map[string]Bench  `mapstructure:"-"` // by name, as written

	values map[string]value // of every key, by its dotted name
}

// Module says where a power module is.
type Module struct {
	Port    string        `mapstructure:"port"` // device path, tcp:HOST[:PORT], or a name in Modules; "" = none
	Link    string        `mapstructure:"link"` // terminal, framed, auto
	Baud    int           `mapstructure:"baud"` // bit/s
	Timeout time.Duration `mapstructure:"timeout"`
	Serial  string        `mapstructure:"serial"` // that it must have; "" = any
	DTR     string        `mapstructure:"dtr"`    // of a serial port while it is opened: "true", "false"; "" = left alone
	RTS     string        `mapstructure:"rts"`    // likewise
}

// Lines returns DTR and RTS as they are to be set; nil = left alone.
func (m *Module) Lines() (dtr, rts *bool) { return level(m.DTR), level(m.RTS) }

func level(text string) *bool {
	if text == "" {
		return nil
	}
	on := text == "true"
	return &on
}

// Bench is one drive on one module.
type Bench struct {
	Name         string
	Where        string   // file and line of its name; "" = it was not read from a file
	ConsentWhere string   // of its consent; "" = it says nothing of that
	Module       Module   // its Serial is the module's
	Target       string   // stable path of the drive, under /dev/disk/by-id; "" = none
	TargetSerial string   // serial number of the drive that Consent holds for; "" = any
	Drive        string   // drive file: a built-in name or a path; "" = none
	Rails        []string // that the drive uses; nil = all that the module measures
	Fixture      string   // what is between module and drive
	Accuracy     Accuracy
	Consent      []string      // of write, power, purge, command
	OffTime      time.Duration // least time without power in a power cycle
	Detach       bool          // take the drive from the kernel before its power is cut
	Rescan       bool          // look for it on its bus afterwards
}

// Accuracy is a module's, as its sheet says; nil = by its family.
type Accuracy struct {
	GainPct  *float64
	OffsetMA *float64
	OffsetMV *float64
	CalDate  string // YYYY-MM-DD; "" = not known
}

// Fio says which fio to run.
type Fio struct {
	Path     string `mapstructure:"path"` // "" = the one on PATH
	IOEngine string `mapstructure:"ioengine"`
}

// Sampling are periods of a stripe, each 4 µs · 2ⁿ.
type Sampling struct {
	PowerCycle time.Duration `mapstructure:"power_cycle"`
	Default    time.Duration `mapstructure:"default"`
}

// Alignment says how stripes are placed on the host's clock.
type Alignment struct {
	Beacons Every `mapstructure:"beacons"` // bursts of reads between steps; 0 = none
}

// Store says where results are kept.
type Store struct {
	Path string `mapstructure:"path"` // powerd.db in Out if not given
}

// Influx says where results are sent.
type Influx struct {
	URL      string        `mapstructure:"url"` // "" = nowhere
	Token    string        `mapstructure:"token"`
	Org      string        `mapstructure:"org"`
	Bucket   string        `mapstructure:"bucket"`
	Timeout  time.Duration `mapstructure:"timeout"` // of one request
	Batch    int           `mapstructure:"batch"`   // points in a request at most
	RetryMax time.Duration `mapstructure:"retry_max"`
}

// Serve is the daemon.
type Serve struct {
	Listen   string        `mapstructure:"listen"` // host:port
	Token    string        `mapstructure:"token"`  // that a request must bear; "" = none, on loopback only
	Out      string        `mapstructure:"out"`    // folder of recordings; serve in Out if not given
	DiskMax  Bytes         `mapstructure:"disk_max"`
	Segment  time.Duration `mapstructure:"segment"`
	Sampling time.Duration `mapstructure:"sampling"`
	Keep     time.Duration `mapstructure:"keep"` // 100 ms means in the database
}

// Twin is the emulated drive and module.
type Twin struct {
	Size   Bytes         `mapstructure:"size"`
	Scale  int           `mapstructure:"scale"`
	PPM    float64       `mapstructure:"ppm"` // positive = the module's period is long
	Offset time.Duration `mapstructure:"offset"`
	Jitter time.Duration `mapstructure:"jitter"`
}

// Sources are where settings come from, beside the defaults.
type Sources struct {
	File  string   // path; "" = none
	Env   []string // as os.Environ gives it
	Flags []Flag   // those that were given
}

// Flag is a flag that stands for a key.
type Flag struct {
	Name  string // as its user writes it: "--module"
	Key   string // "module.port"
	Value string
}

// Find returns the file to read when none is named: POWERD_CONFIG, powerd.yaml in
// the working folder, in the user's and in the system's folder of settings; "" if
// there is none.
func Find(env []string) string {
	for _, e := range env {
		if path, ok := strings.CutPrefix(e, fileVariable+"="); ok && path != "" {
			return path
		}
	}
	places := []string{"powerd.yaml"}
	if dir, err := os.UserConfigDir(); err == nil {
		places = append(places, filepath.Join(dir, "powerd", "powerd.yaml"))
	}
	for _, path := range append(places, "/etc/powerd/powerd.yaml") {
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// Read reads all sources. Its error joins all faults.
func Read(s Sources) (*Config, error) {
	defaults, err := readFile(FromDefault, "powerd.yaml (built in)", configs.Defaults)
	if err != nil {
		return nil, fmt.Errorf("read defaults: %w", err)
	}
	var file, env settings
	var faults []error
	if s.File != "" {
		data, err := textfile.Read(s.File)
		if err != nil {
			return nil, fmt.Errorf("read configuration: %w", err)
		}
		file, err = readFile(FromFile, s.File, data)
		faults = append(faults, err)
	}
	env, err = readEnv(s.Env)
	faults = append(faults, err)
	flags, err := readFlags(s.Flags)
	faults = append(faults, err)

	c, err := merge(defaults, file, env, flags)
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	return c, nil
}

// merge puts the sources on top of one another, checks what came out on top, and
// decodes it.
func merge(defaults, file, env, flags settings) (*Config, error) {
	c := &Config{values: make(map[string]value), Modules: make(map[string]Module)}
	v := viper.New()
	for _, source := range []settings{defaults, file, env, flags} {
		if err := v.MergeConfigMap(source.nested()); err != nil {
			return nil, fmt.Errorf("merge configuration: %w", err)
		}
		maps.Copy(c.values, source.values)
	}
	var faults []error
	for _, k := range keys() {
		v := c.values[k.name]
		if k.name == "module.port" && slices.ContainsFunc(file.modules, func(m named) bool { return m.name == v.text }) {
			continue // one of `modules`, by its name
		}
		faults = append(faults, k.check(k.name, v))
	}
	modules, err := namedModules(file, defaults)
	faults = append(faults, err)
	benches, err := namedBenches(file, defaults)
	faults = append(faults, err)
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	hook := viper.DecodeHook(mapstructure.ComposeDecodeHookFunc(
		mapstructure.StringToTimeDurationHookFunc(), mapstructure.TextUnmarshallerHookFunc()))
	if err := v.UnmarshalExact(c, hook); err != nil {
		return nil, fmt.Errorf("decode configuration: %w", err)
	}
	c.Modules, c.Benches = modules, benches
	return c, c.checkTogether(file)
}
