package store

import "context"

// Outbox keeps batches of points on disk until a server has acknowledged them.
// dest names the server; what waits for one is no business of another.
type Outbox interface {
	// Put adds batches at the end, all or none, synced to disk. If that makes
	// the outbox too large, the oldest batches of dest are given up; dropped is
	// how many points that cost.
	Put(ctx context.Context, dest string, batches []Batch) (dropped int64, err error)

	// Next returns the oldest batches that are not parked: as many as hold
	// maxPoints together, but at least one if there is one.
	Next(ctx context.Context, dest string, maxPoints int) ([]Queued, error)

	// Done removes batches: the server has them.
	Done(ctx context.Context, ids []int64) error

	// Keep notes a failed attempt, why, and when the next one is
	// due (UTC, ns; 0 = at the next start).
	Keep(ctx context.Context, ids []int64, why string, nextUTCNs int64) error

	// Park sets batches aside that the server refused with an HTTP status.
	Park(ctx context.Context, ids []int64, status int, why string) error

	// Unpark lets batches go again that were refused with an HTTP status.
	Unpark(ctx context.Context, dest string, status int) error

	// Totals says how much there is.
	Totals(ctx context.Context, dest string) (Totals, error)
}

// Batch is lines of line protocol, and how many points they are.
type Batch struct {
	Lines  string
	Points int64
}

// Queued is a batch in an outbox.
type Queued struct {
	ID int64 // rises in order of arrival
	Batch
}

// Totals counts what is in an outbox for one server.
type Totals struct {
	Pending, Parked Size
}

// Size is an amount of batches.
type Size struct{ Batches, Points, Bytes int64 }
