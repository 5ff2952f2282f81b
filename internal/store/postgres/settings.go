package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
)

// The settings that say what a database holds.
const (
	settingContents = "contents"    // of the last load, since it was finished
	settingLoading  = "loading"     // the load that is not finished
	settingLoadedOf = "loaded."     // and a kind: how many documents of a dataset
	settingRaw      = "raw."        // and a kind: how large they were; see Space
	settingLoaded   = "loaded.from" // how far a load from a source has come
)

// setting reads a setting into value, which stays as it is if there is none.
func (s *Store) setting(ctx context.Context, name string, value any) error {
	var text string
	switch err := s.one(ctx, "get_setting", nil, []any{name}, []any{&text}); {
	case noRows(err):
		return nil
	case err != nil:
		return err
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return &brokerage.Unavailable{Cause: fmt.Errorf("setting %s: %w", name, err)}
	}
	return nil
}

// noRows tells whether a query that need not find anything has found nothing.
func noRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// set writes a setting, in a transaction of the caller's.
func set(ctx context.Context, q querier, name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, statements["set_setting"], name, string(b))
	return err
}

// Ready tells whether the store can answer, with all of what was to be loaded:
// while a load is under way, and if it was ended before its end, it cannot.
func (s *Store) Ready(ctx context.Context) error {
	unfinished, err := s.Loading(ctx)
	if err == nil && unfinished != "" {
		err = &brokerage.Unavailable{Cause: fmt.Errorf("the load of %s is not finished: the same load command continues it", unfinished)}
	}
	return err
}

// Loading is which load is not finished, empty if there is none.
func (s *Store) Loading(ctx context.Context) (name string, err error) {
	err = s.setting(ctx, settingLoading, &name)
	return name, err
}

// Contents says which dataset was loaded. It is zero as long as a load is not
// finished: what is there then is not what any fingerprint says.
func (s *Store) Contents(ctx context.Context) (c brokerage.Contents, err error) {
	// Loading first: a load that ends in between is not there, or is there whole.
	unfinished, err := s.Loading(ctx)
	if err == nil && unfinished == "" {
		err = s.setting(ctx, settingContents, &c)
	}
	return c, err
}
