package results

import "powerd/quarch"

// Lost returns the event of stripes that never came, just before b.
func Lost(b *quarch.Block) quarch.Event {
	cause := "lost on the way"
	if b.Resync > 0 {
		cause = "frame boundary lost and found again"
	}
	return quarch.Event{MonoNs: b.ReadAtNs, Kind: quarch.EventGap, Text: cause, Data: map[string]any{
		"stripes": b.Lost, "before_stripe": b.First,
	}}
}
