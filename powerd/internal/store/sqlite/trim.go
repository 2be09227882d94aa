package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"powerd/powerd/internal/store"
)

var _ store.Trimmer = (*DB)(nil)

// trimRows bounds how long one transaction of TrimLive keeps others waiting.
const trimRows = 20_000

// TrimLive implements store.Trimmer. The file does not shrink: what comes next takes the
// room. A run of which nothing is left, and that is over, is forgotten too.
func (d *DB) TrimLive(ctx context.Context, suite string, beforeUTCNs int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return d.explain("trim", store.ErrClosed)
	}
	for {
		var n int64
		err := d.tx(ctx, syncNormal, func(tx *sql.Tx) (err error) {
			n, err = trimSome(ctx, tx, suite, beforeUTCNs)
			return err
		})
		if err != nil || n < trimRows {
			return d.explain("trim", err)
		}
	}
}

// trimSome forgets up to trimRows summaries of one rail of one run.
func trimSome(ctx context.Context, tx *sql.Tx, suite string, before int64) (int64, error) {
	var run, rail string
	err := tx.QueryRowContext(ctx, `SELECT a.run, a.rail FROM runs u JOIN agg_100ms a ON a.run = u.id
		WHERE u.suite = ? AND u.started_utc_ns < ? AND a.end_utc_ns < ? LIMIT 1`, suite, before, before).Scan(&run, &rail)
	if errors.Is(err, sql.ErrNoRows) {
		_, err := tx.ExecContext(ctx, `DELETE FROM runs WHERE suite = ? AND ended_utc_ns < ?
			AND NOT EXISTS (SELECT 1 FROM agg_100ms a WHERE a.run = runs.id)`, suite, before)
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	res, err := tx.ExecContext(ctx, `DELETE FROM agg_100ms WHERE run = ?1 AND rail = ?2 AND end_utc_ns IN (
		SELECT end_utc_ns FROM agg_100ms WHERE run = ?1 AND rail = ?2 AND end_utc_ns < ?3 LIMIT ?4)`, run, rail, before, trimRows)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	if n > 0 { // there may be another rail
		n = trimRows
	}
	return n, err
}
