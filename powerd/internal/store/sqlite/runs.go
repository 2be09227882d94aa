package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"powerd/powerd/internal/store"
)

// Begin implements store.Store.
func (d *DB) Begin(ctx context.Context, run store.Run) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return d.explain("begin run in", store.ErrClosed)
	case d.run != nil:
		return d.explain("begin run "+run.ID+" in", store.ErrBegun)
	case run.ID == "":
		return d.explain("begin run in", errors.New("it has no ID"))
	}
	err := d.tx(ctx, syncFull, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO runs (id, suite, bench, drive, drive_serial, firmware, module, simulated,
			started_utc_ns, started_mono_ns, outcome) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)
			ON CONFLICT (id) DO UPDATE SET suite = ?2, bench = ?3, drive = ?4, drive_serial = ?5, firmware = ?6, module = ?7,
			simulated = ?8, started_utc_ns = ?9, started_mono_ns = ?10, outcome = ?11, ended_utc_ns = NULL`,
			run.ID, run.Suite, run.Bench, run.Drive, run.DriveSerial, run.Firmware, run.Module, run.Simulated,
			run.StartedUTCNs, run.StartedMonoNs, store.Running)
		return err
	})
	if err != nil {
		return d.explain("begin run "+run.ID+" in", err)
	}
	d.run = &run
	return nil
}

// Step implements store.Store.
func (d *DB) Step(ctx context.Context, s store.StepRow) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.during(ctx, "store step "+s.Name+" in", func(tx *sql.Tx, run store.Run) error {
		end := sql.NullInt64{Int64: run.UTCNs(s.EndNs), Valid: s.EndNs != 0}
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO steps VALUES (?,?,?,?,?,?,?)`,
			run.ID, s.Name, s.Kind, run.UTCNs(s.StartNs), end, s.Outcome, s.Why)
		return err
	})
}

// End implements store.Store.
func (d *DB) End(ctx context.Context, outcome string, endNs int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.during(ctx, "end run in", func(tx *sql.Tx, run store.Run) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET outcome = ?, ended_utc_ns = ? WHERE id = ?",
			outcome, run.UTCNs(endNs), run.ID)
		return err
	})
	if err == nil {
		d.run = nil
	}
	return err
}

// Live implements store.Store: what came is written once it spans a second.
func (d *DB) Live(ctx context.Context, rails []store.Rail100ms, engines []store.Engine100ms) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ready(ctx); err != nil {
		return d.explain("store live summaries in", err)
	}
	due, err := d.gather.Add(rails, engines)
	if due {
		err = errors.Join(err, d.flushOnly(ctx, syncNormal))
	}
	return d.explain("store live summaries in", err)
}

// Close implements store.Store. Live summaries are written whatever ctx says.
func (d *DB) Close(ctx context.Context) (store.Report, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return d.report, nil
	}
	d.closed = true
	var err error
	if d.run != nil && !d.gather.Empty() {
		err = d.flushOnly(context.WithoutCancel(ctx), syncFull)
	}
	d.run = nil
	return d.report, d.explain("close", errors.Join(err, d.sql.Close()))
}

// during runs do in one transaction with the live summaries that wait. The
// caller holds d.mu.
func (d *DB) during(ctx context.Context, op string, do func(*sql.Tx, store.Run) error) error {
	if err := d.ready(ctx); err != nil {
		return d.explain(op, err)
	}
	err := d.tx(ctx, syncFull, func(tx *sql.Tx) error {
		if err := d.flush(ctx, tx); err != nil {
			return err
		}
		return do(tx, *d.run)
	})
	if err != nil {
		return d.explain(op, err)
	}
	d.flushed()
	return nil
}

func (d *DB) ready(ctx context.Context) error {
	switch {
	case d.closed:
		return store.ErrClosed
	case d.run == nil:
		return store.ErrNotBegun
	}
	return ctx.Err()
}

// flushOnly writes the live summaries that wait in a transaction of their own.
func (d *DB) flushOnly(ctx context.Context, sync string) error {
	err := d.tx(ctx, sync, func(tx *sql.Tx) error { return d.flush(ctx, tx) })
	if err == nil {
		d.flushed()
	}
	return err
}

// flush writes the live summaries that wait; flushed forgets them once they are
// committed.
func (d *DB) flush(ctx context.Context, tx *sql.Tx) error {
	run := *d.run
	if len(d.gather.Rails) > 0 {
		st, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO agg_100ms VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)") // ends with tx
		if err != nil {
			return err
		}
		for _, r := range d.gather.Rails {
			args := []any{run.ID, r.Rail, run.UTCNs(r.EndNs), r.Step, r.N, r.Lost}
			for _, s := range []store.Stats{r.V, r.A, r.W} {
				args = append(args, known(s.Min), known(s.Mean), known(s.Max), known(s.Std))
			}
			if _, err := st.ExecContext(ctx, args...); err != nil {
				return err
			}
		}
	}
	for _, e := range d.gather.Engines {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO engine_100ms VALUES (?,?,?,?,?,?,?,?)", run.ID,
			run.UTCNs(e.EndNs), e.Step, e.DurationNs, e.Reads, e.Writes, e.ReadBytes, e.WriteBytes)
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *DB) flushed() {
	d.report.Sent += int64(len(d.gather.Rails) + len(d.gather.Engines))
	d.gather.Reset()
}

// known returns v, or NULL if it is not a number.
func known(v float64) sql.NullFloat64 {
	return sql.NullFloat64{Float64: v, Valid: !math.IsNaN(v) && !math.IsInf(v, 0)}
}
