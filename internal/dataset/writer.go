package dataset

import "strconv"

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

func (w *writer) intElem(name string, v int64) {
	w.begin(name)
	w.int(v)
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

// padded writes the last width digits of v, at most four, with zeros in front.
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

// date writes a day as xsd:date.
func (w *writer) date(day int) {
	y, m, d := civil(day)
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
