package postgres

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"
)

// setting is how the ledger reads.
func (s *Store) setting(ctx context.Context, name string) (text string, err error) {
	err = s.one(ctx, "get_setting", nil, []any{name}, []any{&text})
	if noRows(err) {
		return "", nil
	}
	return text, err
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
