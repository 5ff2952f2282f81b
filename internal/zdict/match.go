package zdict

import (
	"encoding/binary"
	"math/bits"
)

const (
	minContent = 16      // of a dictionary
	maxContent = 1 << 16 // the positions of an index have 16 bits
	maxInput   = 1 << 16 // of a document; a general encoder packs larger ones as well
	minMatch   = 6       // a shorter match costs more than its literals

	inputBits = 12
	// chain is how many positions in the dictionary are tried. More of them pack smaller and slower.
	chain = 4
	// enough is the length of a match that is taken without trying the next byte.
	enough = 20
)

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }
func load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }

// hash returns a hash of the first minMatch bytes of v, of which the highest bits are used.
func hash(v uint64) uint64 { return v << (64 - 8*minMatch) * 0x9FB21C651E98DF25 }

// An index finds strings in the content of a dictionary. It is made once and then only read.
type index struct {
	// heads holds, by hash, the last two different strings of minMatch bytes: the position of each, and above it more bits
	// of its hash, so that most misses need no look into the content. 0 is empty.
	heads [][2]uint32
	shift uint // of a hash, for its head
	// before holds, by position, the previous position of the same string; the first refers to itself.
	before []uint16
}

// entry returns the entry of heads for a position.
func entry(h uint64, at int) uint32 { return uint32(h>>16)<<16 | uint32(at) }

func newIndex(content []byte) *index {
	n := uint(bits.Len(uint(len(content) / 4)))
	x := &index{heads: make([][2]uint32, 1<<n), shift: 64 - n, before: make([]uint16, len(content))}
	for i := 1; i+8 <= len(content); i++ {
		v := load64(content, i)
		h := hash(v)
		e := entry(h, i)
		x.before[i] = uint16(i)
		head := &x.heads[h>>x.shift]
		way := 0
		for way < 2 && (head[way] == 0 || hash(load64(content, int(head[way]&0xFFFF))) != h) {
			way++
		}
		if way == 2 { // a new string: the oldest of three is dropped
			head[1] = head[0]
			head[0] = e
			continue
		}
		x.before[i] = uint16(head[way])
		head[way] = e
	}
	return x
}

// A sequence is some literals followed by a match.
type sequence struct {
	literals uint32
	match    uint32
	offset   uint32 // as coded: 1 to 3 are recent offsets
}

// A finder splits a document into sequences.
type finder struct {
	index    *index
	buf      []byte // the dictionary's content, then the document
	prefix   int    // the length of the content
	recent   [3]uint32
	seen     [1 << inputBits]uint32 // by hash: the last position in the document, plus base
	base     uint32                 // lower entries of seen are of earlier documents
	literals []byte
	found    []sequence
}

func newFinder(x *index, content []byte) *finder {
	return &finder{index: x, prefix: len(content), buf: append(make([]byte, 0, len(content)+maxInput), content...)}
}

// A match is an earlier position of the same bytes.
type match struct {
	length int
	offset uint32
	gain   int // in quarters of bits
}

// split splits a document into literals and found.
func (f *finder) split(doc []byte, recent [3]uint32) {
	f.buf = append(f.buf[:f.prefix], doc...)
	f.literals, f.found, f.recent = f.literals[:0], f.found[:0], recent
	if f.base > 1<<31 {
		clear(f.seen[:])
		f.base = 0
	}
	end := len(f.buf)
	from := f.prefix // of the literals that no sequence has yet
	for at := f.prefix; at+8 <= end; {
		m := f.best(at, at == from)
		if m.length == 0 {
			at += 2 // a match that begins in between is found from its second byte, and extended to its first
			continue
		}
		for m.length < enough && at+9 <= end {
			later := f.best(at+1, false)
			if later.gain <= m.gain+literalCost {
				break
			}
			at, m = at+1, later
		}
		for at > from && int(m.offset) < at && f.buf[at-1] == f.buf[at-1-int(m.offset)] {
			at--
			m.length++
		}
		f.emit(from, at, m)
		// Index some positions inside the match.
		next := at + m.length
		for i := at + 2; i < next && i+8 <= end; i += 8 {
			f.seen[hash(load64(f.buf, i))>>(64-inputBits)] = f.base + uint32(i)
		}
		at, from = next, next
	}
	f.literals = append(f.literals, f.buf[from:]...)
	f.base += uint32(end)
}

// Costs in quarters of bits, as measured with trained tables.
const (
	literalCost = 20
	matchCost   = 70
	recentCost  = 55
)

// best returns the match at the given position that saves most, or none. Directly after a match it skips the first of
// the recent offsets, which would only continue that match.
func (f *finder) best(at int, behindMatch bool) (m match) {
	buf := f.buf
	v := load64(buf, at)
	for i, o := range f.recent {
		from := at - int(o)
		if load32(buf, from) != load32(buf, at) || i == 0 && behindMatch {
			continue
		}
		n := 4 + common(buf, at+4, from+4)
		if g := n*literalCost - recentCost; g > m.gain {
			m = match{n, o, g}
		}
	}
	h := hash(v)
	seen := &f.seen[h>>(64-inputBits)]
	if from := int(*seen) - int(f.base); from >= f.prefix {
		m = f.longer(m, v, at, from)
	}
	*seen = f.base + uint32(at)
	for _, head := range &f.index.heads[h>>f.index.shift] {
		if head == 0 || (head^uint32(h>>16)<<16)>>16 != 0 {
			continue
		}
		from := int(head & 0xFFFF)
		for range chain {
			m = f.longer(m, v, at, from)
			before := int(f.index.before[from])
			if before == from {
				break
			}
			from = before
		}
		break
	}
	return m
}

// longer returns the match with the bytes at a position, if it saves more than m, and m otherwise.
func (f *finder) longer(m match, v uint64, at, from int) match {
	buf := f.buf
	if at+m.length < len(buf) && buf[from+m.length] != buf[at+m.length] || (v^load64(buf, from))<<(64-8*minMatch) != 0 {
		return m
	}
	n := minMatch + common(buf, at+minMatch, from+minMatch)
	o := uint32(at - from)
	if g := n*literalCost - matchCost - 4*bits.Len32(o+3); g > m.gain {
		return match{n, o, g}
	}
	return m
}

// common returns how many bytes are equal from two positions on; b is before a.
func common(buf []byte, a, b int) int {
	n := 0
	for ; a+n+8 <= len(buf); n += 8 {
		if x := load64(buf, a+n) ^ load64(buf, b+n); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
	}
	for ; a+n < len(buf) && buf[a+n] == buf[b+n]; n++ {
	}
	return n
}

// emit adds a sequence: the literals from a position on, and a match at another.
func (f *finder) emit(from, at int, m match) {
	f.literals = append(f.literals, f.buf[from:at]...)
	s := sequence{literals: uint32(at - from), match: uint32(m.length), offset: m.offset + 3}
	r := &f.recent
	// The meaning of offsets 1 to 3 depends on whether there are literals (RFC 8878, 3.1.1.5); directly after a match
	// the first recent offset has no code.
	shift := uint32(0)
	if s.literals == 0 {
		shift = 1
	}
	switch m.offset {
	case r[0]:
		if shift == 0 {
			s.offset = 1
		} else {
			r[1], r[2] = r[0], r[1]
		}
	case r[1]:
		s.offset = 2 - shift
		r[0], r[1] = r[1], r[0]
	case r[2]:
		s.offset = 3 - shift
		r[0], r[1], r[2] = r[2], r[0], r[1]
	default:
		r[0], r[1], r[2] = m.offset, r[0], r[1]
	}
	f.found = append(f.found, s)
}
