package results

// Span is a stretch of time that a user marked.
type Span struct {
	Name                   string
	StartMonoNs, EndMonoNs int64 // EndMonoNs 0: its end was never marked
}

// UserSpans returns what users marked in the run, in the order of their starts, those
// too whose end nobody marked and which have no figures for that reason.
func (d *Document) UserSpans() []Span {
	marks, err := readMarks(d.folder.dir)
	if err != nil {
		return nil // the figures could not have been computed
	}
	var out []Span
	for _, m := range marks.windows {
		s := Span{Name: m.start.Name, StartMonoNs: m.start.MonoNs}
		if m.end != nil {
			s.EndMonoNs = m.end.MonoNs
		}
		out = append(out, s)
	}
	return out
}
