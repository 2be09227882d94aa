package results

import (
	"fmt"

	"powerd/quarch"
)

// slowDiskNs is how long samples may have waited for the disk in all until it is
// worth a word: nothing is lost by waiting.
const slowDiskNs = 1_000_000_000

// noted lists the warnings that were given while the run was under way.
func (d *Document) noted() {
	var waitedNs, waits int64
	for _, e := range d.folder.events {
		if e.Kind != quarch.EventWarning {
			continue
		}
		code, _ := e.Data["code"].(string)
		if ns := intOf(e.Data["waited_ns"]); ns > 0 { // one an event: they may be many
			waitedNs, waits = waitedNs+ns, waits+1
			continue
		}
		if code == "" {
			code = "noted"
		}
		text := e.Text
		if e.Step != "" {
			text = "step " + e.Step + ": " + text
		}
		d.warn(code, text)
	}
	if waitedNs >= slowDiskNs {
		d.warn("disk_slow", fmt.Sprintf("the disk did not follow: samples waited for it %d times, %.1f s in all", waits, float64(waitedNs)*1e-9))
	}
}
