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

// domainError makes an error of the driver one of the domain. It goes by code,
// never by text. What is a domain error already, or the context's, stays.
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
		return &brokerage.Unavailable{Cause: err}
	}
	return err
}

// isDamage tells whether an error says that a file is no longer what was written:
// a page does not fit its checksum, is cut off, or makes no sense.
func isDamage(err error) bool {
	driver, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch code := driver.Code(); code {
	case sqlite3.SQLITE_IOERR_DATA, sqlite3.SQLITE_IOERR_SHORT_READ:
		return true
	default:
		return code&0xFF == sqlite3.SQLITE_CORRUPT || code&0xFF == sqlite3.SQLITE_NOTADB
	}
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
