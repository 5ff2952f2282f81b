package dataset

import "fmt"

// The words A, B, ..., Z, AA, AB, ... are numbered from 0. A symbol is one of the words of up to three letters, or one
// of 18,278 spread over the words of four; a fund has four letters and an X. See the package comment for the whole
// function in a few lines of JavaScript.
const (
	shortWords   = 26 + 26*26 + 26*26*26 // words of one to three letters
	maxSymbols   = 2 * shortWords
	symbolStride = 22_741 // prime, so that i -> i·stride mod 36,556 is one-to-one
)

// types has the type of security i at i mod 20: eleven stocks (S), two bonds (B), and three, two and two funds of
// stocks (s), bonds (b) and both (m).
const types = "SSsSBSmSbSSsSBSmSsSb"

func typeOf(i int) byte { return types[i%len(types)] }

func isFund(i int) bool { return typeOf(i) >= 'a' }

// typeName returns the SecurityType of security i.
func typeName(i int) string { return typeNames[typeOf(i)] }

var typeNames = [...]string{'S': "Stock", 'B': "Bond", 's': "Stock Fund", 'b': "Bond Fund", 'm': "Mixed Fund"}

// Symbol returns the ticker symbol of security i, which depends on nothing else, neither seed nor profile nor scale.
func Symbol(i int) string { return string(appendSymbol(nil, i)) }

// appendSymbol appends the ticker symbol of security i.
func appendSymbol(dst []byte, i int) []byte {
	if i < 0 || i >= maxSymbols {
		panic(fmt.Sprintf("dataset: no symbol for index %d", i))
	}
	w := i * symbolStride % maxSymbols
	switch {
	case isFund(i):
		return append(appendWord(dst, shortWords+11*w), 'X')
	case w < shortWords:
		return appendWord(dst, w)
	default:
		return appendWord(dst, shortWords+25*(w-shortWords))
	}
}

// Symbol returns the ticker symbol of security i.
func (d *Dataset) Symbol(i int) string { return Symbol(i) }

// appendWord appends word n of at most four letters.
func appendWord(dst []byte, n int) []byte {
	var a [4]byte
	at := len(a)
	for n++; n > 0; n = (n - 1) / 26 {
		at--
		a[at] = byte('A' + (n-1)%26)
	}
	return append(dst, a[at:]...)
}
