package dataset

import (
	"math/bits"
	"strconv"
	"time"
)

// writer appends to a document. Its arguments must be escaped already: vocabularies hold "&amp;", and random text has
// no characters that need escaping.
type writer struct {
	b     []byte
	slots *[]slot // nil unless a template is being made
}

// slot is a part of the document that a template leaves open.
type slot struct {
	name       string
	start, end int
}

// open begins a slot that lasts until close. Slots do not nest.
func (w *writer) open(name string) {
	if w.slots != nil {
		*w.slots = append(*w.slots, slot{name: name, start: len(w.b)})
	}
}

func (w *writer) close() {
	if w.slots != nil {
		(*w.slots)[len(*w.slots)-1].end = len(w.b)
	}
}

// idSlot writes an id, which a template leaves open.
func (w *writer) idSlot(name string, id int64) {
	w.open(name)
	w.int(id)
	w.close()
}

// str writes one or more texts. Most calls have one, for which this signature is the fastest.
func (w *writer) str(s string, more ...string) {
	w.b = append(w.b, s...)
	for _, s := range more {
		w.b = append(w.b, s...)
	}
}

func (w *writer) char(c byte) { w.b = append(w.b, c) }

// begin writes a start tag.
func (w *writer) begin(name string) { w.b = append(append(append(w.b, '<'), name...), '>') }

// end writes an end tag.
func (w *writer) end(name string) { w.b = append(append(append(w.b, "</"...), name...), '>') }

// elem writes an element that has only text.
func (w *writer) elem(name, text string, more ...string) {
	w.begin(name)
	w.str(text, more...)
	w.end(name)
}

func (w *writer) dateElem(name string, day int) {
	w.begin(name)
	w.date(day)
	w.end(name)
}

func (w *writer) decimalElem(name string, v int64, places int) {
	w.begin(name)
	w.decimal(v, places)
	w.end(name)
}

// int writes a number that may be negative.
func (w *writer) int(v int64) { w.b = strconv.AppendInt(w.b, v, 10) }

// padded writes v as width digits, at most four, with leading zeros or without the digits that do not fit.
func (w *writer) padded(v, width int) {
	w.b = append(w.b, "0000"[:width]...)
	for at := len(w.b) - 1; width > 0; at, width = at-1, width-1 {
		w.b[at] = byte('0' + v%10)
		v /= 10
	}
}

var pow10s = [...]int{1, 10, 100, 1000, 10_000}

// decimal writes v / 10^places with all its places.
func (w *writer) decimal(v int64, places int) {
	if v < 0 {
		w.b = append(w.b, '-')
		v = -v
	}
	unit := int64(pow10s[places])
	w.int(v / unit)
	w.b = append(w.b, '.')
	w.padded(int(v%unit), places)
}

// date writes a day as xsd:date, in the proleptic Gregorian calendar. time.Time does the same at about three times the
// cost, and an order has about eleven dates and times.
func (w *writer) date(day int) {
	day += 719_468 // from 0000-03-01, so that a leap day ends its year
	era, dayOfEra := day/146_097, day%146_097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36_524 - dayOfEra/146_096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	fromMarch := (5*dayOfYear + 2) / 153
	y, m, d := era*400+yearOfEra, fromMarch+3, dayOfYear-(153*fromMarch+2)/5+1
	if m > 12 {
		y, m = y+1, m-12
	}
	w.b = append(w.b,
		byte('0'+y/1000), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10), '-',
		byte('0'+m/10), byte('0'+m%10), '-',
		byte('0'+d/10), byte('0'+d%10))
}

// dateTime writes seconds since 1970 as xsd:dateTime without a zone.
func (w *writer) dateTime(seconds int) {
	w.date(seconds / secondsPerDay)
	h, m, s := seconds%secondsPerDay/3600, seconds/60%60, seconds%60
	w.b = append(w.b, 'T',
		byte('0'+h/10), byte('0'+h%10), ':',
		byte('0'+m/10), byte('0'+m%10), ':',
		byte('0'+s/10), byte('0'+s%10))
}

// either returns one of two values.
func either[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

func yes(b bool) string { return either(b, "Yes", "No") }

// Days are counted from 1970-01-01, seconds from its midnight. Documents have no time zones.

// horizon is the last day of the generated data: nothing in a dataset is later, except for years in names of bonds and
// funds, months of 2010 in descriptions, and the values of NewOrder and NewAccount.
var horizon = dayOf(2010, 6, 30)

const secondsPerDay = 24 * 60 * 60

func dayOf(year int, month time.Month, day int) int {
	return int(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

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
// selects the character, the low half holds the remaining randomness.
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
