package drda

import (
	"errors"
	"strings"
)

// unit tracks whether a connection is within a unit of work: Db2 accepts
// TRUNCATE only as its first statement (SQL0428N), Derby anywhere.
type unit struct {
	*Proxy
	begun     bool
	immediate bool // the next statement is executed with it, not only prepared
}

func (u *unit) request(s structure) (structure, error) {
	switch s.codePoint() {
	case codeEXCSQLSTT, codeOPNQRY:
		u.begun = true
	case codeEXCSQLIMM:
		u.immediate = true
	case codeRDBCMM, codeRDBRLLBCK:
		if u.begun && s.codePoint() == codeRDBCMM && u.cutCommit.CompareAndSwap(true, false) {
			return nil, errors.New("cut")
		}
		u.begun = false
	case codeSQLSTT:
		begun := u.begun
		u.begun, u.immediate = begun || u.immediate, false
		return fixSQLSTT(s, func(sql string) string {
			text := u.rewrite(sql)
			if begun && isTruncate(sql) {
				return "CALL BENCH.NOT_FIRST()"
			}
			return text
		})
	}
	return u.Proxy.request(s)
}

// isTruncate looks at the first word that is not in a comment.
func isTruncate(sql string) bool {
	const word = "TRUNCATE "
	for sql = strings.TrimSpace(sql); strings.HasPrefix(sql, "--"); sql = strings.TrimSpace(sql) {
		_, sql, _ = strings.Cut(sql, "\n")
	}
	return len(sql) > len(word) && strings.EqualFold(sql[:len(word)], word)
}
