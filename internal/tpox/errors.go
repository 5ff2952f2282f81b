package tpox

import (
	"errors"
	"fmt"
	"strings"

	"brokerage/internal/schema"
)

// These are the errors of a Store, besides those of the context. After each of them nothing was changed, except that a
// write may have been done after an *Unavailable with Unknown set.

// NotFound means that what a request names does not exist.
type NotFound struct {
	What string // such as "order" or "customer"
	Key  string
}

func (e *NotFound) Error() string { return fmt.Sprintf("there is no %s %s", e.What, e.Key) }

// NoOrder returns the error for a missing order.
func NoOrder(id ID) *NotFound { return &NotFound{"order", id.String()} }

// NoCustomer returns the error for a missing customer.
func NoCustomer(id ID) *NotFound { return &NotFound{"customer", id.String()} }

// NoAccount returns the error for a missing account.
func NoAccount(id ID) *NotFound { return &NotFound{"account", id.String()} }

// NoSecurity returns the error for a missing security.
func NoSecurity(symbol string) *NotFound { return &NotFound{"security", symbol} }

// Reason is the machine-readable reason of a Conflict.
type Reason string

const (
	OrderExists     Reason = "order-exists"
	CustomerExists  Reason = "customer-exists"
	AccountExists   Reason = "account-exists"
	LastAccount     Reason = "last-account"
	TooManyHoldings Reason = "too-many-holdings"
	NotHeld         Reason = "not-held"
	TooFewHeld      Reason = "too-few-held"
	NotCovered      Reason = "not-covered"
	BalanceLimit    Reason = "balance-limit"
	CustomerLimit   Reason = "customer-limit"
	IDsExhausted    Reason = "ids-exhausted"
	KeyInUse        Reason = "key-in-use" // a request with this idempotency key is still running
)

// Conflict means that the stored data does not allow a request now.
type Conflict struct {
	Reason Reason
	Detail string
}

func (e *Conflict) Error() string { return e.Detail }

// DuplicateOrder returns the error for an order id that exists already.
func DuplicateOrder(id ID) *Conflict { return duplicate(OrderExists, "order", id) }

// DuplicateCustomer returns the error for a customer id that exists already.
func DuplicateCustomer(id ID) *Conflict { return duplicate(CustomerExists, "customer", id) }

// DuplicateAccount returns the error for an account id that exists already.
func DuplicateAccount(id ID) *Conflict { return duplicate(AccountExists, "account", id) }

// NoIDsLeft returns the error for a lease of more ids than a kind has left.
func NoIDsLeft(kind string, count int64) *Conflict {
	return &Conflict{IDsExhausted, fmt.Sprintf("fewer than %d ids of the kind %s are left below 16 digits", count, kind)}
}

func duplicate(reason Reason, what string, id ID) *Conflict {
	return &Conflict{reason, fmt.Sprintf("%s %d exists already", what, id)}
}

// Finding is one thing that is wrong with a document. Line and Column are 0 if the position is not known.
type Finding struct {
	Line, Column int
	Path         string
	Message      string
}

func (f Finding) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", f.Line, f.Column)
	}
	if f.Path != "" {
		fmt.Fprintf(&b, "%s: ", f.Path)
	}
	return b.String() + f.Message
}

// Invalid means that a document, or the result of a request, violates its schema or the rules.
type Invalid struct {
	Findings []Finding // at least one
}

func (e *Invalid) Error() string {
	s := e.Findings[0].String()
	if n := len(e.Findings); n > 1 {
		s += fmt.Sprintf(" (and %d more)", n-1)
	}
	return s
}

func invalidf(path, format string, args ...any) *Invalid {
	return &Invalid{[]Finding{{Path: path, Message: fmt.Sprintf(format, args...)}}}
}

const notAnID = "not an id: 1 to 15 digits without a leading zero"

func (e *Invalid) add(path, format string, args ...any) {
	if len(e.Findings) < schema.MaxFindings {
		e.Findings = append(e.Findings, Finding{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// orNil returns e if it has findings, and nil otherwise.
func (e *Invalid) orNil() error {
	if len(e.Findings) == 0 {
		return nil
	}
	return e
}

// Stale means that a document is not, or no longer, the version that a request is for.
type Stale struct{}

func (*Stale) Error() string { return "the document has another version than the request requires" }

// KeyReused means that an idempotency key was used for another request.
type KeyReused struct{ Key string }

func (e *KeyReused) Error() string {
	return fmt.Sprintf("idempotency key %q was used for another request", e.Key)
}

// Unavailable means that the store cannot serve the request now: disk full, connection lost, shutting down. The cause
// is for the log, not for clients.
type Unavailable struct {
	Cause   error
	Detail  string // why, for clients, who see it when the store is not ready; may be empty
	Unknown bool   // the write may have been done
}

func (e *Unavailable) Error() string { return fmt.Sprintf("the store is unavailable: %v", e.Cause) }
func (e *Unavailable) Unwrap() error { return e.Cause }

// RolledBack wraps an error of any other type, which is a fault of the store. Nothing of the write was stored.
type RolledBack struct{ Err error }

func (e *RolledBack) Error() string { return e.Err.Error() }
func (e *RolledBack) Unwrap() error { return e.Err }

// Damaged reports that stored data needed for the response is damaged: a document does not match its checksum, or
// cannot be unpacked. Intact data is still served. Cause says where; it is logged, not sent to the client.
type Damaged struct{ Cause error }

func (e *Damaged) Error() string { return fmt.Sprintf("stored data is damaged: %v", e.Cause) }
func (e *Damaged) Unwrap() error { return e.Cause }

// IsDomainError reports whether err itself is one of the errors above, except *RolledBack. An error that wraps one is
// not: it may come from a driver.
func IsDomainError(err error) bool {
	switch err.(type) { //nolint:errorlint // wrapped errors do not count
	case *NotFound, *Conflict, *Invalid, *Stale, *KeyReused, *Unavailable, *Damaged:
		return true
	}
	return false
}

// Is reports whether an error is, or wraps, one of type E.
func Is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// NotStorable returns the error for a document that a database does not accept, with the reason.
func NotStorable(reason string) *Invalid { return &Invalid{[]Finding{{Message: reason}}} }
