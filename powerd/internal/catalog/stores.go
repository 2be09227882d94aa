package catalog

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/influx"
	"powerd/powerd/internal/store/sqlite"
)

// StoreOptions say where results are kept and sent.
type StoreOptions struct {
	Path     string // of the database
	URL      string // of an InfluxDB; "" = none
	Token    string
	Org      string
	Bucket   string
	Timeout  time.Duration
	Batch    int
	RetryMax time.Duration
	Log      *slog.Logger
}

// OpenStores opens the embedded database, and where one is named an InfluxDB that
// is fed from the database's outbox.
func OpenStores(ctx context.Context, o StoreOptions) (store.Store, error) {
	db, err := sqlite.Open(ctx, o.Path, sqlite.Options{})
	if err != nil || o.URL == "" {
		return db, err
	}
	server, err := influx.New(ctx, influx.Options{
		URL: o.URL, Token: o.Token, Org: o.Org, Bucket: o.Bucket, Outbox: db,
		Timeout: o.Timeout, BatchPoints: o.Batch, RetryMax: o.RetryMax, Log: o.Log,
	})
	if err != nil {
		_, closing := db.Close(ctx)
		return nil, errors.Join(err, closing)
	}
	return store.All(db, server), nil
}
