package serve

import (
	"container/heap"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"powerd/engine/twin/model"
)

// earlyNs is how long before it is due an IO may be let go: about what it takes
// to wake a thread.
const earlyNs = 60_000

// request is an IO in the drive.
type request struct {
	ticket model.Ticket
	asked  model.Request
	flush  bool               // asks for nothing but the time
	done   chan syscall.Errno // holds one
}

// requests is a heap, the earliest due first.
type requests []*request

func (r requests) Len() int           { return len(r) }
func (r requests) Less(i, j int) bool { return r[i].ticket.DueNs < r[j].ticket.DueNs }
func (r requests) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *requests) Push(x any)        { *r = append(*r, x.(*request)) }

func (r *requests) Pop() any {
	old := *r
	last := old[len(old)-1]
	*r = old[:len(old)-1]
	return last
}

// pacer completes IO when it is due.
type pacer struct {
	drive   *model.Drive
	now     func() int64
	timerFd int      // a timer of the kernel's: it runs out to the microsecond
	timer   *os.File // the same, to wait for
	stopped chan struct{}
	pool    sync.Pool
	counted counters
	booking bookings

	mu       sync.Mutex
	waiting  requests
	wakeAtNs int64 // the pacer sleeps until then; 0 = it is awake
	stopping bool

	refusing atomic.Bool // every IO fails; set under mu
}

func newPacer(drive *model.Drive, now func() int64) (*pacer, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("make a timer for the pacer: %w", err)
	}
	p := &pacer{drive: drive, now: now, timerFd: fd, timer: os.NewFile(uintptr(fd), "timer"), stopped: make(chan struct{}), counted: counters{now: now}}
	p.pool.New = func() any { return &request{done: make(chan syscall.Errno, 1)} }
	go p.run()
	return p, nil
}

// serve takes an IO and returns when it is done.
func (p *pacer) serve(q model.Request) syscall.Errno {
	booking := p.booking.begin(p.now())
	nowNs := p.now()
	ticket, err := p.drive.Admit(nowNs, q)
	booking.end()
	if err != nil {
		return syscall.EIO
	}
	p.counted.begin(nowNs)
	if ticket.DueNs-earlyNs <= nowNs {
		return p.finish(&ticket, &q)
	}
	r := p.pool.Get().(*request)
	defer p.pool.Put(r)
	r.ticket, r.asked, r.flush = ticket, q, false
	if !p.put(r) {
		return p.finish(&ticket, &q)
	}
	return <-r.done
}

// flush returns when what was written so far has left the drive's write cache.
func (p *pacer) flush() syscall.Errno {
	nowNs := p.now()
	dueNs, err := p.drive.Flush(nowNs)
	if err != nil {
		return syscall.EIO
	}
	if dueNs > nowNs {
		r := p.pool.Get().(*request)
		defer p.pool.Put(r)
		r.ticket, r.flush = model.Ticket{SubmitNs: nowNs, DueNs: dueNs}, true
		if p.put(r) {
			if errno := <-r.done; errno != 0 {
				return errno
			}
		}
	}
	if !p.ready() {
		return syscall.EIO
	}
	p.counted.flush()
	return 0
}

// put gives r to the pacer, which will send to r.done, or says that IO is
// refused.
func (p *pacer) put(r *request) bool {
	p.mu.Lock()
	if p.refusing.Load() {
		p.mu.Unlock()
		return false
	}
	heap.Push(&p.waiting, r)
	wake := p.wakeEarlier(r.ticket.DueNs - earlyNs)
	p.mu.Unlock()
	if wake {
		p.wake()
	}
	return true
}

// ready says whether the drive would take an IO now.
func (p *pacer) ready() bool {
	return !p.refusing.Load() && p.drive.Ready(p.now())
}

// wakeEarlier says whether the pacer sleeps past ns and must be woken; the caller
// holds mu.
func (p *pacer) wakeEarlier(ns int64) bool {
	if p.wakeAtNs <= ns {
		return false
	}
	p.wakeAtNs = 0
	return true
}

func (p *pacer) wake() { p.set(1) }

// refuse fails every IO from now on, those in the drive too.
func (p *pacer) refuse() {
	p.mu.Lock()
	p.refusing.Store(true)
	p.wakeAtNs = 0
	p.mu.Unlock()
	p.wake()
}

// stop ends the pacer and waits for it.
func (p *pacer) stop() {
	p.mu.Lock()
	p.refusing.Store(true)
	p.stopping = true
	p.wakeAtNs = 0
	p.mu.Unlock()
	p.wake()
	<-p.stopped
	_ = p.timer.Close()
}

// run completes what is due until stop.
func (p *pacer) run() {
	defer close(p.stopped)
	var due []*request
	for {
		var untilNs int64
		var stop bool
		due, untilNs, stop = p.collect(due[:0])
		for _, r := range due {
			if r.flush {
				r.done <- 0
			} else {
				r.done <- p.finish(&r.ticket, &r.asked)
			}
		}
		if stop {
			return
		}
		if len(due) == 0 {
			p.sleep(untilNs)
		}
	}
}

// collect takes what is due. If nothing is, it says until when to sleep.
func (p *pacer) collect(due []*request) (_ []*request, untilNs int64, stop bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	nowNs := p.now()
	for len(p.waiting) > 0 && (p.refusing.Load() || p.waiting[0].ticket.DueNs-earlyNs <= nowNs) {
		due = append(due, heap.Pop(&p.waiting).(*request))
	}
	p.wakeAtNs = 0
	if len(due) == 0 && !p.stopping {
		p.wakeAtNs = math.MaxInt64
		if len(p.waiting) > 0 {
			p.wakeAtNs = p.waiting[0].ticket.DueNs - earlyNs
		}
	}
	return due, p.wakeAtNs, p.stopping
}

// finish books an IO. A drive that lost its power meanwhile has not done it.
func (p *pacer) finish(t *model.Ticket, q *model.Request) syscall.Errno {
	doneNs := p.now()
	if p.refusing.Load() || !p.drive.Ready(doneNs) {
		p.counted.end(t, q, doneNs, false)
		return syscall.EIO
	}
	p.drive.Done(*t, doneNs)
	p.counted.end(t, q, doneNs, true)
	return 0
}

// sleep waits for a time or for wake. It does so in the runtime's poller, and holds no
// thread: one that slept in a system call would keep its processor, and with it whom it has
// just woken, for a while.
func (p *pacer) sleep(untilNs int64) {
	p.set(untilNs)
	p.mu.Lock()
	woken := p.wakeAtNs == 0
	p.mu.Unlock()
	if woken {
		return
	}
	var n [8]byte
	_, _ = p.timer.Read(n[:])
}

// set lets the timer run out at untilNs, or at once if that has passed.
func (p *pacer) set(untilNs int64) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(min(max(untilNs, 1), 1<<62))}
	_ = unix.TimerfdSettime(p.timerFd, unix.TFD_TIMER_ABSTIME, &spec, nil)
}
