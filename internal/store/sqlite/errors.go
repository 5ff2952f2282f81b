package sqlite

import (
	"context"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib" // SQLite's result codes

	"brokerage/internal/tpox"
)

// codeOf returns the code of an error of the driver, and 0 for any other error.
func codeOf(err error) int {
	if driver, ok := errors.AsType[*sqlite.Error](err); ok {
		return driver.Code()
	}
	return 0
}

// domainError returns the domain's error for an error of the driver, by its code, never by its text. It returns any
// other error unchanged.
func domainError(err error) error {
	code := codeOf(err)
	switch {
	case code == 0, tpox.IsDomainError(err):
		return err
	case code&0xFF == sqlite3.SQLITE_INTERRUPT:
		return context.DeadlineExceeded // only the end of a context interrupts
	case isDamageCode(code):
		return &tpox.Damaged{Cause: err}
	}
	// In a write, only COMMIT flushes. After a failed flush the group is in the journal. If this process ends before the
	// group is overwritten there, the next process applies it.
	return &tpox.Unavailable{Cause: err, Unknown: code == sqlite3.SQLITE_IOERR_FSYNC}
}

// isDamage reports whether an error says that a file is damaged: a page is cut off or makes no sense, or a column has a
// value that it cannot have.
func isDamage(err error) bool { return tpox.Is[*tpox.Damaged](err) || isDamageCode(codeOf(err)) }

// isDamageCode reports whether a code means damage. A file that cannot be read is not damaged.
func isDamageCode(code int) bool {
	switch code {
	case sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS:
		return true
	}
	return code&0xFF == sqlite3.SQLITE_CORRUPT || code&0xFF == sqlite3.SQLITE_NOTADB
}

// isDuplicate reports whether an error says that a key exists already.
func isDuplicate(err error) bool {
	code := codeOf(err)
	return code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || code == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}
