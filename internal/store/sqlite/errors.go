package sqlite

import (
	"context"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"brokerage/internal/brokerage"
)

// domainError makes an error of the driver one of the domain. It goes by code,
// never by text. What is a domain error already, or the context's, stays.
func domainError(err error) error {
	var driver *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &driver) && driver.Code()&0xFF == sqlite3.SQLITE_INTERRUPT:
		return context.DeadlineExceeded // only a request's deadline interrupts
	case errors.As(err, &driver):
		return &brokerage.Unavailable{Cause: err, Unknown: isUnflushed(driver)}
	}
	return err
}

// isUnflushed tells whether a flush has failed, which only commits do: all of the
// group is in the journal then, and if the process ends before others have written
// over it, the next one finds it there.
func isUnflushed(err *sqlite.Error) bool { return err.Code() == sqlite3.SQLITE_IOERR_FSYNC }

// rolledBack marks an error that is none of the domain's, such as a panic, of a
// transaction of which nothing is kept.
func rolledBack(err error) error {
	if err == nil || brokerage.IsOwn(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &brokerage.RolledBack{Err: err}
}

// isDuplicate tells whether a key was there already.
func isDuplicate(err error) bool {
	var driver *sqlite.Error
	if !errors.As(err, &driver) {
		return false
	}
	code := driver.Code()
	return code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || code == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}

// spoilsGroup tells whether an error is of the database (full disk, I/O) rather
// than of one transaction, so that no neighbour can be committed either.
func spoilsGroup(err error) bool {
	var driver *sqlite.Error
	return errors.As(err, &driver) && driver.Code()&0xFF != sqlite3.SQLITE_CONSTRAINT
}
