package web

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"powerd/analysis/align"
	"powerd/powerd/internal/daemon"
)

// metrics returns the page for Prometheus. Units stand in names and are base units; a
// figure that is not known has no line.
func metrics(d Daemon, version string) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(newCollector(d, version), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}

// collector asks the daemon when it is asked.
type collector struct {
	daemon  Daemon
	version string

	volts, amperes, watts, joules                             *prometheus.Desc
	up, left, simulated, samples, lost, reconnects, gaps, out *prometheus.Desc
	aligned, alignedU95, drift                                *prometheus.Desc
	build                                                     *prometheus.Desc
}

func newCollector(d Daemon, version string) *collector {
	bench := []string{"bench", "module"}
	rail := []string{"bench", "module", "rail"}
	return &collector{
		daemon: d, version: version,
		volts:      prometheus.NewDesc("powerd_rail_volts", "Mean voltage of a rail over the last second.", rail, nil),
		amperes:    prometheus.NewDesc("powerd_rail_amperes", "Mean current of a rail over the last second.", rail, nil),
		watts:      prometheus.NewDesc("powerd_rail_watts", "Mean power of a rail over the last second.", rail, nil),
		joules:     prometheus.NewDesc("powerd_rail_joules", "Energy of a rail in the samples that came since powerd was started, summed exactly; it falls while current is negative.", rail, nil),
		up:         prometheus.NewDesc("powerd_module_up", "1 while a bench's module delivers samples or is lent to a run, else 0.", bench, nil),
		left:       prometheus.NewDesc("powerd_supply_left", "1 while a run that was killed has left a drive's supply otherwise than it was found, else 0.", bench, nil),
		simulated:  prometheus.NewDesc("powerd_bench_simulated", "1 if a bench's module is emulated, so that nothing of it was measured, else 0.", bench, nil),
		samples:    prometheus.NewDesc("powerd_samples_total", "Samples (stripes) that came.", bench, nil),
		lost:       prometheus.NewDesc("powerd_lost_stripes_total", "Stripes that are known to be lost inside a stream.", bench, nil),
		reconnects: prometheus.NewDesc("powerd_reconnects_total", "Times that a bench's module was opened again.", bench, nil),
		gaps:       prometheus.NewDesc("powerd_gaps_total", "Stretches of time without recorded samples that have ended.", bench, nil),
		aligned:    prometheus.NewDesc("powerd_alignment_ok", "1 while samples are placed in the host's time as well as they should be, else 0.", bench, nil),
		alignedU95: prometheus.NewDesc("powerd_alignment_offset_u95_seconds", "Half-width of the 95 % interval of the time at which the stream under way began.", bench, nil),
		drift:      prometheus.NewDesc("powerd_module_clock_drift_ratio", "How far off the module's clock is; positive where its period is long, 1e-6 is 1 ppm.", bench, nil),
		out:        prometheus.NewDesc("powerd_outbox_points", "Points that InfluxDB has not taken yet.", nil, nil),
		build:      prometheus.NewDesc("powerd_build_info", "The version that runs; always 1.", []string{"version", "goversion"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.volts, c.amperes, c.watts, c.joules, c.up, c.left, c.simulated, c.samples, c.lost, c.reconnects, c.gaps, c.aligned, c.alignedU95, c.drift, c.out, c.build} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	for _, b := range c.daemon.Status() {
		module := b.Module.Serial
		gauge(c.up, flag(b.State != daemon.Waiting), b.Bench, module)
		gauge(c.left, flag(b.Left != ""), b.Bench, module)
		gauge(c.simulated, flag(b.Module.Simulated), b.Bench, module)
		counter(c.samples, float64(b.Counters.Samples), b.Bench, module)
		counter(c.lost, float64(b.Counters.LostStripes), b.Bench, module)
		counter(c.reconnects, float64(b.Counters.Reconnects), b.Bench, module)
		counter(c.gaps, float64(b.Counters.Gaps), b.Bench, module)
		if a := b.Alignment; a != nil {
			gauge(c.aligned, flag(a.Status == align.StatusOK), b.Bench, module)
			if a.OffsetU95S != nil {
				gauge(c.alignedU95, *a.OffsetU95S, b.Bench, module)
			}
			if a.DriftPPM != nil {
				gauge(c.drift, *a.DriftPPM/1e6, b.Bench, module)
			}
		}
		for rail, x := range b.Rails {
			gauge(c.volts, x.Volts, b.Bench, module, string(rail))
			gauge(c.amperes, x.Amps, b.Bench, module, string(rail))
			gauge(c.watts, x.Watts, b.Bench, module, string(rail))
		}
		for rail, j := range b.Counters.Joules { // no counter, which Prometheus would take to begin anew each time that it falls
			gauge(c.joules, j, b.Bench, module, string(rail))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if n, err := c.daemon.Waiting(ctx); err == nil {
		gauge(c.out, float64(n))
	}
	gauge(c.build, 1, c.version, runtime.Version())
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
