package results

import (
	"powerd/quarch"
)

// Health is what a drive said of itself.
type Health struct {
	Tool       string   `json:"tool"`
	TempC      *float64 `json:"temp_c,omitempty"`
	PowerState string   `json:"power_state,omitempty"`
}

// When a drive is asked of itself: never between, as a drive that is asked is not idle.
const (
	BeforeSteps = "before" // its first one
	AfterSteps  = "after"  // its last one
)

// HealthEvent returns the event that tells what a drive said of itself.
func HealthEvent(nowNs int64, when string, h Health) quarch.Event {
	return quarch.Event{MonoNs: nowNs, Kind: quarch.EventDriveState, Text: when, Data: map[string]any{"health": h}}
}

// asked takes what the drive said of itself before the first step and after the last one.
func (d *Document) asked() error {
	for _, e := range d.folder.events {
		if e.Kind != quarch.EventDriveState {
			continue
		}
		var h Health
		if err := remarshal(e.Data["health"], &h); err != nil {
			return err
		}
		d.Drive.HealthTool = h.Tool
		switch {
		case e.Text == AfterSteps:
			d.Drive.TempAfterC, d.Drive.PowerStateAfter = h.TempC, h.PowerState
		case d.Drive.TempBeforeC == nil && d.Drive.PowerStateBefore == "":
			d.Drive.TempBeforeC, d.Drive.PowerStateBefore = h.TempC, h.PowerState
		}
	}
	return nil
}
