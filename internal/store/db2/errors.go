package db2

import (
	"context"
	"errors"
	"strings"

	"brokerage/internal/tpox"
)

// A ServerError is Db2's report of a failed statement.
type ServerError struct {
	Code    int    // SQLCODE
	State   string // SQLSTATE: Db2's own, if the message holds it
	Reason  int    // the reason code of the message, 0 without one
	Message string
}

func (e *ServerError) Error() string { return e.Message }

// SQLCODEs and SQLSTATEs that the store handles; the manual lists all under "Messages".
const (
	codeRolledBack   = -911   // deadlock (reason 2) or lock timeout (68); the transaction was rolled back
	codeLockFailed   = -913   // the same, and the transaction was not rolled back
	codeCommitFailed = -903   // the message says "rolled back", its explanation "may have been committed instead"
	codeForced       = -1224  // the database manager ended the connection
	codeLost         = -30081 // communication failed
	codeIndexValue   = -20305 // a value that an XML index cannot hold
	codeTooDeep      = -20327
	codeTooLongName  = -20326
	codeWhiteSpace   = -20308
	codeOverDeclared = -433 // a value is too long

	stateConnectionFailure = "08001"
	stateUnknown           = "40003" // it is unknown whether the statement was completed
	stateUnique            = "23505"
	stateNoTable           = "42704"
	stateExists            = "42710"
	stateNoPrivilege       = "42501"
	stateNoAuthority       = "42502"
	stateNoDatabase        = "42705" // the client library finds no database of that name
	stateInvalidDocument   = "2200M" // not well-formed, or not valid: about 145 codes share it
	stateNoSingleRoot      = "2200L"
	stateTooLong           = "22001"

	// Classes of SQLSTATEs, the first two characters.
	classConnection   = "08"
	classRolledBack   = "40"
	classNotReady     = "55" // something does not have the required state
	classNotAvailable = "57" // not available, or operator intervention: not started or activated, quiesced, restored, full

	reasonLockTimeout = 68
)

func serverErrorOf(err error) *ServerError {
	found, _ := errors.AsType[*ServerError](err)
	if found == nil {
		return &ServerError{}
	}
	return found
}

// isLost reports whether the connection must not be used again: it is lost, or was replaced by the client library
// (08506), or the state of its transaction is unknown. The settings of the session may be lost. The outcome of a commit
// that fails with such an error is unknown.
func isLost(err error) bool {
	e := serverErrorOf(err)
	return e.Code == codeLost || e.Code == codeForced || e.Code == codeCommitFailed ||
		e.State == stateUnknown || strings.HasPrefix(e.State, classConnection)
}

// isConflict reports whether a transaction failed because of others that ran at the same time, or was rolled back for
// a fault of the server. The store rolls back every transaction that failed, so that the difference between -911 and
// -913 does not matter.
func isConflict(err error) bool {
	e := serverErrorOf(err)
	return e.Code == codeRolledBack || e.Code == codeLockFailed ||
		strings.HasPrefix(e.State, classRolledBack) && !isLost(err)
}

func isLockTimeout(err error) bool {
	return isConflict(err) && serverErrorOf(err).Reason == reasonLockTimeout
}

// isTransient reports whether, judging by the error, another attempt may succeed. Whether it is safe is for the caller
// to decide.
func isTransient(err error) bool { return isConflict(err) || isLost(err) }

// mayHeal reports whether opening a database may succeed later without a change here: the server is down, refuses
// more connections, or does not have the user, password, privileges or database yet; the database is not activated,
// or is being backed up or restored; or its schema is not finished.
func mayHeal(err error) bool {
	state := serverErrorOf(err).State
	switch state {
	case stateNoDatabase, stateNoPrivilege, stateNoAuthority:
		return true
	}
	return isTransient(err) || strings.HasPrefix(state, classNotReady) || strings.HasPrefix(state, classNotAvailable)
}

func isDuplicate(err error) bool { return serverErrorOf(err).State == stateUnique }

// isRefused reports whether XMLPARSE or XMLVALIDATE refused a document.
func isRefused(err error) bool {
	state := serverErrorOf(err).State
	return state == stateInvalidDocument || state == stateNoSingleRoot
}

// domainError converts an error of the driver into one of the domain, by code and state, never by text. If unknown is
// true, the write may have been committed nevertheless. A duplicate key becomes *tpox.Unavailable here; the caller,
// which has the document, converts it further (see isDuplicateKey).
func domainError(ctx context.Context, err error, unknown bool) error {
	switch {
	case err == nil, tpox.IsDomainError(err):
		return err
	case unknown:
		return &tpox.Unavailable{Cause: err, Unknown: true}
	case ctx.Err() != nil:
		return ctx.Err() // err is taken for a consequence of it
	case isRefused(err):
		return tpox.NotStorable("the database refuses the document: it is not valid by its schema, or not well-formed")
	}
	switch e := serverErrorOf(err); {
	case e.Code == codeIndexValue:
		return tpox.NotStorable("a key of the document is too long for the database's index")
	case e.Code == codeTooDeep, e.Code == codeTooLongName, e.Code == codeWhiteSpace:
		return tpox.NotStorable("the document exceeds the limits of the database: names of 1,000 bytes, 125 levels")
	}
	return &tpox.Unavailable{Cause: err}
}
