package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// place is an entry under modules or benches: a module on a port, and what hangs on it.
type place struct {
	bench          bool
	name           string // "left"
	prefix, where  string // "benches.left.", "powerd.yaml:7"
	port, serial   string
	target, device string // device is what port leads to
}

func (p *place) String() string { return strings.TrimSuffix(p.prefix, ".") }

// checkPlaces gives benches the ports of their modules, and finds entries that cannot be
// true together: each would measure what the other loads.
func (c *Config) checkPlaces(file settings) error {
	var faults []error
	var places []place
	for _, n := range file.modules {
		m := c.Modules[n.name]
		places = append(places, place{
			name: n.name, prefix: modulesPrefix + n.name + ".", where: n.where,
			port: m.Port, serial: m.Serial, device: resolve(m.Port),
		})
	}
	for _, n := range file.benches {
		b := c.Benches[n.name]
		if b.Module.Port == "" {
			b.Module = c.moduleOf(&b, file)
			c.Benches[n.name] = b
		}
		p := place{
			bench: true, name: n.name, prefix: benchesPrefix + n.name + ".", where: n.where,
			port: b.Module.Port, serial: b.Module.Serial, target: b.Target, device: resolve(b.Module.Port),
		}
		if p.port == "" {
			faults = append(faults, c.fault(&p, "port", "", "needs a port, or the serial number (module) of a module that `module` or `modules` say the port of"))
			continue
		}
		places = append(places, p)
	}
	for i := range places {
		for j := range i {
			faults = append(faults, c.compare(&places[i], &places[j])...)
		}
	}
	return errors.Join(faults...)
}

// moduleOf returns the module of a bench that names it by serial number alone: where
// and how it is reached is said elsewhere, as far as the bench does not say itself.
func (c *Config) moduleOf(b *Bench, file settings) Module {
	m := b.Module
	if m.Serial == "" {
		return m
	}
	known := c.Module
	for _, name := range slices.Sorted(maps.Keys(c.Modules)) {
		if known.Serial != m.Serial {
			known = c.Modules[name]
		}
	}
	if known.Serial != m.Serial {
		return m
	}
	unsaid := func(own string) bool {
		_, said := file.values[benchesPrefix+b.Name+"."+own]
		return !said
	}
	m.Port = known.Port
	if unsaid("link") {
		m.Link = known.Link
	}
	if unsaid("baud") {
		m.Baud = known.Baud
	}
	if unsaid("timeout") {
		m.Timeout = known.Timeout
	}
	if unsaid("dtr") && unsaid("rts") { // one given switches the other off
		m.DTR, m.RTS = known.DTR, known.RTS
	}
	return m
}

// compare finds what a place and one before it cannot both have. Two benches may share
// a module: two drives that hang on it by turns.
func (c *Config) compare(p, other *place) []error {
	var faults []error
	sameDevice := p.device == other.device
	serialsDiffer := p.serial != "" && other.serial != "" && p.serial != other.serial
	switch {
	case sameDevice && !p.bench && !other.bench:
		faults = append(faults, c.fault(p, "port", p.port, fmt.Sprintf("is the device of %s too (%s); each module has its own", other, p.device)))
	case sameDevice && serialsDiffer:
		faults = append(faults, c.fault(p, "port", p.port,
			fmt.Sprintf("is the device of %s too (%s), whose module is %s, not %s; each module has its own", other, p.device, other.serial, p.serial)))
	case !sameDevice && p.serial != "" && p.serial == other.serial:
		key := "serial"
		if p.bench {
			key = "module"
		}
		faults = append(faults, c.fault(p, key, p.serial, fmt.Sprintf("is the module of %s too, on another port (%s, here %s)", other, other.port, p.port)))
	}
	if p.target != "" && other.target != "" && !sameDevice && resolve(p.target) == resolve(other.target) {
		faults = append(faults, c.fault(p, "target", p.target, fmt.Sprintf("is the drive of %s too, on another module; a drive hangs on one", other)))
	}
	return faults
}

// fault is a fault of a place; where the key is not written, it stands at the name.
func (c *Config) fault(p *place, key, text, want string) error {
	where := c.Origin(p.prefix + key).Where
	if where == "" {
		where = p.where
	}
	return &KeyError{Where: where, Key: p.prefix + key, Value: text, Want: want}
}

// SamePort reports whether two ports are one device or network address.
func SamePort(a, b string) bool { return resolve(a) == resolve(b) }

// resolve returns the device that a path leads to, the path itself if there is
// none; of a network address, the one with its port.
func resolve(port string) string {
	if host, ok := strings.CutPrefix(port, "tcp:"); ok {
		return "tcp:" + strings.TrimSuffix(host, ":9760")
	}
	if device, err := filepath.EvalSymlinks(port); err == nil {
		return device
	}
	return port
}
