package db2

import (
	"cmp"
	"context"

	"brokerage/internal/tpox"
)

// Lease reserves ids, beginning after those of the dataset. A repeated attempt may leave a range unused, which does no
// harm.
func (s *Store) Lease(ctx context.Context, kind string, count int64) (r tpox.Range, err error) {
	if err := tpox.CheckLease(kind, count); err != nil {
		return r, err
	}
	var next int64
	_, err = s.write(ctx, tpox.Write{}, retryUnknown, func(t *tx) ([]byte, error) {
		if found, err := t.exec("lease", count, kind, tpox.LastLease(count)); err != nil || !found {
			return nil, cmp.Or[error](err, tpox.NoIDsLeft(kind, count))
		}
		_, err := row(t.ctx, t, "leased", []any{kind}, []any{&next})
		return nil, err
	})
	if err != nil {
		return r, err
	}
	return tpox.Range{First: tpox.ID(next - count), Count: count}, nil
}
