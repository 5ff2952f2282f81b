package drda

import (
	"errors"
	"strings"
)

// unit tracks whether a connection is within a unit of work: Db2 accepts TRUNCATE only as its first statement
// (SQL0428N), Derby anywhere.
type unit struct {
	*Proxy
	begun bool
}

// request changes what a client sends.
func (u *unit) request(s structure) (structure, error) {
	switch s.codePoint() {
	case codeEXCSAT:
		return fixEXCSAT(s), nil
	case codeACCRDB:
		return fixACCRDB(s), nil
	case codeDSCSQLSTT:
		return s.without(codeQRYINSID) // Derby does not accept the number of the described query
	case codeSQLSTT:
		return fixSQLSTT(s, func(sql string) string {
			if u.begun && strings.HasPrefix(sql, "TRUNCATE ") {
				return "CALL BENCH.NOT_FIRST()"
			}
			return u.rewrite(sql)
		})
	case codeEXCSQLSTT:
		u.begun = true
		return fixEXCSQLSTT(s)
	case codeOPNQRY:
		u.begun = true
	case codeRDBCMM:
		if u.begun && u.cutCommit.CompareAndSwap(true, false) {
			return nil, errors.New("cut")
		}
		u.begun = false
	case codeRDBRLLBCK:
		u.begun = false
	}
	return s, nil
}
