package db2

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brokerage/internal/brokerage"
)

// read does something that only reads, again where the connection was lost or
// another transaction was in the way: a read may always be done again.
func (s *Store) read(ctx context.Context, do func() error) (err error) {
	for range s.attempts(ctx) {
		if err = do(); err == nil || !isTransient(err) {
			break
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	return domainError(ctx, err, false)
}

// find reads a document, which must be there. A statement that wants its key more
// than once is given it as often.
func (s *Store) find(ctx context.Context, name, what string, key any) (doc []byte, err error) {
	text := fmt.Sprint(key)
	args := slices.Repeat([]any{text}, strings.Count(statements[name], "?"))
	err = s.read(ctx, func() (err error) {
		doc, err = document(ctx, s.db, name, args...)
		return err
	})
	if err == nil && doc == nil {
		err = &brokerage.NotFound{What: what, Key: text}
	}
	return doc, err
}

// storable tells whether a text is one that XML, and the driver's strings, can
// hold; what they cannot hold is not there.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// listed tells whether a symbol can be one of a security at all. Db2 is not asked
// about others: whether trailing blanks count is not the same everywhere in it.
func listed(symbol string) bool { return storable(symbol) && brokerage.IsSymbol(symbol) }
