package measure

import "powerd/quarch"

// warn tells whoever watches, and keeps the warning with the samples, so that the
// results list it. step is "" for what concerns the whole run.
func (r *run) warn(step, code, text string) {
	shown := text
	if step != "" {
		shown = "step " + step + ": " + text
	}
	r.board.warn(code, shown)
	r.Log.Warn(text, "step", step, "code", code)
	r.note(r.capture.Event(quarch.Event{
		MonoNs: r.Now(), Kind: quarch.EventWarning, Step: step, Text: text, Data: map[string]any{"code": code},
	}))
}
