package store

import (
	"fmt"
	"strings"
)

// Report says what became of what a store was handed.
type Report struct {
	Store string // "sqlite", "influx"

	Sent    int64 // points (rows) that the database acknowledged since the store was opened
	Pending int64 // points in the outbox, which the next start sends; earlier runs' included
	Parked  int64 // points of batches that the server refused; it may have stored some of them
	Dropped int64 // points that the full outbox gave up, oldest first
	Empty   int64 // points that held no figure, and so were never stored

	Reason string   // last complaint of the server, and what to do; empty if there is none
	Parts  []Report // of a fan-out: one a store
}

// Err returns nil if everything arrived, otherwise an ErrUnsent that says how
// much did not, why, and where it is.
func (r Report) Err() error {
	if r.Pending+r.Parked+r.Dropped == 0 {
		return nil
	}
	if len(r.Parts) == 0 {
		return fmt.Errorf("%w: %s", ErrUnsent, r)
	}
	var bad []string
	for _, p := range r.Parts {
		if p.Err() != nil {
			bad = append(bad, p.String())
		}
	}
	return fmt.Errorf("%w: %s", ErrUnsent, strings.Join(bad, "; "))
}

// String describes the report in one line.
func (r Report) String() string {
	if len(r.Parts) > 0 {
		lines := make([]string, len(r.Parts))
		for i, p := range r.Parts {
			lines[i] = p.String()
		}
		return strings.Join(lines, "; ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d points stored", r.Store, r.Sent)
	for _, c := range []struct {
		n    int64
		what string
	}{
		{r.Pending, "waiting in the outbox for the next start"},
		{r.Parked, "in refused batches, kept"},
		{r.Dropped, "given up because the outbox is full"},
	} {
		if c.n > 0 {
			fmt.Fprintf(&b, ", %d %s", c.n, c.what)
		}
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, " (%s)", r.Reason)
	}
	return b.String()
}

// add sums the counts of p into r and keeps p as a part.
func (r *Report) add(p Report) {
	r.Sent += p.Sent
	r.Pending += p.Pending
	r.Parked += p.Parked
	r.Dropped += p.Dropped
	r.Empty += p.Empty
	r.Parts = append(r.Parts, p)
}
