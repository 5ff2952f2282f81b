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

// chars writes n characters drawn from an alphabet. Eight of them come out of
// one random number: the high half of a product is the digit, the low half
// holds what is left of the randomness.
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

func (g *gen) patternElem(name, s string) {
	g.begin(name)
	g.pattern(s)
	g.end(name)
}

// pattern writes s with a digit for each # and a capital letter for each @.
func (g *gen) pattern(s string) {
	x := g.next()
	for i := range len(s) {
		var c uint64
		switch s[i] {
		case '#':
			c, x = bits.Mul64(x, 10)
			g.char(byte('0' + c))
		case '@':
			c, x = bits.Mul64(x, 26)
			g.char(byte('A' + c))
		default:
			g.char(s[i])
		}
	}
}

// one draws an element of a list.
func one[T any](r *rng, list []T) T { return list[r.below(len(list))] }
