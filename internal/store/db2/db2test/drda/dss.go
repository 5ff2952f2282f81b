package drda

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// Code points of the objects that the proxy changes.
const (
	codeEXCSAT   = 0x1041
	codeACCRDB   = 0x2001
	codeACCRDBRM = 0x2201
	codeSQLCARD  = 0x2408
	codeSQLSTT   = 0x2414
)

// A structure's lengths stand in its first bytes: that of the whole, with a bit
// that says whether it goes on in another segment, and that of its object.
const (
	objectLengthAt = 6
	codePointAt    = 8
	contentAt      = 10
	goesOn         = 0x8000
	longest        = 0x7fff
)

// structure is a data stream structure (DSS) as it is on the wire, with its
// continuations.
type structure []byte

// readStructure reads one structure.
func readStructure(r *bufio.Reader) (s structure, err error) {
	for more := true; more; {
		head, err := r.Peek(2)
		if err != nil {
			return nil, err
		}
		length := int(binary.BigEndian.Uint16(head))
		more = length&goesOn != 0
		segment := make([]byte, length&longest)
		if len(segment) < 2 {
			return nil, fmt.Errorf("a DRDA segment of %d bytes", len(segment))
		}
		if _, err := io.ReadFull(r, segment); err != nil {
			return nil, err
		}
		s = append(s, segment...)
	}
	return s, nil
}

// codePoint says what the structure's object is, 0 if it is too short for one.
func (s structure) codePoint() uint16 {
	if len(s) < contentAt {
		return 0
	}
	return binary.BigEndian.Uint16(s[codePointAt:])
}

// replace puts other bytes in the place of s[from:to], and corrects the lengths:
// those of the structure and of its object, and what else is said to hold one.
func (s structure) replace(from, to int, by []byte, lengths ...int) (structure, error) {
	changed := make(structure, 0, len(s)-(to-from)+len(by))
	changed = append(append(append(changed, s[:from]...), by...), s[to:]...)
	if len(changed) > longest {
		return nil, fmt.Errorf("a DRDA structure of %d bytes, and the proxy makes no continuations", len(changed))
	}
	grown := len(changed) - len(s)
	for _, at := range append([]int{0, objectLengthAt}, lengths...) {
		binary.BigEndian.PutUint16(changed[at:], uint16(int(binary.BigEndian.Uint16(s[at:]))+grown)) //nolint:gosec // at most longest
	}
	return changed, nil
}
