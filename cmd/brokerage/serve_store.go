package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	domain "brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/store/trace"
)

// open opens the database, with something in it.
func (c *serveCmd) open(ctx context.Context, log *slog.Logger, begin trace.Begin) (domain.Store, error) {
	inner, err := store.Open(ctx, c.DB, store.Options{
		Pool: c.Pool, Uncompressed: c.Uncompressed, Rules: c.rules(),
		Notice: func(text string) { log.Warn(text) }, Trace: begin,
	})
	if err != nil {
		return nil, err
	}
	switch opened := inner.(type) {
	case *sqlite.Store:
		err = fill(ctx, opened, log)
	case *postgres.Store:
		// Not filled: it may be somebody's, and others may be starting beside us.
		err = tellServer(ctx, opened, log)
	case *db2.Store:
		err = tellDB2(ctx, opened, log)
	}
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	return inner, nil
}

// tellServer reports how durable the server is by its settings, and whether it
// finds damage; these are not the service's to change.
func tellServer(ctx context.Context, s *postgres.Store, log *slog.Logger) error {
	server := s.Server()
	settings := []any{"version", server.Version}
	for _, setting := range server.Settings {
		settings = append(settings, setting.Name, setting.Value)
	}
	log.Info("PostgreSQL", settings...)
	if !server.Durable() {
		log.Warn("the server is set so that a power failure takes back what was acknowledged, or damages the database")
	}
	if !server.Checks() {
		log.Warn("the server has no checksums of its pages (data_checksums is off): what a disk damages may be served as if it were right")
	}
	there, err := holding(ctx, s)
	if err == nil && there == "" {
		log.Warn("the database is empty: brokerage load fills it")
	}
	return err
}

// tellDB2 is tellServer for Db2, which flushes each commit whatever it is set to.
func tellDB2(ctx context.Context, s *db2.Store, log *slog.Logger) error {
	is := s.Describe()
	settings := []any{"version", is.Version}
	for _, setting := range is.Settings {
		settings = append(settings, setting.Name, setting.Value)
	}
	log.Info("Db2", settings...)
	there, err := holding(ctx, s)
	if err == nil && there == "" {
		log.Warn("the database is empty: brokerage load fills it")
	}
	return err
}

// fill loads the smallest dataset into an empty database, or the rest of it if
// an earlier start was interrupted, so that a first start has something to show.
func fill(ctx context.Context, s *sqlite.Store, log *slog.Logger) error {
	tiny := dataset.New(dataset.Spec{Seed: 1})
	unfinished, err := s.Loading(ctx)
	if err != nil {
		return err
	}
	if unfinished != "" && unfinished != tiny.Fingerprint() {
		return fmt.Errorf("the load of %s is not finished: the same load command continues it, load --replace begins anew", unfinished)
	}
	there, err := holding(ctx, s)
	if err != nil || there != "" && unfinished == "" {
		return err
	}
	log.Info("filling the empty database", "dataset", tiny.Fingerprint())
	began := time.Now()
	if err := s.LoadDataset(ctx, tiny, nil); err != nil {
		return err
	}
	log.Info("filled", "took", time.Since(began).Round(time.Millisecond).String())
	return nil
}
