package zdict

import (
	"encoding/binary"
	"math/bits"
)

// A coder encodes the symbols of one kind by an FSE table (RFC 8878, 4.1).
type coder struct {
	log     uint
	states  []uint16 // by symbol, then by state
	symbols []symbol
}

// A symbol holds what a step to it needs.
type symbol struct {
	bits  uint32 // (state + bits) >> 16 is the number of bits to write
	start int32  // of its states in coder.states; the shifted state is added
	known bool
}

func newCoder(counts []int16, log uint) coder {
	size := 1 << log
	c := coder{log: log, states: make([]uint16, size), symbols: make([]symbol, len(counts))}

	// Spread the symbols over the states as the decoder does.
	table := make([]uint8, size)
	high := size - 1
	for s, n := range counts {
		if n == -1 {
			table[high] = uint8(s)
			high--
		}
	}
	at, step := 0, size>>1+size>>3+3
	for s, n := range counts {
		for range n { // nothing for -1
			table[at] = uint8(s)
			for at = (at + step) & (size - 1); at > high; at = (at + step) & (size - 1) {
			}
		}
	}

	next := make([]int, len(counts))
	total := 0
	for s, n := range counts {
		next[s] = total
		switch {
		case n == -1 || n == 1:
			c.symbols[s] = symbol{uint32(log<<16) - uint32(size), int32(total - 1), true}
			total++
		case n > 1:
			most := log - uint(bits.Len(uint(n-1))-1)
			c.symbols[s] = symbol{uint32(most<<16) - uint32(n)<<most, int32(total - int(n)), true}
			total += int(n)
		}
	}
	for i, s := range table {
		c.states[next[s]] = uint16(size + i)
		next[s]++
	}
	return c
}

// has reports whether the table has a symbol.
func (c *coder) has(s uint8) bool { return int(s) < len(c.symbols) && c.symbols[s].known }

// first returns the state that a decoder ends in.
func (c *coder) first(s uint8) uint32 {
	t := c.symbols[s]
	n := (t.bits + 1<<15) >> 16
	v := n<<16 - t.bits
	return uint32(c.states[int32(v>>n)+t.start])
}

// A bitWriter writes a stream that is read from its end.
type bitWriter struct {
	out  []byte
	held uint64
	n    uint
}

// add adds n bits, at most 32, when fewer than 32 are held.
func (w *bitWriter) add(v uint32, n uint) {
	w.held |= uint64(v) & (1<<n - 1) << w.n
	w.n += n
}

// flush writes whole bytes and holds fewer than 8 bits.
func (w *bitWriter) flush() {
	w.out = binary.LittleEndian.AppendUint64(w.out, w.held)
	n := w.n / 8
	w.out = w.out[:len(w.out)-8+int(n)]
	w.held >>= n * 8
	w.n &= 7
}

// step encodes a symbol and returns the next state.
func (w *bitWriter) step(c *coder, state uint32, s uint8) uint32 {
	t := c.symbols[s]
	n := (state + t.bits) >> 16
	w.add(state, uint(n))
	return uint32(c.states[int32(state>>n)+t.start])
}

// close ends the stream with a bit that marks its length.
func (w *bitWriter) close() {
	w.add(1, 1)
	w.flush()
	if w.n > 0 {
		w.out = append(w.out, byte(w.held))
	}
}
