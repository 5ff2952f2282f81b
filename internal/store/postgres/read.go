package postgres

import (
	"context"
	"embed"
	"fmt"
	"math/rand/v2"
	"time"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// statements are the texts in sql/ by name.
var statements = store.ReadStatements(sqlFiles, "sql")

// queryRow runs a query of at most one row, and retries it when the connection is lost: a read may always be retried.
func (s *Store) queryRow(ctx context.Context, name string, notFound error, args, into []any) error {
	err := s.again(ctx, func(ctx context.Context) error {
		err := s.poolFor(name, args).QueryRow(ctx, s.sql(name), args...).Scan(into...)
		if notFound != nil && noRows(err) {
			return notFound
		}
		return err
	}, s.mayTryAgain)
	return domainError(ctx, err, false)
}

// document runs a query whose answer is one document, or returns *tpox.NotFound.
func (s *Store) document(ctx context.Context, name, what string, key any) (doc []byte, err error) {
	found := storable(key)
	if found {
		doc, err = s.lookUp(ctx, name, key)
		found = !noRows(err)
	}
	if !found {
		return nil, &tpox.NotFound{What: what, Key: fmt.Sprint(key)}
	}
	return doc, domainError(ctx, err, false)
}

// lookUp runs a query of one column that is a document.
func (s *Store) lookUp(ctx context.Context, name string, args ...any) ([]byte, error) {
	if s.replicas != nil {
		if doc, answered, err := s.replicas.lookUp(ctx, name, args); answered {
			return doc, err
		}
	}
	return s.lookUpHere(ctx, name, args)
}

// lookUpHere is lookUp on the primary.
func (s *Store) lookUpHere(ctx context.Context, name string, args []any) (doc []byte, err error) {
	err = s.again(ctx, func(ctx context.Context) (err error) {
		// Lookups of several requests share a round trip, so the tracer of a connection cannot tell which request a lookup
		// belongs to. It is traced here instead.
		end := s.options.Trace.Statement(ctx, name)
		if !classified[name] {
			doc, err = s.find(ctx, name, args...)
		} else if doc, err = s.find(ctx, name, append(args, largeBytes)...); err == nil && len(doc) == 0 {
			err = s.large.do(ctx, func() error {
				return s.pool.QueryRow(ctx, s.sql(name), append(args, anySize)...).Scan(&doc)
			})
		}
		end(traced(err))
		return err
	}, s.mayTryAgain)
	return doc, err
}

// find runs a query of one column. In a cluster it has a round trip of its own: there, the queries of a group wait for
// one another's nodes.
func (s *Store) find(ctx context.Context, name string, args ...any) (doc []byte, err error) {
	if s.layoutName != layoutCitus {
		return s.lookups.find(ctx, position{}, s.sql(name), args...)
	}
	err = s.poolFor(name, args).QueryRow(ctx, s.sql(name), args...).Scan(&doc)
	return doc, err
}

// mayTryAgain reports whether a retry of what has changed nothing may succeed.
func (s *Store) mayTryAgain(err error) bool {
	return isTransient(err) || isMoved(err) || s.layoutName == layoutCitus && isMoving(err)
}

const (
	firstPause = 2 * time.Millisecond
	maxPause   = 250 * time.Millisecond
	// patience is how long the store retries by itself. A restart of the server or a failover to another takes seconds;
	// after that the client gets *tpox.Unavailable.
	patience = 5 * time.Second
)

// again calls try until it succeeds, fails in a way that must not be retried or that a retry cannot cure, or no time is
// left. Pauses grow, and are random, so that requests that failed together do not retry together.
func (s *Store) again(ctx context.Context, try func(context.Context) error, mayTryAgain func(error) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		err := try(ctx)
		if err == nil || tpox.IsDomainError(err) || !mayTryAgain(err) {
			return err
		}
		wait := time.Duration(rand.Int64N(int64(pause))) + pause/4
		if deadline, ok := ctx.Deadline(); time.Since(began)+wait > patience || ok && time.Until(deadline) < wait {
			return err
		}
		s.retries.Add(1)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}
