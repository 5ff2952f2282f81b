package drda

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// Code points of the objects that the proxy changes or watches.
const (
	codeEXCSAT    = 0x1041
	codeACCSECRD  = 0x14ac
	codeACCRDB    = 0x2001
	codeACCRDBRM  = 0x2201
	codeOPNQFLRM  = 0x2212
	codeEXCSQLSTT = 0x200b
	codeOPNQRY    = 0x200c
	codeRDBCMM    = 0x200e
	codeRDBRLLBCK = 0x200f
	codeSQLCARD   = 0x2408
	codeSQLSTT    = 0x2414
	codeDSCSQLSTT = 0x2008
	codeQRYINSID  = 0x215b
	codePRCNAM    = 0x2138
)

// A structure begins with its length, whose highest bit is set if it continues in another segment. Each object in it
// begins with its length and its code point.
const (
	firstObject = 6
	objectHead  = 4
	contentAt   = firstObject + objectHead // of the first object
	goesOn      = 0x8000
	longest     = 0x7fff
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

// codePoint returns the code point of the structure's first object.
func (s structure) codePoint() uint16 { return s.codePointAt(firstObject) }

// codePointAt returns the code point of an object, 0 if there is none.
func (s structure) codePointAt(object int) uint16 {
	if object+objectHead > len(s) {
		return 0
	}
	return binary.BigEndian.Uint16(s[object+2:])
}

// after returns the offset of the next object.
func (s structure) after(object int) int { return object + int(binary.BigEndian.Uint16(s[object:])) }

// replace replaces s[from:to], and corrects the length of the structure and the
// lengths of the enclosing objects, which are at the offsets in lengths.
func (s structure) replace(from, to int, by []byte, lengths ...int) (structure, error) {
	changed := make(structure, 0, len(s)-(to-from)+len(by))
	changed = append(append(append(changed, s[:from]...), by...), s[to:]...)
	if len(changed) > longest {
		return nil, fmt.Errorf("a DRDA structure of %d bytes is too long: the proxy cannot split it into segments",
			len(changed))
	}
	grown := len(changed) - len(s)
	for _, at := range append([]int{0}, lengths...) {
		length := int(binary.BigEndian.Uint16(s[at:])) + grown
		binary.BigEndian.PutUint16(changed[at:], uint16(length)) //nolint:gosec // at most longest
	}
	return changed, nil
}

// parameter finds a parameter of the first object.
func (s structure) parameter(codePoint uint16) (start, end int, ok bool) {
	for at := contentAt; at+objectHead <= len(s); at = end {
		end = s.after(at)
		if end <= at || end > len(s) {
			break
		}
		if s.codePointAt(at) == codePoint {
			return at, end, true
		}
	}
	return 0, 0, false
}

// without removes a parameter of the first object, if it is there.
func (s structure) without(codePoint uint16) (structure, error) {
	start, end, ok := s.parameter(codePoint)
	if !ok {
		return s, nil
	}
	return s.replace(start, end, nil, firstObject)
}
