package measure

import (
	"powerd/engine"
	"powerd/powerd/internal/store"
)

func engineSummaries(step string, intervals []engine.Interval) []store.Engine100ms {
	out := make([]store.Engine100ms, len(intervals))
	for i, v := range intervals {
		out[i] = store.Engine100ms{
			EndNs: v.EndNs, DurationNs: v.EndNs - v.StartNs, Step: step,
			Reads: int64(v.Reads), Writes: int64(v.Writes), ReadBytes: int64(v.ReadBytes), WriteBytes: int64(v.WriteBytes),
		}
	}
	return out
}

// note keeps a failure that is no reason to stop measuring.
func (r *run) note(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.unsaved {
		if e.Error() == err.Error() {
			return
		}
	}
	if len(r.unsaved) < 20 {
		r.unsaved = append(r.unsaved, err)
		r.Log.Error("not saved", "error", err)
	}
}

func (r *run) storeRun() store.Run {
	m := r.Meta
	return store.Run{
		ID: m.Run.ID, Suite: m.Suite.Name, Bench: m.Bench.Name, Drive: m.Drive.Model, DriveSerial: m.Drive.Serial,
		Firmware: m.Drive.Firmware, Module: m.Module.Serial, Simulated: m.Suite.Simulated,
		StartedUTCNs: m.Start.UTCNs, StartedMonoNs: m.Start.MonoNs,
	}
}
