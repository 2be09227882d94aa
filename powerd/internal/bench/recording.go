package bench

import (
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// RecordingSuite is the name of the suite that recordings without end bear.
const RecordingSuite = "serve"

// RecordingMeta is what is known of a bench before the first sample of a recording of
// the daemon's. A drive that is away has no name. It sends nothing to drive or module.
func RecordingMeta(c *config.Config, name string, info quarch.Info, version string) (results.Meta, error) {
	b := &bench{name: name, info: info, book: benchbook.Open(c.State)}
	var err error
	if b.cfg, err = Named(c, name); err != nil {
		return results.Meta{}, err
	}
	if b.cfg.Drive != "" {
		if b.drive, err = datasheet.Find(b.cfg.Drive); err != nil {
			return results.Meta{}, err
		}
	}
	if b.cfg.Target != "" {
		_ = b.lookAtTarget() // a drive without power has no path
	}
	m := b.meta(&suite.Suite{Name: RecordingSuite, Title: "What the drive drew, recorded without end"}, version)
	if m.Bench.Pairing, err = b.known(); err != nil {
		return m, err
	}
	return m, b.remembered(&m)
}
