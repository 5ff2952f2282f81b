package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// openStore opens the database. An empty embedded database is filled if --fill is set, and is unavailable otherwise:
// a volume that was lost must not become a healthy service with other data. An empty database of a server is served,
// since it may belong to others, and other instances may be starting at the same time.
func (s *service) openStore(ctx context.Context) (tpox.Store, error) {
	options := store.Options{
		Pool: s.Pool, Uncompressed: s.Uncompressed, Replicas: s.Replica,
		Notice: func(text string) { s.log.Warn(text) }, Trace: s.traceStatements(),
		Rules: tpox.Rules{MaxHoldings: s.MaxHoldings, MaxCustomer: int(s.MaxBody), Covered: s.Covered},
	}
	if path := s.database.Path(); path != "" && s.Fill == "" && output.RequireFolder(path) == nil {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, s.emptyError() // and no file is made
		}
	}
	opened, err := s.database.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	if s.database.Path() != "" && opened.Describe().Durability == tpox.NotDurable {
		s.log.Warn("not durable: a power failure may take back acknowledged writes")
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
		err = s.requireFilled(ctx, inside)
	}
	if err != nil {
		return nil, errors.Join(err, inside.Close())
	}
	return inside, nil
}

// traceStatements returns the function to call for each statement. The function makes a span if the request is traced,
// and times statements of a database server. The embedded store times its commits itself.
func (s *service) traceStatements() store.Trace {
	var spans store.Trace // nil: none
	if s.traces != nil {
		spans = s.traces.Statement
	}
	if s.database.Path() != "" {
		return spans
	}
	return func(ctx context.Context, name string, server net.Addr) (end func(error)) {
		began, ended := time.Now(), spans.Statement(ctx, name, server)
		return func(err error) {
			s.insight.metrics.Statement(name, time.Since(began))
			ended(err)
		}
	}
}

// emptyError returns the error for an embedded database without a dataset.
func (s *service) emptyError() error {
	const what = "the database is empty: restore a backup, or load a dataset"
	return &tpox.Unavailable{Detail: what, Cause: fmt.Errorf(
		"%s: %s (brokerage restore, brokerage load, or serve --fill SCALE for a new one)", s.database.Path(), what)}
}

// wanted returns the dataset of --fill.
func (s *service) wanted() *dataset.Dataset {
	scale, _ := dataset.ParseScale(s.Fill) // verified, or ""
	return dataset.New(dataset.Spec{Scale: scale, Seed: 1})
}

// emptied returns the open database. If an earlier load of the dataset of --fill was interrupted, it empties the
// database first. After an error the database is closed.
func (s *service) emptied(ctx context.Context, opened store.Bulk, options store.Options) (store.Bulk, error) {
	unfinished, err := opened.Loading(ctx)
	switch {
	case err == nil && unfinished == "":
		return opened, nil
	case err == nil && (s.Fill == "" || unfinished != s.wanted().Fingerprint()):
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

// requireFilled loads the dataset of --fill into an empty database, which is an error without --fill.
func (s *service) requireFilled(ctx context.Context, opened store.Bulk) error {
	held, err := store.Holds(ctx, opened)
	if err != nil || held != "" {
		return err
	}
	if s.Fill == "" {
		return s.emptyError()
	}
	s.log.Info("filling the empty database", "dataset", s.wanted().Fingerprint())
	began := time.Now()
	if err := opened.LoadDataset(ctx, s.wanted(), nil); err != nil {
		return err
	}
	s.log.Info("filled", "took", time.Since(began).Round(time.Millisecond).String())
	return nil
}
