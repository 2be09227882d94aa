package config

import (
	"errors"
	"fmt"
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
		out[m.name] = Module{Port: text["port"], Link: text["link"], Baud: baud, Timeout: timeout, Serial: text["serial"]}
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
	taken := make(map[string]string) // device → module
	for _, m := range file.modules {
		device := resolve(c.Modules[m.name].Port)
		if other, ok := taken[device]; ok {
			key := modulesPrefix + m.name + ".port"
			faults = append(faults, &KeyError{
				Where: c.Origin(key).Where, Key: key, Value: c.Modules[m.name].Port,
				Want: fmt.Sprintf("is the device of modules.%s too (%s); each module has its own", other, device),
			})
			continue
		}
		taken[device] = m.name
	}
	return errors.Join(append(faults, c.checkBenches(file))...)
}

// resolve returns the device that a path leads to, the path itself if there is
// none.
func resolve(port string) string {
	if device, err := filepath.EvalSymlinks(port); err == nil {
		return device
	}
	return port
}
