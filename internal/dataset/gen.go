package dataset

import "math/bits"

// gen writes one document. It has the buffer, the random stream and the dataset, and is kept on the stack.
type gen struct {
	writer
	rng
	d *Dataset
}

func (d *Dataset) gen(dst []byte, f purpose, i int64, slots *[]slot) gen {
	return gen{writer: writer{b: dst, slots: slots}, rng: stream(d.keys[f], i), d: d}
}

// printable are the 90 characters of random text: printable US-ASCII without & < > " ', which XML would escape in some
// places.
const printable = ` !#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_` + "`" + `abcdefghijklmnopqrstuvwxyz{|}~`

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const decimalDigits = "0123456789"

// chars writes n characters drawn from an alphabet. One random number gives eight of them: the high half of a product
// is the digit, the low half holds the remaining randomness.
func (g *gen) chars(alphabet string, n int) {
	for n > 0 {
		x := g.next()
		for range min(n, 8) {
			var c uint64
			c, x = bits.Mul64(x, uint64(len(alphabet)))
			g.b = append(g.b, alphabet[c])
		}
		n -= 8
	}
}

// digits writes n digits, of which the first is not 0.
func (g *gen) digits(n int) {
	g.char(byte('1' + g.below(9)))
	g.chars(decimalDigits, n-1)
}

func (g *gen) digitsElem(name string, n int) {
	g.begin(name)
	g.digits(n)
	g.end(name)
}

// patternElem writes an element with a pattern: a digit for each #, a capital letter for each @. It returns the text,
// which is valid until the end of the document.
func (g *gen) patternElem(name, pattern string) (text []byte) {
	g.begin(name)
	from, x := len(g.b), g.next()
	for i := range len(pattern) {
		var c uint64
		switch pattern[i] {
		case '#':
			c, x = bits.Mul64(x, 10)
			g.char(byte('0' + c))
		case '@':
			c, x = bits.Mul64(x, 26)
			g.char(byte('A' + c))
		default:
			g.char(pattern[i])
		}
	}
	text = g.b[from:]
	g.end(name)
	return text
}
