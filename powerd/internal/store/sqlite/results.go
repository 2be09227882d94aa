package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"powerd/analysis"
	"powerd/powerd/internal/store"
)

// Results implements store.Store: what the run had so far is replaced.
func (d *DB) Results(ctx context.Context, resultsJSON []byte, tables []*analysis.Table) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	rows := int64(0)
	err := d.during(ctx, "store results in", func(tx *sql.Tx, run store.Run) error {
		if !json.Valid(resultsJSON) {
			return errors.New("the results are not JSON")
		}
		_, err := tx.ExecContext(ctx, "UPDATE runs SET results_json = ? WHERE id = ?", string(resultsJSON), run.ID)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM result_rows WHERE run = ?", run.ID); err != nil {
			return err
		}
		names := make(map[string]bool, len(tables))
		for _, t := range tables {
			if names[t.Name] {
				return fmt.Errorf("two tables are named %q; give them different names", t.Name)
			}
			names[t.Name] = true
			if err := insertTable(ctx, tx, run, t); err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
			rows += int64(len(t.Rows))
		}
		return nil
	})
	if err == nil {
		d.report.Sent += rows
	}
	return err
}

func insertTable(ctx context.Context, tx *sql.Tx, run store.Run, t *analysis.Table) error {
	row, err := tx.PrepareContext(ctx, "INSERT INTO result_rows VALUES (?,?,?,?,?,?)") // ends with tx
	if err != nil {
		return err
	}
	figure, err := tx.PrepareContext(ctx, "INSERT INTO figures VALUES (?,?,?,?,?,?,?,?,?)")
	if err != nil {
		return err
	}
	for i, r := range t.Rows {
		if len(r.Cells) != len(t.Columns) {
			return fmt.Errorf("row %d has %d cells for %d columns", i, len(r.Cells), len(t.Columns))
		}
		keys, err := json.Marshal(rowKeys(t, r))
		if err != nil {
			return err
		}
		windowed := r.EndNs != 0
		_, err = row.ExecContext(ctx, run.ID, t.Name, i,
			sql.NullInt64{Int64: run.UTCNs(r.StartNs), Valid: windowed},
			sql.NullInt64{Int64: run.UTCNs(r.EndNs), Valid: windowed}, string(keys))
		if err != nil {
			return err
		}
		for k, c := range t.Columns {
			if store.TagName(c) != "" {
				continue
			}
			if err := insertFigure(ctx, figure, []any{run.ID, t.Name, i, c.Name, c.Unit}, c.Kind, r.Cells[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func insertFigure(ctx context.Context, st *sql.Stmt, where []any, kind analysis.Kind, cell analysis.Cell) error {
	numeric := kind == analysis.Quantity || kind == analysis.Count
	value, u95 := sql.NullFloat64{}, sql.NullFloat64{}
	if numeric && cell.Valid {
		value = known(cell.Value)
		u95 = known(cell.U95)
		u95.Valid = u95.Valid && cell.U95 > 0
	}
	text := sql.NullString{String: cell.Text, Valid: !numeric && cell.Valid}
	why := sql.NullString{String: cell.Why, Valid: !cell.Valid && cell.Why != ""}
	_, err := st.ExecContext(ctx, append(where, value, u95, text, why)...)
	return err
}

// rowKeys returns the words that name a row.
func rowKeys(t *analysis.Table, r analysis.Row) map[string]string {
	keys := make(map[string]string)
	for k, c := range t.Columns {
		if tag := store.TagName(c); tag != "" && r.Cells[k].Valid {
			keys[tag] = store.CellText(c, r.Cells[k])
		}
	}
	return keys
}
