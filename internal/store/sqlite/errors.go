package sqlite

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/sqlite/pagesum"
)

// domainError returns the domain's error for an error of the driver, by its code, never by its text. It returns any
// other error as it is.
func domainError(err error) error {
	var driver *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &driver) && driver.Code()&0xFF == sqlite3.SQLITE_INTERRUPT:
		return context.DeadlineExceeded // only a request's deadline interrupts
	case isDamage(err):
		if driver.Code() == sqlite3.SQLITE_IOERR_DATA {
			err = fmt.Errorf("%w: %s", err, pagesum.Last())
		}
		return &brokerage.Damaged{Cause: err}
	case errors.As(err, &driver):
		return &brokerage.Unavailable{Cause: err, Unknown: isUnflushed(driver)}
	}
	return err
}

// isUnflushed reports whether a flush has failed, which only commits do. The group is in the journal then, and if the
// process ends before it is overwritten, the next process applies it.
func isUnflushed(err *sqlite.Error) bool { return err.Code() == sqlite3.SQLITE_IOERR_FSYNC }

// rolledBack marks an error that is not of the domain, such as a panic, of a transaction that was rolled back.
func rolledBack(err error) error {
	if err == nil || brokerage.IsOwn(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &brokerage.RolledBack{Err: err}
}

// isDamage reports whether an error says that a file is damaged: a page does not match its checksum, is cut off, or
// makes no sense.
func isDamage(err error) bool {
	driver, ok := errors.AsType[*sqlite.Error](err)
	return ok && isDamageCode(driver.Code())
}

// isDamageCode reports it for a code. A file that cannot be read is not damaged.
func isDamageCode(code int) bool {
	switch code {
	case sqlite3.SQLITE_IOERR_DATA, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS:
		return true
	}
	return code&0xFF == sqlite3.SQLITE_CORRUPT || code&0xFF == sqlite3.SQLITE_NOTADB
}

// isDuplicate reports whether a key existed already.
func isDuplicate(err error) bool {
	var driver *sqlite.Error
	if !errors.As(err, &driver) {
		return false
	}
	code := driver.Code()
	return code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || code == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}

// spoilsGroup reports whether an error is of the database (full disk, I/O) rather than of one transaction, so that the
// whole group fails.
func spoilsGroup(err error) bool {
	var driver *sqlite.Error
	return errors.As(err, &driver) && driver.Code()&0xFF != sqlite3.SQLITE_CONSTRAINT
}
