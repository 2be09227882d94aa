package results

import (
	"fmt"
	"strings"

	"powerd/quarch"
)

// slowDiskNs is how long samples may have waited for the disk in all until it is
// worth a word: nothing is lost by waiting.
const slowDiskNs = 1_000_000_000

// selfTested warns of a module whose self test had failed when the run began.
func (d *Document) selfTested() {
	if test := d.Module.SelfTest; test != "" && !strings.EqualFold(test, "OK") {
		d.warn("self_test_failed", fmt.Sprintf("the self test of module %s failed (%s): every figure of this run may be wrong; an HD module fails it falsely in the first seconds after switching on", d.Module.Serial, test))
	}
}

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
