package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	"brokerage/internal/store"
	"brokerage/internal/store/sqlite/pagesum"
)

// sweep reads every page of the database from disk, used or free, and reports those that do not match their checksum.
func (s *Store) sweep(ctx context.Context, v *store.Verification) error {
	name := uri(s.path, url.Values{"mode": {"ro"}, pagesum.Parameter: {"1"}})
	return withDatabase(name, func(db *sql.DB) error {
		// One transaction, so that all pages are of one moment.
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		var pages, size int64
		if err := tx.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
			return s.reportDamage(ctx, v, "the database", err)
		}
		page, err := tx.PrepareContext(ctx, "SELECT length(data) FROM sqlite_dbpage WHERE pgno = ?")
		if err != nil {
			return s.reportDamage(ctx, v, "the database", err)
		}
		defer func() { _ = page.Close() }() // it has only read
		for n := int64(1); n <= pages; n++ {
			err := page.QueryRowContext(ctx, n).Scan(&size)
			if err != nil {
				err = s.reportDamage(ctx, v, fmt.Sprintf("page %d, of %s", n, s.owner(ctx, n)), err)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// reportDamage reports an error as a finding if it says that the database is damaged. Any other error ends the
// verification.
func (s *Store) reportDamage(ctx context.Context, v *store.Verification, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !isDamage(err) {
		return fmt.Errorf("%s: %w", what, domainError(err))
	}
	return v.Report(ctx, fmt.Sprintf("%s: damaged: %v", what, domainError(err)))
}

// owner returns the table or index that a page belongs to, as far as a damaged database shows it. It does not check
// pages.
func (s *Store) owner(ctx context.Context, page int64) string {
	var kind, name string
	err := withDatabase(uri(s.path, url.Values{"mode": {"ro"}, pagesum.Parameter: {"0"}}), func(db *sql.DB) error {
		return db.QueryRowContext(ctx, `
			SELECT coalesce(s.type, 'table'), d.name
			FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name
			WHERE d.pageno = ?`, page).Scan(&kind, &name)
	})
	switch {
	case err == nil:
		return kind + " " + name
	case errors.Is(err, sql.ErrNoRows):
		return "none, it is free"
	default:
		return "an unknown table"
	}
}
