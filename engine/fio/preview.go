package fio

import (
	"time"

	"powerd/engine"
)

// preview turns cumulative documents into what was done between them.
type preview struct {
	job     engine.Job
	spawnNs int64
	base    snapshot // of the last document that was sent
	latest  snapshot
}

// snapshot is a document's totals.
type snapshot struct {
	done    engine.Interval // counts only
	runtime time.Duration
	ramping bool
}

func snapshotOf(d *document) snapshot {
	var s snapshot
	var ms uint64
	for i := range d.Entries {
		e := &d.Entries[i]
		if t := e.Read; t != nil && t.complete() {
			s.done.Reads += *t.IOs
			s.done.ReadBytes += *t.bytes(d.version)
		}
		if t := e.Write; t != nil && t.complete() {
			s.done.Writes += *t.IOs
			s.done.WriteBytes += *t.bytes(d.version)
		}
		ms = max(ms, e.runtimeMs())
	}
	s.runtime = time.Duration(min(ms, 1<<40)) * time.Millisecond
	return s
}

// next returns the preview that a document read at atNs makes; ok = false if
// nothing has run since the last one sent. The interval's length is fio's
// runtime, not the time between documents, which is uneven.
func (p *preview) next(atNs int64, d *document) (engine.Progress, bool) {
	s := snapshotOf(d)
	// fio counts the ramp, too, and starts anew at its end. Counting began less
	// than the ramp after the spawn: this is still the ramp.
	s.ramping = time.Duration(atNs-p.spawnNs)-s.runtime < p.job.Ramp
	base := p.base
	if base.ramping != s.ramping || restarted(base, s) {
		base = snapshot{ramping: s.ramping}
	}
	ran := s.runtime - base.runtime
	if ran <= 0 {
		return engine.Progress{}, false
	}
	p.latest = s
	out := engine.Progress{AtNs: atNs, Ramping: s.ramping, Interval: engine.Interval{
		StartNs: atNs - int64(ran), EndNs: atNs,
		Reads: s.done.Reads - base.done.Reads, Writes: s.done.Writes - base.done.Writes,
		ReadBytes: s.done.ReadBytes - base.done.ReadBytes, WriteBytes: s.done.WriteBytes - base.done.WriteBytes,
	}}
	if !s.ramping {
		out.Elapsed = s.runtime
	}
	return out, true
}

// sent makes the latest document the one that differences are taken from.
func (p *preview) sent() { p.base = p.latest }

// restarted reports whether counters fell, as at the end of a ramp.
func restarted(a, b snapshot) bool {
	return b.runtime < a.runtime ||
		b.done.Reads < a.done.Reads || b.done.Writes < a.done.Writes ||
		b.done.ReadBytes < a.done.ReadBytes || b.done.WriteBytes < a.done.WriteBytes
}
