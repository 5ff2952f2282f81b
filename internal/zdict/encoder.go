package zdict

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/huff0"
)

// An Encoder compresses documents with one dictionary. It is safe for concurrent use.
type Encoder struct {
	dictionary *dictionary
	index      *index
	idle       sync.Pool // of *work
}

// work is the memory for packing one document.
type work struct {
	*finder

	huffman huff0.Scratch
}

// New returns an encoder for a dictionary in zstd's format.
func New(b []byte) (*Encoder, error) {
	d, err := parse(b)
	if err != nil {
		return nil, err
	}
	return &Encoder{dictionary: d, index: newIndex(d.content)}, nil
}

const (
	frameMagic    = 0xFD2FB528
	singleSegment = 1 << 5 // the decoder needs no window beyond the document
	maxLiterals   = 1 << 14
)

// Append appends the frame of a document. It returns false, and appends nothing, if the document does not fit: use a
// general encoder then.
func (e *Encoder) Append(dst, doc []byte) (frame []byte, ok bool) {
	if len(doc) < 64 || len(doc) >= maxInput {
		return dst, false
	}
	w, _ := e.idle.Get().(*work)
	if w == nil {
		w = e.newWork()
	}
	frame, ok = e.append(dst, doc, w)
	e.idle.Put(w)
	if !ok {
		return dst, false
	}
	return frame, true
}

func (e *Encoder) newWork() *work {
	w := &work{finder: newFinder(e.index, e.dictionary.content)}
	w.huffman.Reuse = huff0.ReusePolicyMust
	w.huffman.TransferCTable(e.dictionary.literals)
	return w
}

func (e *Encoder) append(dst, doc []byte, w *work) ([]byte, bool) {
	w.split(doc, e.dictionary.recent)
	if len(w.found) == 0 || len(w.found) >= 0x7F00 {
		return nil, false
	}
	dst = appendFrameHeader(dst, e.dictionary.id, len(doc))
	header := len(dst)
	dst = append(dst, 0, 0, 0)
	dst, ok := w.appendLiterals(dst)
	if !ok {
		return nil, false
	}
	if dst, ok = e.appendSequences(dst, w); !ok {
		return nil, false
	}
	size := len(dst) - header - 3
	if size >= len(doc) || size >= 1<<17 {
		return nil, false
	}
	const last, compressed = 1, 2 << 1
	block := uint32(size)<<3 | compressed | last
	dst[header], dst[header+1], dst[header+2] = byte(block), byte(block>>8), byte(block>>16)
	return dst, true
}

// appendFrameHeader writes the header (RFC 8878, 3.1.1.1), without a checksum.
func appendFrameHeader(dst []byte, id uint32, size int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, frameMagic)
	at := len(dst)
	dst = append(dst, singleSegment)
	switch {
	case id < 1<<8:
		dst[at] |= 1
		dst = append(dst, byte(id))
	case id < 1<<16:
		dst[at] |= 2
		dst = binary.LittleEndian.AppendUint16(dst, uint16(id))
	default:
		dst[at] |= 3
		dst = binary.LittleEndian.AppendUint32(dst, id)
	}
	if size < 256 {
		return append(dst, byte(size))
	}
	dst[at] |= 1 << 6
	return binary.LittleEndian.AppendUint16(dst, uint16(size-256))
}

// Kinds of literals sections (RFC 8878, 3.1.1.3.1).
const (
	rawLiterals      = 0
	treelessLiterals = 3 // the Huffman table is the dictionary's
)

func (w *work) appendLiterals(dst []byte) ([]byte, bool) {
	n := len(w.literals)
	if n >= maxLiterals {
		return nil, false
	}
	var packed []byte
	var err error
	single := n < 256
	switch {
	case n < 16:
		err = huff0.ErrIncompressible
	case single:
		packed, _, err = huff0.Compress1X(w.literals, &w.huffman)
	default:
		packed, _, err = huff0.Compress4X(w.literals, &w.huffman)
	}
	if err != nil {
		if n >= 16 {
			return nil, false // the table lacks a byte, or all bytes are equal
		}
		dst = append(dst, byte(n<<3|rawLiterals))
		return append(dst, w.literals...), true
	}
	m := len(packed)
	switch {
	case single: // 10 bits each, one stream
		h := uint32(n)<<4 | uint32(m)<<14 | treelessLiterals
		dst = append(dst, byte(h), byte(h>>8), byte(h>>16))
	case n < 1<<10 && m < 1<<10: // 10 bits each, four streams
		h := uint32(n)<<4 | uint32(m)<<14 | 1<<2 | treelessLiterals
		dst = append(dst, byte(h), byte(h>>8), byte(h>>16))
	default: // 14 bits each
		h := uint32(n)<<4 | uint32(m)<<18 | 2<<2 | treelessLiterals
		dst = binary.LittleEndian.AppendUint32(dst, h)
	}
	return append(dst, packed...), true
}

// Bits that follow the codes of match and literal lengths (RFC 8878, 3.1.1.3.2.1.1).
var (
	matchBits  = [maxMatchCode + 1]uint8{32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	lengthBits = [maxLengthCode + 1]uint8{16: 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

	matchCodes  = codes(matchBits[:])
	lengthCodes = codes(lengthBits[:])
)

// codes returns the table from a length to its code, up to where codes are for powers of two.
func codes(extra []uint8) (table [128]uint8) {
	at := 0
	for code, n := range extra {
		for range 1 << n {
			if at < len(table) {
				table[at] = uint8(code)
				at++
			}
		}
	}
	return table
}

func matchCode(n uint32) uint8 {
	if n < 128 {
		return matchCodes[n]
	}
	return uint8(bits.Len32(n) - 1 + 36)
}

func lengthCode(n uint32) uint8 {
	if n < 64 {
		return lengthCodes[n]
	}
	return uint8(bits.Len32(n) - 1 + 19)
}

// appendSequences writes the sequences from the last to the first (RFC 8878, 3.1.1.3.2), with the dictionary's tables.
func (e *Encoder) appendSequences(dst []byte, w *work) ([]byte, bool) {
	d := e.dictionary
	n := len(w.found)
	if n < 128 {
		dst = append(dst, byte(n))
	} else {
		dst = append(dst, byte(n>>8+128), byte(n))
	}
	const repeat = 3
	dst = append(dst, repeat<<6|repeat<<4|repeat<<2)

	b := bitWriter{out: dst}
	var offset, match, length uint32 // states
	for i := n - 1; i >= 0; i-- {
		s := w.found[i]
		oc, mc, lc := uint8(bits.Len32(s.offset)-1), matchCode(s.match-3), lengthCode(s.literals)
		if !d.offsets.has(oc) || !d.matches.has(mc) || !d.lengths.has(lc) {
			return nil, false
		}
		if i == n-1 {
			offset, match, length = d.offsets.first(oc), d.matches.first(mc), d.lengths.first(lc)
		} else {
			offset = b.step(&d.offsets, offset, oc)
			match = b.step(&d.matches, match, mc)
			length = b.step(&d.lengths, length, lc)
			b.flush()
		}
		b.add(s.literals, uint(lengthBits[lc]))
		b.add(s.match-3, uint(matchBits[mc]))
		b.flush()
		b.add(s.offset, uint(oc))
		b.flush()
	}
	b.add(match, d.matches.log)
	b.add(offset, d.offsets.log)
	b.add(length, d.lengths.log)
	b.flush()
	b.close()
	return b.out, true
}
