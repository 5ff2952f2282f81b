package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// openStore opens the database. An embedded one is filled if it is empty; one of a server is not, since it may belong
// to others, and other instances may be starting at the same time.
func (s *service) openStore(ctx context.Context) (tpox.Store, error) {
	options := store.Options{
		Pool: s.Pool, Uncompressed: s.Uncompressed, Replicas: s.Replica,
		Notice: func(text string) { s.log.Warn(text) },
		Rules:  tpox.Rules{MaxHoldings: s.MaxHoldings, MaxCustomer: int(s.MaxBody), Covered: s.Covered},
	}
	if s.traces != nil { // a statement without a span costs nothing
		options.Trace = s.traces.Statement
	}
	opened, err := s.database.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	inside, ok := opened.(store.Bulk)
	switch {
	case !ok:
		return opened, nil
	case s.database.Path() == "":
		err = s.reportServer(ctx, inside)
	default:
		if inside, err = s.emptied(ctx, inside, options); err != nil {
			return nil, err
		}
		err = s.fill(ctx, inside)
	}
	if err != nil {
		return nil, errors.Join(err, inside.Close())
	}
	return inside, nil
}

// smallest is what a first start loads into an embedded database, so that it has something to show.
var smallest = dataset.New(dataset.Spec{Seed: 1})

// emptied returns the open database, which is emptied if a first start was interrupted while it was filled. After an
// error it is closed.
func (s *service) emptied(ctx context.Context, opened store.Bulk, options store.Options) (store.Bulk, error) {
	unfinished, err := opened.Loading(ctx)
	switch {
	case err == nil && unfinished == "":
		return opened, nil
	case err == nil && unfinished != smallest.Fingerprint():
		err = fmt.Errorf("%s: %w", s.database.Path(), store.Unfinished(unfinished))
	}
	if err := errors.Join(err, opened.Close()); err != nil {
		return nil, err
	}
	return s.database.Empty(ctx, options)
}

// reportServer logs the settings of a database server, which the service cannot change, and warnings about them.
func (s *service) reportServer(ctx context.Context, opened store.Bulk) error {
	engine := opened.Describe()
	settings := []any{"version", engine.Version}
	for _, setting := range engine.Settings {
		settings = append(settings, setting.Name, setting.Value)
	}
	s.log.Info(s.database.Title, settings...)
	for _, warning := range s.database.Warnings(opened) {
		s.log.Warn(warning)
	}
	held, err := store.Holds(ctx, opened)
	if err == nil && held == "" {
		s.log.Warn("the database is empty: brokerage load fills it")
	}
	return err
}

// fill loads the smallest dataset into an empty database.
func (s *service) fill(ctx context.Context, opened store.Bulk) error {
	held, err := store.Holds(ctx, opened)
	if err != nil || held != "" {
		return err
	}
	s.log.Info("filling the empty database", "dataset", smallest.Fingerprint())
	began := time.Now()
	if err := opened.LoadDataset(ctx, smallest, nil); err != nil {
		return err
	}
	s.log.Info("filled", "took", time.Since(began).Round(time.Millisecond).String())
	return nil
}
