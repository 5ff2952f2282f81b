package zdict

import (
	"encoding/binary"
	"math/bits"
)

const (
	minContent = 16      // of a dictionary
	maxContent = 1 << 16 // what positions of an index can say
	maxInput   = 1 << 16 // a document; larger ones are no worse off with a general encoder
	minMatch   = 6       // what a new offset costs is worth so many literals

	inputBits = 12
	// chain is how many places in the dictionary are looked at: the more, the smaller and slower.
	chain = 4
	// enough is a match that is taken without a look whether the next byte begins a longer one.
	enough = 20
)

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }
func load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }

// hash is of the first minMatch bytes of v; any of its bits from the top will do.
func hash(v uint64) uint64 { return v << (64 - 8*minMatch) * 0x9FB21C651E98DF25 }

// index finds places in the content of a dictionary. It is made once and only read thereafter.
type index struct {
	// heads are, by hash, the last places where two strings of minMatch bytes stand: the place, and above it more of the
	// hash, so that most of what is not there is seen without a look into the content. 0 is nothing.
	heads [][2]uint32
	shift uint // of a hash, for its head
	// before is, by place, the one before it where the same string stands; the first place refers to itself.
	before []uint16
}

// entry is what heads hold of a place.
func entry(h uint64, at int) uint32 { return uint32(h>>16)<<16 | uint32(at) }

func newIndex(content []byte) *index {
	n := uint(bits.Len(uint(len(content) / 2)))
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
		if way == 2 { // a string that is new here; of three, the oldest goes
			head[1] = head[0]
			head[0] = e
			continue
		}
		x.before[i] = uint16(head[way])
		head[way] = e
	}
	return x
}

// sequence is some literals and then a match.
type sequence struct {
	literals uint32
	match    uint32
	offset   uint32 // as coded: 1 to 3 are recent offsets
}

// finder cuts a document into sequences.
type finder struct {
	index    *index
	buf      []byte // the dictionary's content, then the document
	prefix   int    // how long the former is
	recent   [3]uint32
	seen     [1 << inputBits]uint32 // by hash: the last place in the document, plus base
	base     uint32                 // what is below it is of earlier documents
	literals []byte
	found    []sequence
}

func newFinder(x *index, content []byte) *finder {
	return &finder{index: x, prefix: len(content), buf: append(make([]byte, 0, len(content)+maxInput), content...)}
}

// match is where the same bytes stand before.
type match struct {
	length int
	offset uint32
	gain   int // in quarters of bits
}

// split fills literals and found.
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
			at++
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
		// Some of what the match covers is to be found again.
		next := at + m.length
		for i := at + 2; i < next && i+8 <= end; i += 8 {
			f.seen[hash(load64(f.buf, i))>>(64-inputBits)] = f.base + uint32(i)
		}
		at, from = next, next
	}
	f.literals = append(f.literals, f.buf[from:]...)
	f.base += uint32(end)
}

// Costs in quarters of bits, as they are with tables made for such documents.
const (
	literalCost = 20
	matchCost   = 70
	recentCost  = 55
)

// best gives the match at a place that saves most, or none. Right behind a match
// the first of the recent offsets would only continue it.
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

// longer gives the match with the bytes from a place on, if that saves more than m.
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

// common is how many bytes are the same from two places on, b before a.
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

// emit adds a sequence: the literals from a place on, and a match at another.
func (f *finder) emit(from, at int, m match) {
	f.literals = append(f.literals, f.buf[from:at]...)
	s := sequence{literals: uint32(at - from), match: uint32(m.length), offset: m.offset + 3}
	r := &f.recent
	// What 1 to 3 stand for depends on whether there are literals (RFC 8878,
	// 3.1.1.5); behind a match there is no offset for the first of them.
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
