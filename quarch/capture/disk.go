package capture

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

const (
	// partsInFlight bounds what waits for the disk: some seconds at any rate.
	partsInFlight = 8
	// StallLimit is how long Write waits for the disk at most.
	StallLimit = 10 * time.Second
)

// job is one thing to write, or a wish to know that all before it is written.
type job struct {
	part *part
	meta []byte
	done chan<- struct{}
}

// disk writes parts and meta.json, in order, on a goroutine of its own.
type disk struct {
	dir  string
	jobs chan job
	free chan *part
	idle chan struct{} // closed when the goroutine has ended
	enc  encoder
	dirs map[string]bool // folders that are there

	mu  sync.Mutex
	err error // the first failure
}

func startDisk(dir string) *disk {
	d := &disk{
		dir:  dir,
		jobs: make(chan job, 2*partsInFlight),
		free: make(chan *part, partsInFlight),
		idle: make(chan struct{}),
		dirs: make(map[string]bool),
	}
	for range partsInFlight {
		d.free <- new(part)
	}
	go d.run()
	return d
}

// take returns a part to fill, and how long it waited for one.
func (d *disk) take(now func() int64) (p *part, waitedNs int64, err error) {
	select {
	case p := <-d.free:
		return p, 0, nil
	default:
	}
	start := now()
	limit := time.NewTimer(StallLimit)
	defer limit.Stop()
	select {
	case p := <-d.free:
		return p, max(1, now()-start), d.failure()
	case <-limit.C:
		d.fail(fmt.Errorf("write to %s: %w: no part taken for %v; use a faster disk or a longer stripe period", d.dir, ErrDiskSlow, StallLimit))
		return nil, 0, d.failure()
	}
}

// put queues a job. It may wait for the disk.
func (d *disk) put(j job) { d.jobs <- j }

// mark returns a channel that is closed when all that was put before is written,
// or has failed.
func (d *disk) mark() <-chan struct{} {
	done := make(chan struct{})
	d.put(job{done: done})
	return done
}

// stop writes what is queued and ends the goroutine. Nothing may be put after.
func (d *disk) stop() error {
	close(d.jobs)
	<-d.idle
	return d.failure()
}

func (d *disk) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *disk) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
	}
}

// run does the jobs until there are no more. After a failure it only takes them,
// so that nobody waits for ever.
func (d *disk) run() {
	defer close(d.idle)
	for j := range d.jobs {
		if d.failure() == nil {
			if err := d.do(j); err != nil {
				d.fail(err)
			}
		}
		if j.part != nil {
			d.free <- j.part
		}
		if j.done != nil {
			close(j.done)
		}
	}
}

func (d *disk) do(j job) error {
	switch {
	case j.meta != nil:
		path := filepath.Join(d.dir, metaName)
		if err := writeWhole(path, j.meta); err != nil {
			return fmt.Errorf("write %s: %w; all parts before it are good", path, err)
		}
	case j.part != nil:
		return d.writePart(j.part)
	}
	return nil
}

// writePart writes the arrivals first, so that no part stands without them.
func (d *disk) writePart(p *part) error {
	h := &p.head
	path := partPath(d.dir, h.serial, h.stream, h.first)
	err := d.needDir(filepath.Dir(path))
	if err == nil && len(p.arrivals.first) > 0 {
		err = d.writeTable(arrivalsPath(d.dir, h.serial, h.stream, h.first), p.arrivals.table(), h.keyValues(arrivalsSchema))
	}
	if err == nil {
		err = d.writeTable(path, p.columns(), h.keyValues(stripesSchema))
	}
	if err != nil {
		return fmt.Errorf("write %s (stripes %d to %d of stream %d are not on the disk; all before are): %w", path, h.first, p.end(), h.stream, err)
	}
	return nil
}

func (d *disk) writeTable(path string, cols []column, meta []keyValue) error {
	data, err := d.enc.encode(cols, meta)
	if err != nil {
		return err
	}
	return writeWhole(path, data)
}

func (d *disk) needDir(dir string) error {
	if d.dirs[dir] {
		return nil
	}
	d.dirs[dir] = true
	return makeDir(dir)
}
