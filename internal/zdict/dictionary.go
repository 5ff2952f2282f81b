package zdict

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/klauspost/compress/huff0"
)

const dictionaryMagic = 0xEC30A437

// A dictionary is a parsed zstd dictionary.
type dictionary struct {
	id       uint32
	literals *huff0.Scratch // holds the Huffman table to copy from
	offsets  coder
	matches  coder
	lengths  coder // of literals
	recent   [3]uint32
	content  []byte
}

// The largest codes that the format has for each kind of number.
const (
	maxOffsetCode = 31
	maxMatchCode  = 52
	maxLengthCode = 35
)

var errDictionary = errors.New("not a zstd dictionary")

func parse(b []byte) (*dictionary, error) {
	if len(b) < 8 || binary.LittleEndian.Uint32(b) != dictionaryMagic {
		return nil, errDictionary
	}
	d := &dictionary{id: binary.LittleEndian.Uint32(b[4:])}
	var err error
	if d.literals, b, err = huff0.ReadTable(b[8:], nil); err != nil {
		return nil, fmt.Errorf("%w: literals: %w", errDictionary, err)
	}
	for _, table := range []struct {
		coder   *coder
		largest int
	}{{&d.offsets, maxOffsetCode}, {&d.matches, maxMatchCode}, {&d.lengths, maxLengthCode}} {
		counts, log, n, err := readCounts(b, table.largest)
		if err != nil {
			return nil, err
		}
		*table.coder = newCoder(counts, log)
		b = b[n:]
	}
	if len(b) < 12+minContent {
		return nil, errDictionary
	}
	for i := range d.recent {
		d.recent[i] = binary.LittleEndian.Uint32(b[4*i:])
		if d.recent[i] == 0 || int(d.recent[i]) > len(b)-12 {
			return nil, errDictionary
		}
	}
	if d.content = b[12:]; len(d.content) > maxContent {
		return nil, fmt.Errorf("%w of at most %d bytes of content", errDictionary, maxContent)
	}
	return d, nil
}

// readCounts reads the distribution of an FSE table (RFC 8878, 4.1.1): the number of states of each symbol, of 2^log,
// or -1 for less than one.
func readCounts(b []byte, largest int) (counts []int16, log uint, size int, err error) {
	at := 0 // in bits
	read := func(n int) int {
		v := 0
		for i := range n {
			if byteAt := (at + i) / 8; byteAt < len(b) {
				v |= int(b[byteAt]>>((at+i)%8)&1) << i
			}
		}
		at += n
		return v
	}
	log = uint(read(4)) + 5
	if log > 9 {
		return nil, 0, 0, errDictionary
	}
	for remaining := 1 << log; remaining > 0; {
		if len(counts) > largest || at > 8*len(b) {
			return nil, 0, 0, errDictionary
		}
		// Values are from 0 to remaining+1; the lowest of them have one bit less.
		n := bits.Len(uint(remaining + 1))
		short := 1<<n - 1 - (remaining + 1)
		v := read(n - 1)
		if v >= short {
			if v |= read(1) << (n - 1); v >= 1<<(n-1) {
				v -= short
			}
		}
		count := v - 1
		counts = append(counts, int16(count))
		remaining -= max(count, -count)
		if count == 0 {
			for again := 3; again == 3; {
				again = read(2)
				counts = append(counts, make([]int16, again)...)
			}
		}
	}
	size = (at + 7) / 8
	if size > len(b) || len(counts) > largest+1 {
		return nil, 0, 0, errDictionary
	}
	return counts, log, size, nil
}
