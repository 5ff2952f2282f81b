package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// Lease reserves ids above those of the dataset; no other client gets them.
func (s *Store) Lease(ctx context.Context, kind string, count int64) (r tpox.Range, err error) {
	if err := tpox.CheckLease(kind, count); err != nil {
		return r, err
	}
	var first int64
	// A retry may leave a gap in the ids, which does no harm.
	if err = s.queryRow(ctx, "lease", []any{kind, count, tpox.LastLease(count)}, &first); noRows(err) {
		err = tpox.NoIDsLeft(kind, count)
	}
	return tpox.Range{First: tpox.ID(first), Count: count}, err
}
