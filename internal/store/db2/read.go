package db2

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// retryTimeout is how long the store retries by itself. A restart of the server or a failover takes seconds; longer
// outages are left to the client.
const retryTimeout = 10 * time.Second

// dropIdle closes the idle connections of a pool after one was lost. After a restart of the server all are lost, and
// each would cost an attempt.
func (s *Store) dropIdle(db *sql.DB, err error) {
	if isLost(err) {
		db.SetMaxIdleConns(0)
		db.SetMaxIdleConns(s.settings.Pool)
	}
}

// read runs a function that may be repeated. It retries after a lost connection or a conflict with other transactions.
func (s *Store) read(ctx context.Context, do func() error) (err error) {
	for range store.Attempts(ctx, retryTimeout, &s.retries) {
		if err = do(); err == nil || !isTransient(err) {
			break
		}
		s.dropIdle(s.db, err)
	}
	if err == nil {
		err = ctx.Err()
	}
	return domainError(ctx, err, false)
}

// find reads the document with the given key, or returns *tpox.NotFound. A statement with several parameters gets
// the key for each.
func (s *Store) find(ctx context.Context, name, what string, key any) (doc []byte, err error) {
	text := fmt.Sprint(key)
	args := slices.Repeat([]any{text}, strings.Count(statements[name], "?"))
	err = s.read(ctx, func() (err error) {
		doc, err = document(ctx, s.db, name, args...)
		return err
	})
	if err == nil && doc == nil {
		err = &tpox.NotFound{What: what, Key: text}
	}
	return doc, err
}

// findSecurity reads a document of the security with the given symbol.
func (s *Store) findSecurity(ctx context.Context, name, symbol string) ([]byte, error) {
	if !listed(symbol) {
		return nil, cmp.Or[error](ctx.Err(), tpox.NoSecurity(symbol))
	}
	return s.find(ctx, name, "security", symbol)
}

// storable reports whether a text is UTF-8 without zero bytes. Documents and the driver's strings hold no other text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// listed reports whether a security can have this symbol at all. Db2 is not asked about other symbols, because it does
// not treat trailing blanks the same everywhere.
func listed(symbol string) bool { return storable(symbol) && tpox.IsSymbol(symbol) }
