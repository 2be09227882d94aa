package influx

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"powerd/powerd/internal/store"
)

// longestPause bounds what a server may ask for with Retry-After.
const longestPause = 10 * time.Minute

// drain takes batches from the outbox to the server until the store is closed.
// It is the only goroutine of a Store.
func (s *Store) drain(ctx context.Context) {
	defer close(s.done)
	d := drainer{Store: s}
	for {
		wait, again := d.next(ctx)
		if again {
			continue
		}
		var due <-chan time.Time // nil: never
		wake := s.wake
		if wait > 0 {
			due, wake = s.opts.After(wait), nil
		}
		if d.refused {
			wake = nil
		}
		select {
		case <-s.closing:
			if !d.refused && !d.last {
				d.last = true
				continue
			}
			return
		case <-ctx.Done():
			return
		case <-due:
		case <-wake:
		}
	}
}

// drainer is what the sending goroutine remembers between two requests.
type drainer struct {
	*Store
	failures int  // in a row
	singly   int  // batches still to be sent one by one, to find the bad one
	refused  bool // the token is no good
	last     bool // the store is being closed: no second attempt
}

// next sends the oldest batches. It returns again if there may be more to send
// at once, or how long to wait; 0 = until something new comes.
func (d *drainer) next(ctx context.Context) (wait time.Duration, again bool) {
	limit := d.opts.BatchPoints
	if d.singly > 0 {
		limit = 1
	}
	queued, err := d.opts.Outbox.Next(ctx, d.opts.Dest, limit)
	switch {
	case ctx.Err() != nil:
		d.outOfTime()
		return 0, false
	case err != nil:
		return d.later(answer{words: err.Error()}), false
	}
	if len(queued) == 0 {
		return 0, false
	}
	lines, ids, points := join(queued)
	a := d.send(ctx, lines)
	keep := context.WithoutCancel(ctx) // what the server has done is noted in any case
	switch a.verdict {
	case accepted:
		err = d.accept(keep, ids, points)
	case batchOdd:
		if len(queued) > 1 && a.status != http.StatusNotFound { // which speaks of the bucket
			d.singly = len(queued)
			return 0, true
		}
		err = d.park(keep, a, ids, points, lines)
	case tokenBad:
		d.refused = true
		d.say(fmt.Sprintf("influx refuses the token (%s); correct influx.token: the points are kept and go out at the next start", a.words))
		err = d.opts.Outbox.Keep(keep, ids, a.words, 0)
	case tryLater:
		wait = d.later(a)
		err = d.opts.Outbox.Keep(keep, ids, a.words, d.opts.UTC()+wait.Nanoseconds())
	case noAnswers:
		d.outOfTime()
		return 0, false
	}
	if err != nil { // without its notes it would send the same batch again and again
		return d.later(answer{words: err.Error()}), false
	}
	return wait, a.verdict == accepted || a.verdict == batchOdd
}

// join makes one request of batches.
func join(queued []store.Queued) (lines string, ids []int64, points int64) {
	var b strings.Builder
	for _, q := range queued {
		b.WriteString(q.Lines)
		ids = append(ids, q.ID)
		points += q.Points
	}
	return b.String(), ids, points
}

func (d *drainer) send(ctx context.Context, lines string) answer {
	timed, cancel := context.WithTimeout(ctx, d.opts.Timeout)
	defer cancel()
	err := d.api.WriteRecord(timed, lines)
	if err != nil && ctx.Err() != nil {
		return answer{verdict: noAnswers}
	}
	return read(err)
}

func (d *drainer) accept(ctx context.Context, ids []int64, points int64) error {
	if err := d.opts.Outbox.Done(ctx, ids); err != nil {
		return err
	}
	d.failures = 0
	d.singly = max(0, d.singly-1)
	d.say("")
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.Sent += points
	return nil
}

// park sets batches aside that the server will never take.
func (d *drainer) park(ctx context.Context, a answer, ids []int64, points int64, lines string) error {
	why := fmt.Sprintf("bucket %q refused %d points of %s: %s", d.opts.Bucket, points, measurements(lines), a.words)
	switch a.status {
	case http.StatusNotFound:
		why += "; create the bucket or correct influx.bucket: they go out at the next start"
	case http.StatusRequestEntityTooLarge:
		why += "; lower influx.batch, or let the server take larger requests"
	}
	if err := d.opts.Outbox.Park(ctx, ids, a.status, why); err != nil {
		return err
	}
	d.failures = 0
	d.singly = max(0, d.singly-1)
	d.mu.Lock()
	known := d.parkedWhy == why
	d.parkedWhy = why
	d.mu.Unlock()
	if !known {
		d.opts.Log.Warn("influx batch parked", "reason", why)
	}
	return nil
}

// later notes a failure and returns how long to wait.
func (d *drainer) later(a answer) time.Duration {
	wait := d.opts.RetryMin
	for range d.failures {
		if wait >= d.opts.RetryMax {
			break
		}
		wait *= 2
	}
	wait = max(min(wait, d.opts.RetryMax), min(a.pause, longestPause))
	d.failures++
	d.say(fmt.Sprintf("influx at %s does not take points: %s", d.where, a.words))
	return wait
}

// outOfTime says that the store was closed before the server had answered, unless
// there is a better reason.
func (d *drainer) outOfTime() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trouble == "" {
		d.trouble = fmt.Sprintf("influx at %s gave no answer before the end", d.where)
	}
}

// say keeps the reason why sending does not go on, "" = it does, and logs when
// that changes.
func (d *drainer) say(trouble string) {
	d.mu.Lock()
	before := d.trouble
	d.trouble = trouble
	d.mu.Unlock()
	switch {
	case trouble != "" && before == "":
		d.opts.Log.Warn("influx stalled", "reason", trouble)
	case trouble == "" && before != "":
		d.opts.Log.Info("influx takes points again")
	}
}
