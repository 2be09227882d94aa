package fio

import (
	"io"
	"os"
	"time"

	"powerd/engine"
)

// tailEvery is how often fio's output is looked at for a new document.
const tailEvery = 50 * time.Millisecond

// run is one job under way.
type run struct {
	job      engine.Job
	proc     *process
	progress chan engine.Progress
	tailed   chan struct{}
}

// Progress yields a preview about once a second. A reader that is late gets
// longer intervals, none are lost.
func (r *run) Progress() <-chan engine.Progress { return r.progress }

// Wait waits for fio's end and computes the result from its files.
func (r *run) Wait() (*engine.Result, error) {
	<-r.proc.done
	<-r.tailed
	if r.proc.err != nil {
		return nil, &engine.JobError{
			Step: r.job.Step, Why: "its record could not be written", Err: r.proc.err,
			Hint: "look for space on the run's folder",
		}
	}
	return load(r.job)
}

// tail follows fio's output while fio runs.
func (r *run) tail(now func() int64, path string, spawnNs int64) {
	defer close(r.tailed)
	defer close(r.progress)
	ticker := time.NewTicker(tailEvery)
	defer ticker.Stop()
	t := &tailer{path: path}
	defer t.close()
	p := &preview{job: r.job, spawnNs: spawnNs}
	for {
		select {
		case <-r.proc.done:
			return
		case <-ticker.C:
		}
		for _, doc := range t.documents() {
			d, err := decode(doc)
			if err != nil {
				continue // Wait says so
			}
			if next, ok := p.next(now(), d); ok {
				select {
				case r.progress <- next:
					p.sent()
				default: // the next one covers this interval as well
				}
			}
		}
	}
}

// tailer reads a file that grows.
type tailer struct {
	path string
	f    *os.File
	s    splitter
}

// documents returns the reports that were completed since the last call.
func (t *tailer) documents() [][]byte {
	if t.f == nil {
		f, err := os.Open(t.path)
		if err != nil {
			return nil // not there yet
		}
		t.f = f
	}
	data, err := io.ReadAll(t.f)
	if err != nil {
		return nil // Wait reads the file again and says so
	}
	var out [][]byte
	for _, p := range t.s.feed(data) {
		if p.kind == pieceDocument && isReport(p.data) {
			doc, _ := dropNonFinite(p.data, p.offset)
			out = append(out, doc)
		}
	}
	return out
}

func (t *tailer) close() {
	if t.f != nil {
		_ = t.f.Close()
	}
}
