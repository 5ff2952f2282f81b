package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"brokerage/internal/tpox"
)

// SQLSTATEs that mean something to the store.
const (
	featureNotSupported   = "0A000"
	untranslatable        = "22021" // bytes that are not UTF-8
	undefinedTable        = "42P01"
	objectNotReady        = "55000" // object_not_in_prerequisite_state
	internalError         = "XX000"
	invalidXMLDocument    = "2200M"
	invalidXMLContent     = "2200N"
	invalidXMLComment     = "2200S"
	invalidXMLInstruction = "2200T"
	notNullViolation      = "23502"
	uniqueViolation       = "23505"
	checkViolation        = "23514"
	serializationFailure  = "40001"
	deadlockDetected      = "40P01"
	insufficientPrivilege = "42501"
	tooManyConnections    = "53300"
	tooComplex            = "54000" // a key too long for an index, or a document nested too deeply
	queryCanceled         = "57014"
	adminShutdown         = "57P01"
	dataCorrupted         = "XX001" // a page does not match its checksum, or cannot be read
	indexCorrupted        = "XX002"

	authorization = "28" // the class of refused logins, as with a wrong password
)

// codeOf returns the SQLSTATE of an error of the server, "" for other errors.
func codeOf(err error) string {
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		return server.Code
	}
	return ""
}

// domainError returns the error of the domain for one of the driver, by its code and never by its text. If unknown is
// true, a write may have been committed. The caller handles unique violations.
func domainError(ctx context.Context, err error, unknown bool) error {
	switch {
	case err == nil, tpox.IsDomainError(err):
		return err
	case ctx.Err() != nil:
		return ctx.Err() // the statement failed because it was cancelled
	}
	switch codeOf(err) {
	case dataCorrupted, indexCorrupted:
		return &tpox.Damaged{Cause: err}
	case invalidXMLDocument, invalidXMLContent, invalidXMLComment, invalidXMLInstruction, untranslatable:
		return tpox.NotStorable("the database's XML parser rejects the document")
	case tooComplex:
		return tpox.NotStorable("a key of the document is too long for an index, or the document is nested too deeply")
	case notNullViolation, checkViolation:
		return tpox.NotStorable("the keys of the document are missing or invalid for the database")
	}
	return &tpox.Unavailable{Cause: err, Unknown: unknown}
}

// noRows reports whether a query has found nothing.
func noRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// isConflict reports whether a transaction failed because of concurrent ones; it has changed nothing and may be
// retried.
func isConflict(err error) bool {
	code := codeOf(err)
	return code == serializationFailure || code == deadlockDetected
}

// isTransient reports whether, judging by the error, a retry may succeed. Whether a retry is safe is for the caller to
// decide.
func isTransient(err error) bool {
	if err == nil || tpox.IsDomainError(err) {
		return false
	}
	switch code := codeOf(err); code {
	case "":
		return isLost(err)
	case serializationFailure, deadlockDetected, tooManyConnections:
		return true
	default: // the server stops or starts, the connection fails (a pooler may report that), or a login is refused
		return slices.ContainsFunc([]string{"57P", "08", authorization}, func(class string) bool {
			return strings.HasPrefix(code, class)
		})
	}
}

// mayHeal reports whether a database that could not be opened may be available later: the server is not up; the role,
// its password or the database is missing; the owner has not made the schema yet; or a cluster lacks nodes.
func mayHeal(err error) bool {
	_, cluster := errors.AsType[clusterError](err)
	return cluster || isTransient(err) || isLost(err) || isForbidden(err)
}

// isForbidden reports whether an error says that the role lacks a right.
func isForbidden(err error) bool { return codeOf(err) == insufficientPrivilege }

// isLost reports whether an error is about the connection: it was not made, or it ended.
func isLost(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || neverSent(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed)
}

// neverSent reports whether the server cannot have received any of a statement.
func neverSent(err error) bool {
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return connecting || pgconn.SafeToRetry(err)
}

// isDown reports whether the server cannot be reached, or lets nobody in. While a password is being changed, it
// refuses new connections, but open ones still work.
func (s *Store) isDown(err error) bool {
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	if code := codeOf(err); !connecting || code == tooManyConnections {
		return false
	} else if !strings.HasPrefix(code, authorization) {
		return true
	}
	pool := s.pool.Stat()
	return pool.AcquiredConns()+pool.IdleConns() == 0
}

// connectError is a connection error in one line; the driver has a line for each address that it has tried.
type connectError struct{ error }

func (e connectError) Error() string {
	var tries []string
	for line := range strings.Lines(e.error.Error()) {
		tries = append(tries, strings.TrimSpace(line))
	}
	return "connecting: " + strings.Join(slices.Compact(tries), " ")
}

func (e connectError) Unwrap() error { return e.error }

// storable reports whether PostgreSQL can store a text; a key that it cannot store is not found.
func storable(key any) bool {
	s, ok := key.(string)
	return !ok || utf8.ValidString(s) && !strings.Contains(s, "\x00")
}
