package drda

import (
	"encoding/binary"
	"errors"
)

// fixSQLSTT passes a statement's text to rewrite. The structure has two texts,
// in a mixed and in a single-byte code page, one of which is null.
func fixSQLSTT(s structure, rewrite func(string) string) (structure, error) {
	const null = 0xff
	at := contentAt
	if len(s) > at && s[at] == null {
		at++
	}
	if len(s) < at+5 || s[at] == null {
		return nil, errors.New("an SQLSTT without a text")
	}
	start := at + 5
	length := int(binary.BigEndian.Uint32(s[at+1:]))
	if start+length > len(s) {
		return nil, errors.New("an SQLSTT that goes on in another segment")
	}
	text := rewrite(string(s[start : start+length]))
	changed, err := s.replace(start, start+length, []byte(text), firstObject)
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(changed[at+1:], uint32(len(text))) //nolint:gosec // below longest
	return changed, nil
}
