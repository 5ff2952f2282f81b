package pagesum

import "encoding/binary"

// Reserved is how many bytes at the end of each page hold its checksum.
const Reserved = 8

// add continues the two sums over words of 32 bits. Each word counts in both, with weights that follow one another in
// Fibonacci's sequence and so are never both even: a single flipped bit always changes one of them.
//
// In the usual byte order it adds four words at a time. Two words make s1+s2+w0 of s1, and s1+2*s2+w0+w1 of s2; doing
// that twice at once halves the additions that wait for one another.
func add(s1, s2 uint32, b []byte, bigEndian bool) (uint32, uint32) {
	if bigEndian {
		for ; len(b) >= 8; b = b[8:] {
			s1 += binary.BigEndian.Uint32(b) + s2
			s2 += binary.BigEndian.Uint32(b[4:]) + s1
		}
		return s1, s2
	}
	for ; len(b) >= 16; b = b[16:] {
		v, w := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		w0, w1, w2, w3 := uint32(v), uint32(v>>32), uint32(w), uint32(w>>32)
		x := 2*w0 + w1 + w2
		s1, s2 = 2*s1+3*s2+x, 3*s1+5*s2+x+w0+w1+w3
	}
	if len(b) >= 8 {
		w := binary.LittleEndian.Uint64(b)
		s1 += uint32(w) + s2
		s2 += uint32(w>>32) + s1
	}
	return s1, s2
}

// Reserves reports whether the database that begins with head has room for checksums at the end of its pages.
func Reserves(head []byte) bool { return len(head) > 20 && head[20] == Reserved }

// Put writes the checksum of a page into its end.
func Put(page []byte) {
	n := len(page) - Reserved
	s1, s2 := add(0, 0, page[:n], false)
	binary.LittleEndian.PutUint32(page[n:], s1)
	binary.LittleEndian.PutUint32(page[n+4:], s2)
}

// Fits reports whether a page matches its checksum. A page of zeros does not, although its sums are zero: it appears
// where a write was lost, and no page with data consists of zeros.
func Fits(page []byte) bool {
	n := len(page) - Reserved
	s1, s2 := add(0, 0, page[:n], false)
	return binary.LittleEndian.Uint32(page[n:]) == s1 && binary.LittleEndian.Uint32(page[n+4:]) == s2 &&
		(s1|s2 != 0 || !zero(page))
}

func zero(page []byte) bool {
	for _, b := range page {
		if b != 0 {
			return false
		}
	}
	return true
}

// The journal: a header, and frames of a header and a page each.
const (
	JournalHeader = 32
	FrameHeader   = 24
)

// FrameFits reports whether a frame of the journal matches its checksum. Checksums are chained: before holds the one of
// the previous frame or, for the first frame, of the journal's header. The words are in the byte order of the machine
// that began the journal.
func FrameFits(before, header, page []byte) bool {
	s1, s2 := binary.BigEndian.Uint32(before), binary.BigEndian.Uint32(before[4:])
	for _, bigEndian := range [...]bool{false, true} {
		a, b := add(s1, s2, header[:8], bigEndian)
		a, b = add(a, b, page, bigEndian)
		if a == binary.BigEndian.Uint32(header[16:]) && b == binary.BigEndian.Uint32(header[20:]) {
			return true
		}
	}
	return false
}
