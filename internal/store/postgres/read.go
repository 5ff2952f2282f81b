package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
)

// queryRow runs a query of at most one row, and retries it when the connection is lost: a read may always be retried.
func (s *Store) queryRow(ctx context.Context, name string, notFound error, args, into []any) error {
	err := s.again(ctx, func(ctx context.Context) error {
		err := s.pool.QueryRow(ctx, statements[name], args...).Scan(into...)
		if notFound != nil && noRows(err) {
			return notFound
		}
		return err
	}, isTransient)
	return domainError(ctx, err, false)
}

// document runs a query whose answer is one document, or returns *brokerage.NotFound.
func (s *Store) document(ctx context.Context, name, what string, key any) ([]byte, error) {
	if !storable(key) {
		return nil, &brokerage.NotFound{What: what, Key: fmt.Sprint(key)}
	}
	doc, err := s.lookUp(ctx, name, key)
	if noRows(err) {
		return nil, &brokerage.NotFound{What: what, Key: fmt.Sprint(key)}
	}
	return doc, domainError(ctx, err, false)
}

// lookUp runs a query of one column that is a document.
func (s *Store) lookUp(ctx context.Context, name string, args ...any) (doc []byte, err error) {
	err = s.again(ctx, func(ctx context.Context) (err error) {
		// Lookups of several requests share a round trip, so that the connection does not know whose they are.
		end := s.options.Trace.Statement(ctx, name)
		if !classified[name] {
			doc, err = s.lookups.find(ctx, name, args...)
		} else if doc, err = s.lookups.find(ctx, name, append(args, largeBytes)...); err == nil && len(doc) == 0 {
			err = s.large.do(ctx, func() error {
				return s.pool.QueryRow(ctx, statements[name], append(args, anySize)...).Scan(&doc)
			})
		}
		end(traced(err))
		return err
	}, isTransient)
	return doc, err
}

// noRows reports whether a query has found nothing.
func noRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }
