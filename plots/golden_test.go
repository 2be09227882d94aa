package plots_test

import (
	"log"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"powerd/plots"
)

// save is what a caller does with a picture.
func save(p *plots.Picture, err error, path string) {
	if err == nil {
		err = p.Save(path)
	}
	if err != nil {
		log.Panic(err)
	}
}

// A start-up of four seconds with the datasheet's limits.
func ExamplePowerUp() {
	p, err := plots.PowerUp(startUpWaves(4, plots.Columns), startLimits(), footer())
	save(p, err, "testdata/powerup.png")
}

// The first 150 ms of the same start-up.
func ExamplePowerUpCloseUp() {
	p, err := plots.PowerUpCloseUp(startUpWaves(0.2, plots.Columns), startLimits(), footer())
	save(p, err, "testdata/closeup.png")
}

// Thirty seconds of an idle drive with its statistics.
func ExampleIdleTrace() {
	p, err := plots.IdleTrace(idleWaves(30, plots.Columns), idleStats(), nil, footer())
	save(p, err, "testdata/idle.png")
}

// Power and IOPS of nine steps on one time axis.
func ExamplePowerAndIOPS() {
	power, iops, marks := loadWaves()
	p, err := plots.PowerAndIOPS(power, iops, marks, footer())
	save(p, err, "testdata/load.png")
}

// 125 rounds of writes with the cliff in the eighteenth.
func ExampleRounds() {
	power, iops := roundWaves()
	p, err := plots.Rounds(power, iops, []plots.Window{{First: 1, Last: 5, Label: "fresh"}, {First: 121, Last: 125, Label: "last"}}, footer())
	save(p, err, "testdata/rounds.png")
}

// Ten rounds of four block sizes, of which rounds 6 to 10 are the steady window.
func ExampleConvergence() {
	p, err := plots.Convergence(convergingRounds(), []plots.Window{{First: 6, Last: 10, Label: "steady"}}, "random writes, queue depth 32, 4 jobs", footer())
	save(p, err, "testdata/convergence.png")
}

// Two variables over the window that a rule was held against.
func ExampleSteadyWindow() {
	p, err := plots.SteadyWindow(judgedRounds(), footer())
	save(p, err, "testdata/window.png")
}

// 2000 seconds of writes over the cliff: each second a dot, on a logarithmic axis.
func ExampleSeconds() {
	power, iops := secondsWaves()
	p, err := plots.Seconds(power, iops, plots.View{Log: true}, footer())
	save(p, err, "testdata/seconds.png")
}

// The last ten minutes of them on an axis that ends at 50,000 IOPS.
func ExampleSeconds_zoom() {
	power, iops := secondsWaves()
	p, err := plots.Seconds(power, iops, plots.View{FromS: 1400, ToS: 2000, Top: 50_000}, footer())
	save(p, err, "testdata/zoom.png")
}

// IOPS per milliwatt for each mix of reads and queue depth.
func ExampleMatrix() {
	p, err := plots.Matrix(efficiencyMatrix(), plots.MatrixLabels{
		Title: "IOPS per milliwatt, 4K random", ColumnTitle: "Queue depth", Unit: "IOPS/mW",
	}, footer())
	save(p, err, "testdata/matrix.png")
}

// Two drives side by side: five cells, of which one is withheld for the second drive, one
// it lacks, and one has no ±.
func ExampleBars() {
	p, err := plots.Bars(twoDrives(), plots.BarLabels{Title: "IOPS per milliwatt", Subtitle: "whiskers: half-width of the 95 % interval", Unit: "IOPS/mW"}, footer())
	save(p, err, "testdata/bars.png")
}

// The pictures of the examples are compared with stored ones; a tenth of the
// colour range is allowed, so that another machine's rounding passes.
func TestPictures(t *testing.T) {
	for file, example := range map[string]func(){
		"powerup.png":   ExamplePowerUp,
		"closeup.png":   ExamplePowerUpCloseUp,
		"idle.png":      ExampleIdleTrace,
		"load.png":      ExamplePowerAndIOPS,
		"matrix.png":    ExampleMatrix,
		"rounds.png":    ExampleRounds,
		"alignment.png": ExampleAlignment,

		"bars.png":        ExampleBars,
		"convergence.png": ExampleConvergence,
		"seconds.png":     ExampleSeconds,
		"zoom.png":        ExampleSeconds_zoom,
		"window.png":      ExampleSteadyWindow,
	} {
		t.Run(file, func(t *testing.T) { cmpimg.CheckPlotApprox(example, t, 0.1, file) })
	}
}
