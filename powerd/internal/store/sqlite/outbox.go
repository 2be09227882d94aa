package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"powerd/powerd/internal/store"
)

// Put implements store.Outbox.
func (d *DB) Put(ctx context.Context, dest string, batches []store.Batch) (dropped int64, err error) {
	err = d.tx(ctx, syncFull, func(tx *sql.Tx) error {
		for _, b := range batches {
			_, err := tx.ExecContext(ctx, "INSERT INTO outbox (dest, payload, points, bytes, created_utc_ns) VALUES (?,?,?,?,?)",
				dest, b.Lines, b.Points, len(b.Lines), d.opts.UTC())
			if err != nil {
				return err
			}
		}
		dropped, err = d.trim(ctx, tx, dest)
		return err
	})
	return dropped, d.explain("add to the outbox in", err)
}

// trim gives up the oldest batches of dest, parked or not, until it fits.
func (d *DB) trim(ctx context.Context, tx *sql.Tx, dest string) (dropped int64, err error) {
	for {
		var batches, bytes int64
		err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(batches), 0), coalesce(sum(bytes), 0) FROM outbox_total WHERE dest = ?",
			dest).Scan(&batches, &bytes)
		if err != nil || batches <= d.opts.OutboxBatches && bytes <= d.opts.OutboxBytes {
			return dropped, err
		}
		var points int64
		err = tx.QueryRowContext(ctx, `DELETE FROM outbox WHERE id = (SELECT id FROM outbox WHERE +dest = ? ORDER BY id LIMIT 1)
			RETURNING points`, dest).Scan(&points)
		if err != nil {
			return dropped, err
		}
		dropped += points
	}
}

// Next implements store.Outbox.
func (d *DB) Next(ctx context.Context, dest string, maxPoints int) ([]store.Queued, error) {
	rows, err := d.sql.QueryContext(ctx, `SELECT id, payload, points FROM outbox
		WHERE dest = ? AND parked = 0 ORDER BY id LIMIT ?`, dest, max(maxPoints, 1))
	if err != nil {
		return nil, d.explain("read the outbox in", err)
	}
	defer rows.Close()
	var next []store.Queued
	points := int64(0)
	for rows.Next() {
		var q store.Queued
		if err := rows.Scan(&q.ID, &q.Lines, &q.Points); err != nil {
			return nil, d.explain("read the outbox in", err)
		}
		points += q.Points
		if len(next) > 0 && points > int64(maxPoints) {
			break
		}
		next = append(next, q)
	}
	return next, d.explain("read the outbox in", rows.Err())
}

// Done implements store.Outbox.
func (d *DB) Done(ctx context.Context, ids []int64) error {
	return d.eachID(ctx, "DELETE FROM outbox WHERE id IN ", ids)
}

// Keep implements store.Outbox.
func (d *DB) Keep(ctx context.Context, ids []int64, why string, nextUTCNs int64) error {
	return d.eachID(ctx, "UPDATE outbox SET attempts = attempts + 1, last_error = ?, next_try_utc_ns = ? WHERE id IN ",
		ids, why, sql.NullInt64{Int64: nextUTCNs, Valid: nextUTCNs != 0})
}

// Park implements store.Outbox.
func (d *DB) Park(ctx context.Context, ids []int64, status int, why string) error {
	return d.eachID(ctx, "UPDATE outbox SET attempts = attempts + 1, last_error = ?, parked = ? WHERE id IN ",
		ids, why, status)
}

// eachID runs a statement that ends in "id IN " on ids. It is not synced: a power
// cut that undoes it costs one batch sent again, which is harmless.
func (d *DB) eachID(ctx context.Context, stmt string, ids []int64, args ...any) error {
	if len(ids) == 0 {
		return nil
	}
	for _, id := range ids {
		args = append(args, id)
	}
	marks := "(?" + strings.Repeat(",?", len(ids)-1) + ")"
	err := d.tx(ctx, syncNormal, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, stmt+marks, args...)
		return err
	})
	return d.explain("update the outbox in", err)
}

// Unpark implements store.Outbox.
func (d *DB) Unpark(ctx context.Context, dest string, status int) error {
	err := d.tx(ctx, syncFull, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE outbox SET parked = 0 WHERE dest = ? AND parked = ?", dest, status)
		return err
	})
	return d.explain("update the outbox in", err)
}

// Totals implements store.Outbox.
func (d *DB) Totals(ctx context.Context, dest string) (store.Totals, error) {
	rows, err := d.sql.QueryContext(ctx, `SELECT parked <> 0, sum(batches), sum(points), sum(bytes) FROM outbox_total
		WHERE dest = ? GROUP BY parked <> 0`, dest)
	if err != nil {
		return store.Totals{}, d.explain("read the outbox in", err)
	}
	defer rows.Close()
	var t store.Totals
	for rows.Next() {
		var parked bool
		var s store.Size
		if err := rows.Scan(&parked, &s.Batches, &s.Points, &s.Bytes); err != nil {
			return t, d.explain("read the outbox in", err)
		}
		if parked {
			t.Parked = s
		} else {
			t.Pending = s
		}
	}
	return t, d.explain("read the outbox in", rows.Err())
}
