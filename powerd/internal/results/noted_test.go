package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"powerd/quarch"
)

// What was warned of during the run stands in its results, with its step. Samples that
// waited for the disk, 3 times 0.4 s, are one warning of 1.2 s; 0.8 s are none.
func TestWarningsOfTheRunAreListed(t *testing.T) {
	wait := quarch.Event{Kind: quarch.EventWarning, Text: "waited", Data: map[string]any{"code": "disk_slow", "waited_ns": int64(4e8)}}
	collapse := quarch.Event{Kind: quarch.EventWarning, Step: "fill", Text: "IOPS fell", Data: map[string]any{"code": "collapse"}}
	d := &Document{folder: &folder{events: []quarch.Event{wait, collapse, {Kind: quarch.EventClock}, wait}}}
	d.noted()
	if diff := cmp.Diff([]Warning{{Code: "collapse", Text: "step fill: IOPS fell"}}, d.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d = &Document{folder: &folder{events: []quarch.Event{wait, wait, wait}}}
	d.noted()
	if diff := cmp.Diff([]Warning{{Code: "disk_slow", Text: "the disk did not follow: samples waited for it 3 times, 1.2 s in all"}}, d.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
