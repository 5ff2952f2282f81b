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
	if inside, ok := opened.(store.Bulk); ok {
		if s.database.Path() != "" {
			err = s.fill(ctx, inside)
		} else {
			err = s.reportServer(ctx, inside)
		}
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
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

// fill loads the smallest dataset into an empty database, or the rest of it after an interrupted start, so that a first
// start has something to show.
func (s *service) fill(ctx context.Context, opened store.Bulk) error {
	tiny := dataset.New(dataset.Spec{Seed: 1})
	unfinished, err := opened.Loading(ctx)
	if err != nil {
		return err
	}
	if unfinished != "" && unfinished != tiny.Fingerprint() {
		return fmt.Errorf("the load of %s is not finished: the same load command continues it, load --replace starts over",
			unfinished)
	}
	held, err := store.Holds(ctx, opened)
	if err != nil || held != "" && unfinished == "" {
		return err
	}
	s.log.Info("filling the empty database", "dataset", tiny.Fingerprint())
	began := time.Now()
	if err := opened.LoadDataset(ctx, tiny, nil); err != nil {
		return err
	}
	s.log.Info("filled", "took", time.Since(began).Round(time.Millisecond).String())
	return nil
}
