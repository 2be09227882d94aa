package results

import "testing"

// Whatever stands in the file: every window has a name that is good, and one that has
// ended has an end of its own.
func FuzzMarks(f *testing.F) {
	f.Add([]byte(`{"mark":"start","name":"a","mono_ns":1}` + "\n" + `{"mark":"end","name":"a","mono_ns":2,"count":3,"unit":"x"}` + "\n"))
	f.Add([]byte(`{"mark":"end","name":"a"}` + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		open := map[string]bool{}
		for _, w := range parseMarks(data).windows {
			if err := w.start.check(); err != nil || w.start.Mark != MarkStart {
				t.Errorf("%+v: %v", w.start, err)
			}
			if w.end == nil && open[w.start.Name] {
				t.Errorf("two open windows of %s", w.start.Name)
			}
			open[w.start.Name] = open[w.start.Name] || w.end == nil
			if w.end != nil && (w.end.Name != w.start.Name || w.end.Mark != MarkEnd) {
				t.Errorf("%+v ends %+v", w.end, w.start)
			}
		}
	})
}
