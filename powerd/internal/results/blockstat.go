package results

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"powerd/analysis"
	"powerd/engine"
	"powerd/powerd/internal/catalog"
)

// readStatistics reads what the kernel counted on the target; a run whose target was
// not followed has none.
func (f *folder) readStatistics() {
	f.statistics = map[int]*catalog.BlockStatistics{}
	for _, l := range f.legs {
		dir := EngineDir(f.dir, l.Number)
		s, err := catalog.LoadStatistics(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			f.damage = append(f.damage, f.inside(err.Error()))
			continue
		case s.Readings() == 0: // its reason is among the run's warnings
			continue
		}
		f.statistics[l.Number] = s
		f.hostIO = append(f.hostIO, s.Intervals()...)
		for _, text := range s.Damage {
			f.damage = append(f.damage, f.inside(filepath.Join(dir, text)))
		}
	}
}

// counted returns what the kernel counted around a host time; nil = nobody followed the
// target then.
func (f *folder) counted(ns int64) *catalog.BlockStatistics { return f.statistics[f.legAt(ns)] }

// followed returns what reached the target in a window, or why that is not known. Where
// nobody followed it both are empty: there is no such target, or a warning says why.
func (f *folder) followed(w analysis.Window) (*engine.Result, string) {
	s := f.counted(w.StartNs)
	if s == nil {
		return nil, ""
	}
	r, err := s.Result(w.StartNs, w.EndNs)
	if err != nil {
		return nil, err.Error()
	}
	return r, ""
}

// hostIOs returns what the host asked of the target around a step.
func (f *folder) hostIOs(s step) []engine.Interval {
	var out []engine.Interval
	for _, v := range f.hostIO {
		if v.EndNs > s.end.StartMonoNs && v.StartNs < s.end.EndMonoNs {
			out = append(out, v)
		}
	}
	return out
}

// otherRequests warns of what the host asked for in an idle step beside reads and writes.
func (d *Document) otherRequests(s step) {
	counts := d.folder.counted(s.end.StartMonoNs)
	if counts == nil {
		return
	}
	if n := counts.Between(s.end.StartMonoNs, s.end.EndMonoNs).Least; n.Discards+n.Flushes > 0 {
		d.warn("host_requests", fmt.Sprintf("idle step %s: the host sent the drive %d discards and %d flushes: it was not idle", s.mark.Step, n.Discards, n.Flushes))
	}
}

// What an engine's bytes and the kernel's may differ by: IO under way at the borders,
// and what the system reads of a drive that was opened.
const (
	toleratedShare = 0.01
	toleratedBytes = 1 << 20
)

// crossCheck holds what an engine says it did against what reached the target
// meanwhile. Bytes are compared, since the kernel may split and join requests.
func (d *Document) crossCheck(step string, r *engine.Result) {
	s := d.folder.counted(r.StartNs)
	if s == nil {
		return
	}
	around := s.Between(r.StartNs-r.EdgeU95Ns, r.EndNs+r.EdgeU95Ns)
	inside := s.Between(r.StartNs+r.EdgeU95Ns, r.EndNs-r.EdgeU95Ns).Least
	said := float64(r.Bytes())
	slack := toleratedShare*said + toleratedBytes
	text := fmt.Sprintf("step %s: %s says %s, the kernel counted", step, r.Engine, counted(r.IOs(), r.Bytes()))
	switch most := around.Most; {
	case !around.Open && r.Bytes() > 0 && most.Bytes() == 0:
		d.warn("io_not_on_target", text+" none on the target: another device was loaded, or memory answered all of it")
	case !around.Open && float64(most.Bytes()) < said-slack:
		d.warn("io_cached", fmt.Sprintf("%s %s at most on the target: the rest never reached it (page cache?), so watts and IOs are not of the same work",
			text, counted(most.IOs(), most.Bytes())))
	case float64(inside.Bytes()) > said+slack:
		d.warn("io_of_others", fmt.Sprintf("%s %s at least on the target: somebody else used it in these %.3g s, and their watts are in the figures",
			text, counted(inside.IOs(), inside.Bytes()), float64(r.EndNs-r.StartNs)*1e-9))
	}
}

func counted(ios, bytes uint64) string {
	return fmt.Sprintf("%d IOs of %.6g MB", ios, float64(bytes)/1e6)
}
