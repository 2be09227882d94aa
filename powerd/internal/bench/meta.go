package bench

import (
	"fmt"
	"strings"
	"time"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/host"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// meta is what is known before the first sample.
func (b *bench) meta(s *suite.Suite, version string) results.Meta {
	now := b.clock.Read()
	at := clock.UTC(now)
	m := results.Meta{
		Start: now, BootID: clock.BootID(),
		Run: results.Run{
			StartedUTC: at.Format(time.RFC3339Nano), StartedMonoNs: now.MonoNs, PowerdVersion: version, FioVersion: b.fioVersion,
		},
		Suite: results.Suite{Name: s.Name, Title: s.Title, SHA256: s.SHA256, Scale: 1, Simulated: b.info.Alias == catalog.SimAlias},
		Bench: results.Bench{Name: b.name, RailsUsed: b.used().rails, Fixture: b.cfg.Fixture, Consent: b.cfg.Consent},
		Drive: b.driveInfo(),
		Module: results.Module{
			Driver: b.info.Driver, Model: b.info.Model, Serial: b.info.Serial, Firmware: b.info.Firmware,
			Link: b.info.Link, Port: b.info.Port, Rails: b.info.Rails, LatencyTimerMs: b.info.LatencyMs, SelfTest: b.info.SelfTest,
		},
	}
	machine := host.Describe()
	m.Host = results.Host{CPU: machine.CPU, Kernel: machine.Kernel}
	m.Run.ID = runID(at, s.Name, m.Drive)
	return m
}

func (b *bench) driveInfo() results.Drive {
	file := ""
	if b.drive != nil {
		file = b.drive.Name
	}
	if b.twin != nil {
		return results.Drive{
			Vendor: "twin", Model: b.twin.Name, Serial: fmt.Sprintf("seed-%d", b.twin.Seed), CapacityBytes: b.target.SizeBytes,
			Interface: results.TwinInterface, Target: b.target.Path, TwinScale: float64(b.twin.Scale), File: file,
		}
	}
	t := b.target
	return results.Drive{
		TwinScale: float64(b.scale),
		Vendor:    t.Vendor, Model: t.Model, Serial: t.Serial, Firmware: t.Firmware, CapacityBytes: t.SizeBytes,
		Interface: t.Interface, ByID: t.ByID, Target: t.Path, File: file, LinkPower: t.LinkPower,
	}
}

// runID names a run: <UTC>-<suite>-<drive>-<serial>, in characters that any file
// system takes.
func runID(at time.Time, suiteName string, d results.Drive) string {
	parts := []string{at.Format("20060102T150405.000Z"), suiteName}
	for _, p := range []string{d.Model, d.Serial} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		}
		return '_'
	}, strings.Join(parts, "-"))
}
