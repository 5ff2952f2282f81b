package db2

import (
	"context"
	"errors"
	"strings"

	"brokerage/internal/brokerage"
)

// ServerError is what Db2 says of a statement that failed.
type ServerError struct {
	Code    int    // SQLCODE
	State   string // SQLSTATE: Db2's own, where the message has it
	Reason  int    // the reason code of the message, 0 without one
	Message string
}

func (e *ServerError) Error() string { return e.Message }

// SQLCODEs and SQLSTATEs that mean something to the store: "Messages" of the
// manual has them all.
const (
	codeRolledBack   = -911   // deadlock (reason 2) or lock time-out (68); the transaction is gone
	codeLockFailed   = -913   // the same, and the transaction is still there
	codeCancelled    = -952   // by a time-out
	codeForced       = -1224  // the database manager ended the connection
	codeLost         = -30081 // communication failed
	codeRerouted     = -30108 // connected anew, to another server perhaps; rolled back
	codeIndexValue   = -20305 // a value that an XML index cannot hold
	codeTooDeep      = -20327
	codeTooLongName  = -20326
	codeWhiteSpace   = -20308
	codeOverDeclared = -433 // a value is too long

	stateConnectionFailure = "08001"
	stateRerouted          = "08506"
	stateUnique            = "23505"
	stateNoTable           = "42704"
	stateExists            = "42710"
	stateNoPrivilege       = "42501"
	stateNoAuthority       = "42502"
	stateNoDatabase        = "42705" // of that name, as far as the client library knows
	stateInvalidDocument   = "2200M" // not well-formed, or not valid: about 145 codes share it
	stateNoSingleRoot      = "2200L"
	stateTooLong           = "22001"

	// Classes of SQLSTATEs, the first two characters.
	classConnection   = "08"
	classNotReady     = "55" // something is not in the state that it has to be in
	classNotAvailable = "57" // a resource, or an operator's doing: not started, not activated, quiesced, restored, full

	reasonLockTimeout = 68
)

func serverErrorOf(err error) *ServerError {
	found, _ := errors.AsType[*ServerError](err)
	if found == nil {
		return &ServerError{}
	}
	return found
}

// isLost tells whether the connection is gone, and with it what was not committed.
func isLost(err error) bool {
	e := serverErrorOf(err)
	return e.Code == codeLost || e.Code == codeForced || strings.HasPrefix(e.State, classConnection) && e.State != stateRerouted
}

// isConflict tells whether a transaction failed because of others that ran at
// the same time. The store rolls back whatever failed, so that the difference
// between -911 and -913 does not matter.
func isConflict(err error) bool {
	code := serverErrorOf(err).Code
	return code == codeRolledBack || code == codeLockFailed
}

func isLockTimeout(err error) bool {
	return isConflict(err) && serverErrorOf(err).Reason == reasonLockTimeout
}

// isTransient tells whether another attempt may do better, as far as the error
// says; whether it may be made is for others to know.
func isTransient(err error) bool {
	return isConflict(err) || isLost(err) || serverErrorOf(err).State == stateRerouted
}

// mayHeal tells whether a database that could not be opened may be one that can be
// later: the server is not up, or does not know the user, the password or the
// database yet, or takes no more connections, or the database is not activated, or
// a backup or restore has it, or the schema is still to be made by its owner, or
// somebody else is making it.
func mayHeal(err error) bool {
	state := serverErrorOf(err).State
	switch state {
	case stateNoDatabase, stateNoPrivilege, stateNoAuthority:
		return true
	}
	return isTransient(err) || strings.HasPrefix(state, classNotReady) || strings.HasPrefix(state, classNotAvailable)
}

func isDuplicate(err error) bool { return serverErrorOf(err).State == stateUnique }

// isRefused tells whether XMLPARSE or XMLVALIDATE refused a document.
func isRefused(err error) bool {
	state := serverErrorOf(err).State
	return state == stateInvalidDocument || state == stateNoSingleRoot
}

// domainError makes an error of the driver one of the domain, by code and never
// by text. Unknown says that a write may have been committed all the same.
// Duplicates are for those who know what was to be stored.
func domainError(ctx context.Context, err error, unknown bool) error {
	switch {
	case err == nil, brokerage.IsOwn(err):
		return err
	case unknown:
		return &brokerage.Unavailable{Cause: err, Unknown: true}
	case ctx.Err() != nil:
		return ctx.Err() // what was rolled back because of it is not the reason
	case isRefused(err):
		return brokerage.Unfit("the database does not take the document: it is not valid by its schema, or not well-formed")
	}
	switch e := serverErrorOf(err); {
	case e.Code == codeIndexValue:
		return brokerage.Unfit("the database cannot index a key that is so long")
	case e.Code == codeTooDeep, e.Code == codeTooLongName, e.Code == codeWhiteSpace:
		return brokerage.Unfit("the document is beyond the limits of the database: names of 1,000 bytes, 125 levels")
	}
	return &brokerage.Unavailable{Cause: err}
}
