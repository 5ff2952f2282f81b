package drda

import (
	"encoding/binary"
	"errors"
)

// Names of procedures in EBCDIC, as a client sends them: SYSPROC.ADMIN_CMD, and
// the bench's BENCH.COMMAND.
const (
	adminCommand = "\xe2\xe8\xe2\xd7\xd9\xd6\xc3\x4b\xc1\xc4\xd4\xc9\xd5\x6d\xc3\xd4\xc4"
	benchCommand = "\xc2\xc5\xd5\xc3\xc8\x4b\xc3\xd6\xd4\xd4\xc1\xd5\xc4"
)

// fixEXCSQLSTT replaces SYSPROC.ADMIN_CMD in a CALL by BENCH.COMMAND. The client sends the name of a procedure apart
// from the text of the statement, and the arguments as parameters.
func fixEXCSQLSTT(s structure) (structure, error) {
	start, end, ok := s.parameter(codePRCNAM)
	if !ok || string(s[start+objectHead:end]) != adminCommand {
		return s, nil
	}
	return s.replace(start+objectHead, end, []byte(benchCommand), firstObject, start)
}

// fixSQLSTT passes a statement's text to rewrite. The structure has two texts, in a mixed and in a single-byte code
// page. The client sends the first; the second is null.
func fixSQLSTT(s structure, rewrite func(string) string) (structure, error) {
	const lengthAt, start = contentAt + 1, contentAt + 5
	if len(s) < start || s[contentAt] != 0 {
		return nil, errors.New("an SQLSTT without a text")
	}
	length := int(binary.BigEndian.Uint32(s[lengthAt:]))
	if start+length > len(s) {
		return nil, errors.New("an SQLSTT that continues in another segment")
	}
	text := rewrite(string(s[start : start+length]))
	changed, err := s.replace(start, start+length, []byte(text), firstObject)
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(changed[lengthAt:], uint32(len(text))) //nolint:gosec // below longest
	return changed, nil
}
