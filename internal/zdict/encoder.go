// Package zdict compresses small documents with a zstd dictionary.
//
// It writes ordinary zstd (RFC 8878), which every decoder with the dictionary reads. It exists because general encoders
// prepare for each document of a few kilobytes as for the first block of a stream: they copy the dictionary's match
// tables (256 KB to 1 MB) and build entropy tables for a few hundred bytes. This encoder prepares a dictionary once:
//
//   - Its match tables are read, never written. The document has small tables of its own, which need no clearing,
//     because their entries say where the document began.
//   - Literals and sequences are coded with the dictionary's entropy tables, which fit because they were made from
//     documents of the same kind. A document without tables of its own is smaller too.
//
// Append refuses a document that is large, or has a symbol that the dictionary's tables lack; its caller then uses a
// general encoder.
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
	defer e.idle.Put(w)
	if frame, ok = e.append(dst, doc, w); ok {
		return frame, true
	}
	return dst, false
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
	if n < 16 {
		return append(append(dst, byte(n<<3|rawLiterals)), w.literals...), true
	}
	compress, format := huff0.Compress4X, uint32(1<<2)
	if n < 256 { // one stream
		compress, format = huff0.Compress1X, 0
	}
	packed, _, err := compress(w.literals, &w.huffman)
	if err != nil {
		return nil, false // the table lacks a byte, or all bytes are equal
	}
	m := len(packed)
	header := uint32(n)<<4 | treelessLiterals
	if n < 1<<10 && m < 1<<10 { // 10 bits each
		header |= uint32(m)<<14 | format
		dst = append(dst, byte(header), byte(header>>8), byte(header>>16))
	} else { // 14 bits each
		dst = binary.LittleEndian.AppendUint32(dst, header|uint32(m)<<18|2<<2)
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

// codes returns the code of each length below 128; the longer ones have a code for each power of two.
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

// appendSequences writes the sequences in reverse order (RFC 8878, 3.1.1.3.2), with the dictionary's tables.
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
