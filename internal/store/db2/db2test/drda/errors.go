package drda

import "encoding/binary"

// Where the fields of an SQLCA are in an SQLCARD that is not null.
const (
	sqlcodeAt   = contentAt + 1
	sqlstateAt  = sqlcodeAt + 4
	sqlstateLen = 5
	extendedAt  = sqlstateAt + sqlstateLen + 8 // whether there are tokens
	rdbNameAt   = extendedAt + 1 + 6*4 + 11
	mostTokens  = 70 // what an SQLCA has place for; more ends the connection
)

// fixSQLCARD gives an error Db2's code, and its tokens a length that IBM's client
// takes.
func fixSQLCARD(s structure) (structure, error) {
	if len(s) < rdbNameAt || s[contentAt] != 0 {
		return s, nil
	}
	known, found := codes[string(s[sqlstateAt:sqlstateAt+sqlstateLen])]
	if found {
		binary.BigEndian.PutUint32(s[sqlcodeAt:], uint32(known.sqlcode)) //nolint:gosec // two's complement is the format
		copy(s[sqlstateAt:], known.sqlstate)
	}
	if s[extendedAt] != 0 {
		return s, nil
	}
	at, end, ok := counted(s, rdbNameAt)
	if !ok {
		return s, nil
	}
	if at, end, ok = counted(s, end); !ok {
		return s, nil
	}
	tokens := s[at+2 : end]
	if found && known.token != "" {
		tokens = []byte(known.token)
	} else if len(tokens) > mostTokens {
		tokens = tokens[:mostTokens]
	}
	return s.replace(at+2, end, tokens, at)
}

// counted finds a text with its length before it.
func counted(s structure, at int) (start, end int, ok bool) {
	if at+2 > len(s) {
		return 0, 0, false
	}
	end = at + 2 + int(binary.BigEndian.Uint16(s[at:]))
	return at, end, end <= len(s)
}
