package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	domain "brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/bulk"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/sqlite"
)

// dbFlag names the database of a command that works on all of it: what loads,
// verifies or copies one.
type dbFlag struct {
	scheme, path string
	doing        func(string) // of a load, see sqlite.Options
}

func (f *dbFlag) UnmarshalText(text []byte) error {
	scheme, path, err := store.Parse(string(text))
	switch {
	case err != nil:
		return err
	case scheme == store.Null:
		return errors.New("null: holds nothing that could be loaded or verified; sqlite:PATH, postgres://… and db2://… do")
	}
	f.scheme, f.path = scheme, path
	return nil
}

func (f dbFlag) String() string { return f.scheme + ":" + f.path }

// embedded tells whether the database is a file of ours.
func (f dbFlag) embedded() bool { return f.scheme == store.SQLite }

// name is the database as a message may have it.
func (f dbFlag) name() string {
	if f.embedded() {
		return f.path
	}
	return store.Name(f.String())
}

// existing refuses a file that is not there, for commands that read.
func (f dbFlag) existing() error {
	if !f.embedded() {
		return nil // a server says so itself
	}
	if err := archive.RequireFolder(f.path); err != nil {
		return err
	}
	if info, err := os.Stat(f.path); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", f.path)
	}
	return nil
}

// bulkStore is a store that can be loaded, verified and measured.
type bulkStore interface {
	domain.Store
	Loading(ctx context.Context) (string, error)
	LoadedDocuments(ctx context.Context, k dataset.Kind) (int64, error)
	LoadedFrom(ctx context.Context) (bulk.Loaded, error)
	Indexed(ctx context.Context) (bool, error)
	LoadDataset(ctx context.Context, d *dataset.Dataset, progress bulk.Progress) error
	LoadBatches(ctx context.Context, from bulk.Source, progress bulk.Progress) (bulk.Loaded, error)
	Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (bulk.Verified, error)
	Space(ctx context.Context) (bulk.Space, error)
	Migrated() (from, to int)
}

var (
	_ bulkStore = (*sqlite.Store)(nil)
	_ bulkStore = (*postgres.Store)(nil)
	_ bulkStore = (*db2.Store)(nil)
)

// open opens the database; asIs is for commands that only read.
func (f dbFlag) open(ctx context.Context, s streams, asIs bool) (bulkStore, error) {
	notice := func(text string) { fmt.Fprintln(s.err, text) }
	switch f.scheme {
	case store.SQLite:
		opened, err := sqlite.Open(ctx, f.path, sqlite.Options{AsIs: asIs, Notice: notice, Doing: f.doing})
		if err != nil {
			return nil, err // not opened: a nil *sqlite.Store is no nil bulkStore
		}
		return opened, nil
	case store.DB2:
		opened, err := db2.Open(ctx, f.String(), db2.Settings{AsIs: asIs, Notice: notice})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name(), err)
		}
		return opened, nil
	}
	opened, err := postgres.Open(ctx, f.String(), postgres.Options{AsIs: asIs, Notice: notice})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name(), err)
	}
	return opened, nil
}
