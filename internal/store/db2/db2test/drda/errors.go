package drda

import "encoding/binary"

// Offsets of the fields of an SQLCA in an SQLCARD that is not null.
const (
	sqlcodeAt   = objectHead + 1
	sqlstateAt  = sqlcodeAt + 4
	sqlstateLen = 5
	extendedAt  = sqlstateAt + sqlstateLen + 8 // whether there are tokens
	rdbNameAt   = extendedAt + 1 + 6*4 + 11
	mostTokens  = 70 // maximum length in an SQLCA; more ends the connection
)

// fixSQLCARD sets Db2's code of an error, and shortens its tokens to a length
// that IBM's client accepts.
func fixSQLCARD(s structure, at int) (structure, error) {
	card := s[at:]
	if len(card) < rdbNameAt || card[objectHead] != 0 {
		return s, nil
	}
	known, found := codes[string(card[sqlstateAt:sqlstateAt+sqlstateLen])]
	if found {
		binary.BigEndian.PutUint32(card[sqlcodeAt:], uint32(known.sqlcode)) //nolint:gosec // two's complement is the format
		copy(card[sqlstateAt:], known.sqlstate)
	}
	if card[extendedAt] != 0 {
		return s, nil
	}
	start := afterText(s, at+rdbNameAt)
	end := afterText(s, start)
	tokens := s[start+2 : end]
	if found && known.token != "" {
		tokens = []byte(known.token)
	} else if len(tokens) > mostTokens {
		tokens = tokens[:mostTokens]
	}
	return s.replace(start+2, end, tokens, at, start)
}

// afterText returns the end of the text whose two-byte length is at the given offset.
func afterText(s structure, at int) int { return at + 2 + int(binary.BigEndian.Uint16(s[at:])) }
