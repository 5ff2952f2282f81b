package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"brokerage/internal/brokerage"
)

// SQLSTATEs that mean something to the store.
const (
	featureNotSupported   = "0A000"
	untranslatable        = "22021" // bytes that are not UTF-8
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
	lockNotAvailable      = "55P03"
	queryCanceled         = "57014"
	adminShutdown         = "57P01"
	crashShutdown         = "57P02"
	cannotConnectNow      = "57P03"
	idleSessionTimeout    = "57P05"
	dataCorrupted         = "XX001" // a page does not match its checksum, or cannot be read
	indexCorrupted        = "XX002"
)

// domainError returns the error of the domain for one of the driver, by its code and never by its text. unknown marks a
// write that may have been committed. Unique violations are for the caller: see violated.
func domainError(ctx context.Context, err error, unknown bool) error {
	switch {
	case err == nil, brokerage.IsOwn(err):
		return err
	case ctx.Err() != nil:
		return ctx.Err() // the error of a cancelled statement is not the reason
	}
	if isDamage(err) {
		return &brokerage.Damaged{Cause: err}
	}
	if driver, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch driver.Code {
		case invalidXMLDocument, invalidXMLContent, invalidXMLComment, invalidXMLInstruction, untranslatable:
			return brokerage.Unfit("the database's XML parser does not take the document")
		case tooComplex:
			return brokerage.Unfit("the database cannot index a key that is so long")
		case notNullViolation, checkViolation:
			return brokerage.Unfit("the database finds no proper keys in the document")
		}
	}
	return &brokerage.Unavailable{Cause: err, Unknown: unknown}
}

// isDamage reports whether the server has found its stored data damaged.
func isDamage(err error) bool {
	driver, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (driver.Code == dataCorrupted || driver.Code == indexCorrupted)
}

// violated returns the name of the unique constraint or index that refused a row, or "".
func violated(err error) string {
	if driver, ok := errors.AsType[*pgconn.PgError](err); ok && driver.Code == uniqueViolation {
		return driver.ConstraintName
	}
	return ""
}

// isConflict reports whether a transaction failed because of concurrent ones; it has changed nothing and may be
// retried.
func isConflict(err error) bool {
	driver, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (driver.Code == serializationFailure || driver.Code == deadlockDetected)
}

// isTransient reports whether, judging by the error, a retry may succeed. Whether a retry is safe is for the caller to
// decide.
func isTransient(err error) bool {
	switch {
	case err == nil, brokerage.IsOwn(err):
		return false
	case isConflict(err):
		return true
	}
	if driver, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch driver.Code {
		case tooManyConnections, adminShutdown, crashShutdown, cannotConnectNow, idleSessionTimeout:
			return true
		}
		return strings.HasPrefix(driver.Code, "08") // connection exceptions, of poolers for example
	}
	return isLost(err)
}

// mayHeal reports whether a database that could not be opened may be available later: the server is not up, does not
// know the role, its password or the database yet, or the owner has not made the schema yet.
func mayHeal(err error) bool {
	driver, ok := errors.AsType[*pgconn.PgError](err)
	return isTransient(err) || isLost(err) || ok && driver.Code == insufficientPrivilege
}

// isLost reports whether an error is about the connection: it was not made, or it ended.
func isLost(err error) bool {
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting {
		return true
	}
	if _, network := errors.AsType[*net.OpError](err); network {
		return true
	}
	return pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// storable reports whether PostgreSQL can store a text; a key that it cannot store is not found.
func storable(key any) bool {
	s, ok := key.(string)
	return !ok || utf8.ValidString(s) && !strings.Contains(s, "\x00")
}

// existing makes the violation of a unique constraint by a customer a *brokerage.Conflict, which names the customer or
// the first of its accounts that another customer has.
func existing(ctx context.Context, q querier, err error, keys brokerage.CustomerKeys) error {
	switch violated(err) {
	case "customers_id":
		return brokerage.DuplicateCustomer(keys.ID)
	case "accounts_account":
		account := keys.Accounts[0] // where it is the customer's own, or was another's a moment ago
		failed := q.QueryRow(ctx, statements["taken_account"], keys.Accounts, keys.ID).Scan(&account)
		if failed != nil && !noRows(failed) {
			return domainError(ctx, failed, false)
		}
		return brokerage.DuplicateAccount(account)
	}
	return err
}
