package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"powerd/powerd/internal/store"
)

// schema makes the tables of version schemaVersion in an empty file.
//
//go:embed schema.sql
var schema string

const (
	schemaVersion = 1
	applicationID = 0x70777264 // "pwrd": marks the file as ours
)

// Options of a database; the zero value is a good choice.
type Options struct {
	OutboxBatches int64        // most batches waiting for one server; 0 = 500,000, over five days
	OutboxBytes   int64        // most bytes of them; 0 = 1 GiB
	UTC           func() int64 // ns since 1970, for the outbox's notes; nil = the system's
}

// DB is a store and an outbox in one file.
type DB struct {
	path string
	opts Options
	sql  *sql.DB

	mu     sync.Mutex // guards all below
	run    *store.Run // nil: none under way
	gather store.Gather
	report store.Report
	closed bool
}

// The compiler checks the contracts.
var (
	_ store.Store  = (*DB)(nil)
	_ store.Outbox = (*DB)(nil)
)

// Open opens the database at path, or makes it and its folder.
func Open(ctx context.Context, path string, opts Options) (*DB, error) {
	if opts.OutboxBatches == 0 {
		opts.OutboxBatches = 500_000
	}
	if opts.OutboxBytes == 0 {
		opts.OutboxBytes = 1 << 30
	}
	if opts.UTC == nil {
		opts.UTC = func() int64 { return time.Now().UnixNano() }
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if err := makeFolder(filepath.Dir(abs)); err != nil {
		return nil, fmt.Errorf("open database %s: make its folder: %w; choose another place with store.path", path, err)
	}
	d := &DB{path: path, opts: opts, report: store.Report{Store: "sqlite"}}
	d.sql, err = sql.Open("sqlite", dsn(abs))
	if err != nil {
		return nil, d.explain("open", err)
	}
	d.sql.SetMaxOpenConns(1)
	err = d.migrate(ctx)
	if err == nil { // only now, so that a file which is not ours stays as it is
		_, err = d.sql.ExecContext(ctx, "PRAGMA journal_mode = WAL")
	}
	if err != nil {
		return nil, errors.Join(d.explain("open", err), d.sql.Close())
	}
	return d, nil
}

// dsn names the file as a URI, so that a path may hold any character.
func dsn(abs string) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: abs}
	u.RawQuery = "_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_txlock=immediate"
	return u.String()
}

// migrate makes the tables, or checks that the file is one this powerd knows.
func (d *DB) migrate(ctx context.Context) error {
	return d.tx(ctx, syncFull, func(tx *sql.Tx) error {
		var version, app, tables int
		err := tx.QueryRowContext(ctx, `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master)
			FROM pragma_user_version, pragma_application_id`).Scan(&version, &app, &tables)
		switch {
		case err != nil:
			return err
		case version == 0 && app == 0 && tables == 0:
			_, err := tx.ExecContext(ctx, fmt.Sprintf("%s\nPRAGMA application_id=%d; PRAGMA user_version=%d;",
				schema, applicationID, schemaVersion))
			return err
		case app != applicationID:
			return errors.New("it is a database of another program; choose another place with store.path")
		case version > schemaVersion:
			return fmt.Errorf("it was written by a newer powerd (schema %d, this one knows %d); use that one, "+
				"or choose another place with store.path", version, schemaVersion)
		}
		return nil
	})
}

// How far a transaction must have reached the disk before it counts as done.
const (
	syncNormal = "NORMAL" // survives a crash of powerd
	syncFull   = "FULL"   // survives a power cut
)

// tx runs do in one transaction.
func (d *DB) tx(ctx context.Context, sync string, do func(*sql.Tx) error) (err error) {
	conn, err := d.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "PRAGMA synchronous="+sync); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return tx.Commit()
}

// ignoreDone forgets that a transaction was rolled back by its context already.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// makeFolder makes one folder at most: a path of several that do not exist is
// mistyped.
func makeFolder(dir string) error {
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		return nil
	}
	return os.Mkdir(dir, 0o755)
}
