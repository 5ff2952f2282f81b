package db2

import (
	"bytes"
	"cmp"
	"context"
	"regexp"

	"brokerage/internal/tpox"
)

// isDuplicateKey reports whether a write was refused because of a key that exists.
func isDuplicateKey(err error) bool {
	unavailable, ok := err.(*tpox.Unavailable) //nolint:errorlint // it is domainError's own
	return ok && isDuplicate(unavailable.Cause)
}

// blank is white space between two tags.
var blank = regexp.MustCompile(`>[ \t\r\n]+<`)

// holds reports whether this document is stored: then the earlier attempt to insert it, whose outcome was unknown, was
// committed. XMLVALIDATE strips ignorable white space, so white space between tags is ignored.
func (s *Store) holds(ctx context.Context, name string, id tpox.ID, doc []byte) bool {
	stored, err := s.find(ctx, name, "document", id)
	stripped := func(doc []byte) []byte { return blank.ReplaceAll(doc, []byte("><")) }
	return err == nil && bytes.Equal(stripped(stored), stripped(doc)) // both are in the normal form
}

// errNoReason is the error of a refused request for which no reason is found: the document has changed since, and
// another attempt may succeed.
var errNoReason error = &ServerError{
	Code: codeRolledBack, Message: "the document was changed after the statement was refused",
}

// explain returns why a statement changed no row: the error none if the document is missing, or else the error that
// judge returns for it.
func (t *tx) explain(name, key string, none error, judge func(doc []byte) error) error {
	doc, err := t.document(name, key)
	switch {
	case err != nil:
		return err
	case doc == nil:
		return none
	}
	return judge(doc)
}

// withFindings returns the error of judge, the service's own validator, if the database has refused a document: judge
// reports findings with their places, the database only one, without its place. Any other error is returned unchanged.
func withFindings(err error, judge func() error) error {
	if _, refused := err.(*tpox.Invalid); !refused { //nolint:errorlint // it is domainError's own
		return err
	}
	return cmp.Or(judge(), err)
}

// invalidFirst is withFindings for a document that replaces another one. It also returns the error of judge if the
// document to replace is missing or has another version, so that an invalid document is always refused as invalid.
func invalidFirst(err error, judge func() error) error {
	switch err.(type) { //nolint:errorlint // as in withFindings
	case *tpox.NotFound, *tpox.Stale:
		return cmp.Or(judge(), err)
	}
	return withFindings(err, judge)
}

// judge applies a rule to a stored document, and returns nil if the document cannot be read.
func (s *Store) judge(ctx context.Context, name string, id tpox.ID, rule func(doc []byte) error) error {
	if doc, err := s.find(ctx, name, "document", id); err == nil {
		return rule(doc)
	}
	return nil
}
