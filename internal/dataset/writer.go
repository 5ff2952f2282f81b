package dataset

// writer appends to a document. Its arguments must be escaped already: vocabularies hold "&amp;", and random text has
// no characters that need escaping.
type writer struct {
	b     []byte
	slots *[]slot // nil but where a template is taken
}

// slot is a part of the document that a template leaves open.
type slot struct {
	name       string
	start, end int
}

func (w *writer) str(s string) { w.b = append(w.b, s...) }

func (w *writer) char(c byte) { w.b = append(w.b, c) }

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

// elem writes an element that has only text.
func (w *writer) elem(name, text string) {
	w.begin(name)
	w.str(text)
	w.end(name)
}

// begin writes a start tag.
func (w *writer) begin(name string) {
	w.b = append(w.b, '<')
	w.b = append(w.b, name...)
	w.b = append(w.b, '>')
}

// end writes an end tag.
func (w *writer) end(name string) {
	w.b = append(w.b, '<', '/')
	w.b = append(w.b, name...)
	w.b = append(w.b, '>')
}

// intElem, dateElem and decimalElem write an element that has a number or a day.
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

// attr writes an attribute.
func (w *writer) attr(name, value string) {
	w.beginAttr(name)
	w.str(value)
	w.endAttr()
}

// beginAttr writes an attribute up to its value.
func (w *writer) beginAttr(name string) {
	w.b = append(w.b, ' ')
	w.b = append(w.b, name...)
	w.b = append(w.b, '=', '"')
}

func (w *writer) endAttr() { w.b = append(w.b, '"') }

// int writes a number that may be negative.
func (w *writer) int(v int64) {
	u := uint64(v)
	if v < 0 {
		w.b = append(w.b, '-')
		u = -u
	}
	w.uint(u)
}

func (w *writer) uint(u uint64) {
	var a [20]byte
	at := len(a)
	for u >= 10 {
		at--
		a[at] = byte('0' + u%10)
		u /= 10
	}
	at--
	a[at] = byte('0' + u)
	w.b = append(w.b, a[at:]...)
}

// padded writes the last width digits of v, with zeros in front.
func (w *writer) padded(v uint64, width int) {
	var a [20]byte
	for i := width - 1; i >= 0; i-- {
		a[i] = byte('0' + v%10)
		v /= 10
	}
	w.b = append(w.b, a[:width]...)
}

var pow10s = [...]uint64{1, 10, 100, 1000, 10_000}

// decimal writes v / 10^places with all its places.
func (w *writer) decimal(v int64, places int) {
	u := uint64(v)
	if v < 0 {
		w.b = append(w.b, '-')
		u = -u
	}
	w.uint(u / pow10s[places])
	w.b = append(w.b, '.')
	w.padded(u%pow10s[places], places)
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
	s := seconds % secondsPerDay
	h, m, s := s/3600, s/60%60, s%60
	w.b = append(w.b, 'T',
		byte('0'+h/10), byte('0'+h%10), ':',
		byte('0'+m/10), byte('0'+m%10), ':',
		byte('0'+s/10), byte('0'+s%10))
}
