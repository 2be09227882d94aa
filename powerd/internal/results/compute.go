package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/align"
	"powerd/analysis/demand"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/analysis/inrush"
	"powerd/analysis/latency"
	"powerd/analysis/limits"
	"powerd/analysis/record"
	"powerd/analysis/recovery"
	"powerd/analysis/saturation"
	"powerd/analysis/scaling"
	"powerd/analysis/steady"
	"powerd/powerd/internal/datasheet"
	"powerd/quarch"
)

// Document is results.json, and the folder that it was computed from.
type Document struct {
	Schema     string               `json:"schema"`
	Run        Run                  `json:"run"`
	Suite      Suite                `json:"suite"`
	Bench      Bench                `json:"bench"`
	Drive      Drive                `json:"drive"`
	Host       Host                 `json:"host"`
	Module     Module               `json:"module"`
	Alignment  Alignment            `json:"alignment"`
	Steps      []StepResult         `json:"steps"`
	Idle       *idle.Result         `json:"idle,omitempty"` // the first settled one of Idles
	Idles      []*idle.Result       `json:"idles,omitempty"`
	Inrush     *Inrush              `json:"inrush,omitempty"`
	Efficiency []*efficiency.Cell   `json:"efficiency,omitempty"`
	Latency    []*latency.Bins      `json:"latency,omitempty"`    // histograms of the cells that stand for what was measured
	Saturation []*saturation.Result `json:"saturation,omitempty"` // loads in rounds: before and after the write cliff
	Steady     []*steady.Result     `json:"steady,omitempty"`     // loads in rounds: whether they have become steady, a variable each
	Scaling    []*scaling.Result    `json:"scaling,omitempty"`    // matrices: how power follows load
	Demand     []*demand.Result     `json:"demand,omitempty"`     // demand ramps: what was met, and up to where
	Recovery   []*recovery.Result   `json:"recovery,omitempty"`   // loads with pauses: what these gave back
	Records    []*record.Result     `json:"records,omitempty"`
	Marks      []*record.Mark       `json:"marks,omitempty"`    // the user's
	States     []State              `json:"states,omitempty"`   // that the drive was asked for at marks
	Commands   []Command            `json:"commands,omitempty"` // that were sent to the drive, purges among them
	Limits     []limits.Verdict     `json:"limits,omitempty"`
	Legs       []Leg                `json:"legs,omitempty"` // of a run that was broken off and went on
	Withheld   []Withheld           `json:"withheld"`
	Warnings   []Warning            `json:"warnings"`

	folder *folder
	sheet  *datasheet.Sheet // whose claims the run is held against; nil = none
}

// Inrush holds the power-ups of a run.
type Inrush struct {
	Cycles []*inrush.Cycle `json:"cycles"`
}

// Compute concludes from the folder of a run, which may still be going on.
func Compute(dir string, loader Loader) (*Document, error) { return compute(dir, loader, DriveFile) }

func compute(dir string, loader Loader, driveFile string) (*Document, error) {
	f, err := open(dir, loader)
	if err != nil {
		return nil, err
	}
	d := &Document{
		Schema: Schema, Run: f.meta.Run, Suite: f.meta.Suite, Bench: f.meta.Bench, Drive: f.meta.Drive, Host: f.meta.Host,
		Module: f.meta.Module, Alignment: f.alignment(), Withheld: []Withheld{}, Warnings: []Warning{}, folder: f,
	}
	d.ending()
	d.sampling()
	d.noted()
	d.brokenOff()
	if err := d.asked(); err != nil {
		return nil, fmt.Errorf("compute results of %s: read what the drive said of itself: %w", dir, err)
	}
	d.selfTested()
	d.accuracyKnown()
	d.rateKnown()
	d.wallStepped()
	d.pairingKnown()
	d.zeroKnown()
	d.readSheet(driveFile)
	if err := d.commanded(); err != nil {
		return nil, fmt.Errorf("compute results of %s: %w", dir, err)
	}
	if err := d.conclude(); err != nil {
		return nil, fmt.Errorf("compute results of %s: %w", dir, err)
	}
	d.judge()
	return d, nil
}

// Reopen concludes from the folder of a run that is over. One that does not say how
// it ended was cut off: powerd was killed, or the machine went down.
func Reopen(dir string, loader Loader) (*Document, error) {
	return ReopenAgainst(dir, loader, DriveFile)
}

// ReopenAgainst is Reopen, held against the claims of another drive file, by its name
// in the run's folder.
func ReopenAgainst(dir string, loader Loader, driveFile string) (*Document, error) {
	d, err := compute(dir, loader, driveFile)
	if err != nil {
		return nil, err
	}
	if d.Run.Outcome == Running {
		d.Run.Outcome, d.Run.Why = Interrupted, "powerd ended without a word: it was killed, or the machine went down"
		d.leftOff()
	}
	return d, nil
}

// leftOff says of a run that was cut off while it had the drive's power off that it left
// it so.
func (d *Document) leftOff() {
	for _, e := range slices.Backward(d.folder.events) {
		switch e.Kind {
		case quarch.EventPowerOn:
			return
		case quarch.EventPowerOff:
			d.Run.Why += fmt.Sprintf("; it had cut the drive's power in step %s, and left it off", e.Step)
			bench := cmp.Or(d.Bench.Name, "BENCH")
			d.warn("drive_left_off", fmt.Sprintf("the run ended while the drive's power was off: unless it was switched on since, it still is; `powerd power %s status` looks, `powerd power %s up` switches it on", bench, bench))
			return
		}
	}
}

// JSON returns the document as results.json holds it.
func (d *Document) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return nil, fmt.Errorf("encode results: %w", err)
	}
	return b.Bytes(), nil
}

// ending says how the run ended, as far as the capture tells.
func (d *Document) ending() {
	d.Run.Outcome = Running
	for _, e := range d.folder.events {
		switch e.Kind {
		case quarch.EventRunEnd:
			d.Run.Outcome, _ = e.Data["outcome"].(string)
			d.Run.Why = e.Text
			d.Run.EndedUTC = utcText(intOf(e.Data["utc_ns"]))
		case quarch.EventRunResume:
			d.Run.Outcome, d.Run.Why, d.Run.EndedUTC = Running, "", ""
		}
	}
	for _, s := range d.folder.steps {
		d.Steps = append(d.Steps, s.end)
	}
}

// sampling says what the main stream, if there is one, was sampled with, and what is odd
// about any.
func (d *Document) sampling() {
	if s := d.folder.main(); s != nil {
		d.Module.PeriodUs, d.Module.Averaging = float64(s.PeriodNs)*1e-3, s.Averaging
		if s.Polled && s.m.Status != align.StatusNone {
			d.Module.PollsPerS = float64(s.End()) / (float64(s.endNs-s.startNs) * 1e-9)
		}
	}
	for i := range d.folder.streams {
		st := &d.folder.streams[i]
		if st.EndReason == StartedAgain {
			continue
		}
		if st.EndReason != "" && st.EndReason != "done" {
			d.warn("stream_ended_early", fmt.Sprintf("stream %d: %s", st.Number, st.EndReason))
		}
		if st.End() > 0 && st.m.Status != align.StatusOK {
			d.warn("alignment_"+st.m.Status, fmt.Sprintf("stream %d: %s", st.Number, st.m.Reason))
		}
	}
	d.losses()
	for _, text := range d.folder.damage {
		d.warn("capture", text)
	}
	for _, w := range d.folder.capture.Warnings() {
		d.warn("capture", d.folder.inside(w))
	}
}

// task is one figure's analysis of one stream.
type task struct {
	what   string // as it stands under withheld
	window analysis.Window
	stream *stream
	add    func(*quarch.Block)
	end    func() error
}

// conclude makes the analyses of all steps, feeds each stream's blocks to them in
// one pass, and takes their results in the order of the steps.
func (d *Document) conclude() error {
	var tasks []task
	for _, s := range d.folder.steps {
		t, err := d.task(s)
		switch {
		case err != nil:
			return fmt.Errorf("step %s: %w", s.mark.Step, err)
		case t.end != nil:
			tasks = append(tasks, t)
		}
	}
	marks, err := d.markTasks()
	if err != nil {
		return err
	}
	tasks = append(tasks, marks...)
	rangeAmps := accuracy.RangeAmps(d.Module.Model)
	for i := range d.folder.streams {
		s := &d.folder.streams[i]
		mine := slices.DeleteFunc(slices.Clone(tasks), func(t task) bool { return t.stream != s })
		if len(mine) == 0 {
			continue
		}
		for b, err := range s.Blocks(0, s.End()) {
			if err != nil { // its stripes count as lost
				d.warn("capture", d.folder.inside(err.Error()))
				continue
			}
			s.saturates(b, rangeAmps)
			for _, t := range mine {
				t.add(b)
			}
		}
	}
	for _, t := range tasks {
		if err := t.conclude(d); err != nil {
			return err
		}
	}
	d.Idle = firstSettled(d.Idles)
	d.compareRounds()
	d.judgeRounds()
	for _, c := range d.Measured() {
		d.Latency = append(d.Latency, c.Latency.BinsOf(c.Step, c.Round)...)
	}
	d.followLoad()
	d.judgeDemands()
	d.compareRecoveries()
	return nil
}

// cutShort returns why a stream ended inside a window; empty if it did not.
func (s *stream) cutShort(w analysis.Window) string {
	if s.endNs >= w.EndNs {
		return ""
	}
	if s.EndReason == "" {
		return "it was never ended"
	}
	return s.EndReason
}

// sampled returns the stream that has samples of a window's start; nil, with the
// reason kept, if none has.
func (d *Document) sampled(what string, w analysis.Window) *stream {
	if w.EndNs <= w.StartNs {
		d.withhold(what, "the step has no length")
		return nil
	}
	for i := range d.folder.streams {
		if s := &d.folder.streams[i]; s.End() > 0 && s.endNs > w.StartNs && s.startNs < w.EndNs {
			return s
		}
	}
	d.withhold(what, "there are no samples of this time")
	return nil
}

// placed is sampled for figures that need the window's borders in the stream.
func (d *Document) placed(what string, w analysis.Window) *stream {
	s := d.sampled(what, w)
	if s == nil {
		return nil
	}
	if why := s.misplaced(w); why != "" {
		d.withhold(what, why)
		return nil
	}
	return s
}

func (d *Document) keep(withheld []Withheld, warnings []Warning) {
	d.Withheld = append(d.Withheld, withheld...)
	d.Warnings = append(d.Warnings, warnings...)
}

func (d *Document) withhold(what, why string) {
	d.Withheld = append(d.Withheld, Withheld{What: what, Why: why})
}

func (d *Document) warn(code, text string) {
	d.Warnings = append(d.Warnings, Warning{Code: code, Text: text})
}
