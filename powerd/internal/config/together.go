package config

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// namedModules decodes and checks what stands under modules. viper has no part in
// it, since it lower-cases names.
func namedModules(file, defaults settings) (map[string]Module, error) {
	out := make(map[string]Module)
	var faults []error
	for _, m := range file.modules {
		prefix := modulesPrefix + m.name + "."
		text := make(map[string]string)
		for _, k := range moduleKeys(prefix) {
			own := strings.TrimPrefix(k.name, prefix)
			v, ok := file.values[k.name]
			if !ok {
				v = defaults.values["module."+own]
			}
			if own == "port" && v.text == "" {
				faults = append(faults, &KeyError{Where: m.where, Key: k.name, Want: "needs a port"})
			}
			faults = append(faults, k.check(k.name, v))
			text[own] = v.text
		}
		if errors.Join(faults...) != nil {
			continue
		}
		baud, err := strconv.Atoi(text["baud"])
		faults = append(faults, err)
		timeout, err := time.ParseDuration(text["timeout"])
		faults = append(faults, err)
		out[m.name] = Module{Port: text["port"], Link: text["link"], Baud: baud, Timeout: timeout, Serial: text["serial"], DTR: text["dtr"], RTS: text["rts"]}
	}
	return out, errors.Join(faults...)
}

// checkTogether finds faults of settings that are right each by itself.
func (c *Config) checkTogether(file settings) error {
	var faults []error
	if c.Influx.URL != "" && c.Influx.Bucket == "" {
		faults = append(faults, &KeyError{Where: c.Origin("influx.url").Where, Key: "influx.bucket", Want: "is needed with influx.url"})
	}
	if c.Store.Path == "" {
		c.Store.Path = filepath.Join(c.Out, "powerd.db")
	}
	if c.Serve.Out == "" {
		c.Serve.Out = filepath.Join(c.Out, "serve")
	}
	if c.State == "" {
		c.State = stateFolder()
	}
	return errors.Join(append(faults, c.checkPlaces(file))...)
}
