package zdict

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/huff0"
)

// Train returns a dictionary of content, which documents have in common, with entropy tables that fit the samples. The
// tables have every symbol, so that Append refuses hardly any document.
func Train(id uint32, content []byte, samples [][]byte) ([]byte, error) {
	if len(content) < minContent || len(content) > maxContent || id == 0 {
		return nil, fmt.Errorf("a dictionary needs an id, and from %d to %d bytes of content", minContent, maxContent)
	}
	f := newFinder(newIndex(content), content)
	var literals [256]int
	var offsets [maxTrainedOffset + 1]int
	var matches [maxMatchCode + 1]int
	var lengths [maxLengthCode + 1]int
	first := make(map[uint32]int)
	for _, doc := range samples {
		if len(doc) >= maxInput {
			continue
		}
		f.split(doc, [3]uint32{1, 4, 8})
		for _, b := range f.literals {
			literals[b]++
		}
		for _, s := range f.found {
			offsets[bits.Len32(s.offset)-1]++
			matches[matchCode(s.match-3)]++
			lengths[lengthCode(s.literals)]++
		}
		if len(f.found) > 0 && f.found[0].offset > 3 {
			first[f.found[0].offset-3]++
		}
	}
	table, err := huffmanTable(literals)
	if err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint32(nil, dictionaryMagic)
	out = binary.LittleEndian.AppendUint32(out, id)
	out = append(out, table...)
	out = appendCounts(out, normalized(offsets[:], 8), 8)
	out = appendCounts(out, normalized(matches[:], 9), 9)
	out = appendCounts(out, normalized(lengths[:], 9), 9)
	for _, offset := range frequent(first, len(content)) {
		out = binary.LittleEndian.AppendUint32(out, offset)
	}
	return append(out, content...), nil
}

// maxTrainedOffset is the code of the largest offset: from the end of the largest document to the beginning of the
// largest dictionary.
const maxTrainedOffset = 17

// frequent returns the three offsets that most documents begin with.
func frequent(counts map[uint32]int, limit int) [3]uint32 {
	order := slices.SortedFunc(maps.Keys(counts), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	order = slices.DeleteFunc(order, func(o uint32) bool { return int(o) > limit })
	var top [3]uint32
	copy(top[:], append(order, 1, 4, 8))
	return top
}

// huffmanTable returns a table for all bytes, with shorter codes for more frequent ones.
func huffmanTable(counts [256]int) ([]byte, error) {
	total := 0
	for _, n := range counts {
		total += n
	}
	const size = 64 << 10
	var text []byte
	for b, n := range counts {
		text = append(text, bytes.Repeat([]byte{byte(b)}, 1+n*size/max(total, 1))...)
	}
	s := huff0.Scratch{TableLog: 11}
	if _, _, err := huff0.Compress1X(text, &s); err != nil {
		return nil, fmt.Errorf("no table for the literals: %w", err)
	}
	return s.OutTable, nil
}

// normalized scales counts to a sum of 2^log, with none zero; -1 means less than one.
func normalized(counts []int, log int) []int16 {
	total := 0
	for _, n := range counts {
		total += n
	}
	size := 1 << log
	out := make([]int16, len(counts))
	left, most := size, 0
	for i, n := range counts {
		share := n * size / max(total, 1)
		if out[i] = int16(share); share == 0 {
			out[i], share = -1, 1
		}
		left -= share
		if out[i] > out[most] {
			most = i
		}
	}
	// The largest count absorbs the rounding error, which is small because there are few symbols.
	out[most] += int16(left)
	return out
}

// appendCounts writes a distribution in the format that readCounts reads.
func appendCounts(dst []byte, counts []int16, log int) []byte {
	w := bitWriter{out: dst}
	w.add(uint32(log-5), 4)
	remaining := 1 << log
	for _, count := range counts {
		v := int(count) + 1
		n := bits.Len(uint(remaining + 1))
		short := 1<<n - 1 - (remaining + 1)
		switch {
		case v < short:
			w.add(uint32(v), uint(n-1))
		case v < 1<<(n-1):
			w.add(uint32(v), uint(n))
		default:
			w.add(uint32(v+short), uint(n))
		}
		w.flush()
		remaining -= max(int(count), -int(count))
	}
	if w.n > 0 {
		w.out = append(w.out, byte(w.held))
	}
	return w.out
}
