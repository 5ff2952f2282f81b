package postgres

import (
	"context"
	"encoding/json"
)

// setting returns a setting of the database, "" where there is none, for the ledger.
func (s *Store) setting(ctx context.Context, name string) (text string, err error) {
	err = s.queryRow(ctx, "get_setting", nil, []any{name}, []any{&text})
	if noRows(err) {
		return "", nil
	}
	return text, err
}

// set writes a setting, as JSON, in a transaction of the caller.
func set(ctx context.Context, q querier, name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, statements["set_setting"], name, string(b))
	return err
}
