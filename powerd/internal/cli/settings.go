package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/suite"
)

// settings are the flags that stand for keys of the configuration.
type settings struct {
	file  string
	flags *pflag.FlagSet
	keys  map[string]string // flag → key
}

// addSettings gives a command --config and the flags of some keys.
func addSettings(c *cobra.Command, keys map[string]string) *settings {
	usage := map[string]string{
		"module": "serial port of the power module, tcp:HOST[:PORT], or a name under modules in the settings",
		"link":   "terminal, framed, or auto",
		"baud":   "speed of the serial port in bit/s",
		"target": "block device or file that the IO engine loads",
		"fio":    "path of fio",
		"db":     "database of results",
		"influx": "URL of an InfluxDB",
		"listen": "address to answer at, HOST:PORT; one that others can reach needs serve.token",
		"out":    "folder of recordings",
	}
	s := &settings{flags: c.Flags(), keys: keys}
	c.Flags().StringVar(&s.file, "config", "", "file of settings (default powerd.yaml here, in the user's or the system's folder)")
	for flag := range keys {
		c.Flags().String(flag, "", usage[flag])
	}
	return s
}

// read reads the configuration; faults are the user's.
func (s *settings) read() (*config.Config, error) {
	env := os.Environ()
	src := config.Sources{File: s.file, Env: env}
	if src.File == "" {
		src.File = config.Find(env)
	}
	for flag, key := range s.keys {
		if f := s.flags.Lookup(flag); f.Changed {
			src.Flags = append(src.Flags, config.Flag{Name: "--" + flag, Key: key, Value: f.Value.String()})
		}
	}
	c, err := config.Read(src)
	return c, asUsage(err)
}

// given returns the first of these flags that was given, as its user writes it.
func (s *settings) given(flags ...string) string {
	for _, f := range flags {
		if s.flags.Changed(f) {
			return "--" + f
		}
	}
	return ""
}

// planDefaults are those of a plan on a twin, or without one if it has no name.
func planDefaults(c *config.Config, twin catalog.TwinFacts) suite.Defaults {
	return suite.Defaults{
		PowerCycleSampling: c.Sampling.PowerCycle, Sampling: c.Sampling.Default, IOEngine: c.Fio.IOEngine,
		Twin: twin.Name != "", TwinStartUp: twin.StartUp,
	}
}

const devicesTimeout = 2 * time.Second
