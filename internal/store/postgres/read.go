package postgres

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

//go:embed sql/*.sql sql/pure/*.sql
var sqlFiles embed.FS

// statements are the texts in sql/ by name; pureStatements are those that mode=pure uses instead.
var (
	statements     = store.ReadStatements(sqlFiles, "sql")
	pureStatements = store.ReadStatements(sqlFiles, "sql/pure")
)

// sql returns the text of a statement.
func (s *Store) sql(name string) string {
	if text := pureStatements[name]; s.pure && text != "" {
		return text
	}
	return statements[name]
}

// errMoved reports that rows of one document disagree because of a concurrent transaction; nothing was changed.
var errMoved = errors.New("a concurrent transaction changed what was looked up")

// queryRow runs a query and scans its only row, or returns pgx.ErrNoRows. It uses the primary, or in a Citus cluster
// the node that poolFor chooses, and retries if mayTryAgain allows it, which is safe for a read.
func (s *Store) queryRow(ctx context.Context, name string, args []any, into ...any) error {
	err := s.again(ctx, func(ctx context.Context) error {
		return s.poolFor(name, args).QueryRow(ctx, s.sql(name), args...).Scan(into...)
	}, s.mayTryAgain)
	if noRows(err) {
		return err
	}
	return domainError(ctx, err, false)
}

// read does what queryRow does, but on a replica if one may answer.
func (s *Store) read(ctx context.Context, name string, args []any, into ...any) error {
	if s.replicas != nil {
		if answered, err := s.replicas.read(ctx, name, args, into); answered {
			return err
		}
	}
	return s.queryRow(ctx, name, args, into...)
}

// document returns the only document that a query finds, or *tpox.NotFound.
func (s *Store) document(ctx context.Context, name, what string, key any) (doc []byte, err error) {
	missing := &tpox.NotFound{What: what, Key: fmt.Sprint(key)}
	if !storable(key) {
		return nil, missing
	}
	if err = s.read(ctx, name, []any{key}, &doc); noRows(err) {
		err = missing
	}
	return doc, err
}

// mayTryAgain reports whether a retry may succeed, if the failed attempt changed nothing. On a cluster, a
// retry may also cure errors while a shard is moved, or after the shard's node has failed.
func (s *Store) mayTryAgain(err error) bool {
	moving := slices.Contains([]string{internalError, undefinedTable, objectNotReady}, codeOf(err))
	return isTransient(err) || errors.Is(err, errMoved) || s.distributed && moving
}

// patience is how long the store retries before it returns *tpox.Unavailable. A restart of the server or a failover
// to another takes seconds.
const patience = 5 * time.Second

// again calls try until it succeeds, fails in a way that must not be retried or that a retry cannot cure, or no time is
// left. While the server is down, try is not called: see outage.
func (s *Store) again(
	ctx context.Context, try func(context.Context) error, mayTryAgain func(error) bool,
) (err error) {
	for range store.Attempts(ctx, patience, &s.retries) {
		if err = s.awaitServer(ctx); err == nil {
			err = try(ctx)
		}
		if err == nil || tpox.IsDomainError(err) || !mayTryAgain(err) {
			return err
		}
		if o := (&outage{time.Now(), err, make(chan struct{})}); s.isDown(err) && s.outage.CompareAndSwap(nil, o) {
			go s.endOutage(o)
		}
	}
	return cmp.Or(ctx.Err(), err)
}
