package xmldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A Piece is a part of a stream: a document with the comments and processing instructions around it, unchanged.
type Piece struct {
	Bytes []byte // valid until the next call of Next
	Line  int    // where it begins, from 1

	// Blank is set if there is no element in it, only comments.
	Blank bool
	// Broken is the reason why the piece cannot be a document. If it is nil, Admit may still refuse the piece.
	Broken error
}

// A SplitPosition is a position between two pieces, from which another Splitter can continue. The zero position is the
// beginning.
type SplitPosition struct {
	Offset int64 `json:"offset"`
	Lines  int   `json:"lines"` // before the position

	// OneALine is set if the last whole document was a line of its own.
	OneALine bool `json:"oneALine,omitempty"`
	// Strict is set if a document must end on its line.
	Strict bool `json:"strict,omitempty"`
	// MidLine is set if the position is not at the beginning of a line.
	MidLine bool `json:"midLine,omitempty"`
	// Adrift is set if the last piece was broken and its end is not yet found.
	Adrift bool `json:"adrift,omitempty"`
}

// A Splitter cuts a stream of XML documents into its documents: with or without XML declarations, with comments
// between them, on one line or many. It checks only what it needs to find their ends; the rest is for [Admit]. Every
// byte of the stream is in one piece, except white space between them.
//
// After a broken document it continues at the next line that begins with an XML declaration or, if the last whole
// document was a line of its own, at the next line. It needs memory for one document of the largest size, and time in
// proportion to the stream, whatever is in it. It cannot separate documents in an encoding such as UTF-16, in which
// ASCII characters are not single bytes.
type Splitter struct {
	in   io.Reader
	buf  []byte // the piece that is being read begins at from
	from int
	max  int
	err  error // the end of the stream
	at   SplitPosition

	root []byte // the name of the root element

	// Where in the stream these marks do not occur, so that an unfinished comment is searched once, not once for each
	// line.
	absent map[string]stretch
}

type stretch struct{ from, to int64 }

const splitRead = 256 << 10

// NewSplitter returns a Splitter for the rest of a stream from the given position. Documents of more than limit bytes
// are broken; 0 means the default of Admit.
func NewSplitter(r io.Reader, limit int, at SplitPosition) *Splitter {
	if limit <= 0 {
		limit = 1 << 20
	}
	return &Splitter{in: r, max: limit, at: at, absent: make(map[string]stretch)}
}

// Position returns the position behind the last piece that Next returned.
func (s *Splitter) Position() SplitPosition { return s.at }

// Next returns the next piece. The error is io.EOF at the end, and otherwise the error of the stream.
func (s *Splitter) Next() (Piece, error) {
	if err := s.skipSpace(); err != nil {
		return Piece{}, err
	}
	var p Piece
	var end int
	var whole bool // documents are lines
	for len(s.rest()) < len("<?xml ") && s.more() {
	}
	if s.at.Adrift && !s.at.MidLine && (s.at.OneALine || declares(s.rest())) {
		s.at.Adrift = false
	}
	if s.at.Adrift {
		p.Broken = errAdrift
		end = s.resume()
	} else {
		end, whole, p.Blank, p.Broken = s.document()
		switch {
		case p.Broken != nil:
			end = s.resume()
		case !p.Blank:
			s.at.OneALine = whole
		}
	}
	if s.err != nil && !errors.Is(s.err, io.EOF) && end >= len(s.rest()) {
		return Piece{}, s.err // the rest of the piece was never seen
	}
	p.Line = s.at.Lines + 1
	p.Bytes = bytes.TrimRight(s.rest()[:end], " \t\r\n")
	s.advance(end)
	return p, nil
}

func (s *Splitter) rest() []byte { return s.buf[s.from:] }

// advance moves the position over n bytes.
func (s *Splitter) advance(n int) {
	if n == 0 {
		return
	}
	b := s.rest()[:n]
	s.at.Offset += int64(n)
	s.at.Lines += bytes.Count(b, []byte{'\n'})
	s.at.MidLine = b[n-1] != '\n'
	s.from += n
}

// more reads more of the stream, up to a document of the largest size and one read. It returns false at the end, or if
// the piece is too large.
func (s *Splitter) more() bool {
	if s.err != nil || len(s.rest()) > s.max {
		return false
	}
	if cap(s.buf)-len(s.buf) < splitRead/2 {
		if s.from > 0 {
			s.buf = s.buf[:copy(s.buf[:cap(s.buf)], s.rest())]
			s.from = 0
		}
		if cap(s.buf)-len(s.buf) < splitRead/2 {
			grown := make([]byte, len(s.buf), min(2*cap(s.buf), s.max)+splitRead)
			copy(grown, s.buf)
			s.buf = grown
		}
	}
	for range 100 {
		var n int
		n, s.err = s.in.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if n > 0 {
			return true
		}
		if s.err != nil {
			return false
		}
	}
	s.err = io.ErrNoProgress
	return false
}

func (s *Splitter) skipSpace() error {
	for {
		b := s.rest()
		n := 0
		for n < len(b) && isSpace(b[n]) {
			n++
		}
		s.advance(n)
		if n < len(b) {
			return nil
		}
		if !s.more() {
			return s.err // nothing is buffered, so the piece is not too large
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

var (
	errUnfinished = errors.New("the document does not end")
	errOutside    = errors.New("text outside of an element")
	errEndTag     = errors.New("an end tag without its start tag")
	errTag        = errors.New("a tag is not closed")
	errAdrift     = errors.New("part of a broken document")
	errEmpty      = errors.New("there is no element")
	errMarkup     = errors.New("markup is malformed")
	errNext       = errors.New("another document begins before this one has ended")
)

func (s *Splitter) tooLarge() error {
	if len(s.rest()) > s.max {
		return fmt.Errorf("larger than %d bytes", s.max)
	}
	return errUnfinished
}

// An outline is what is known of a document while its end is searched. Offsets are in the rest.
type outline struct {
	begin, at int  // of the document, behind a byte order mark, and of what is read next
	depth     int  // how many elements are open
	blank     bool // no element or declaration so far
	looked    int  // if a document must end on its line: no line ends before this
}

// document returns the end of the first document in the unread input, as an offset in it. whole reports that the
// document is a line of its own, blank that there are only comments or the like.
func (s *Splitter) document() (end int, whole, blank bool, err error) {
	startsLine := !s.at.MidLine
	d := outline{blank: true}
	if bytes.HasPrefix(s.rest(), []byte("\xEF\xBB\xBF")) {
		d.begin, d.at = 3, 3
	}
	s.root = s.root[:0]
	for ended := false; !ended; {
		b := s.rest()
		next := bytes.IndexByte(b[d.at:], '<')
		if next < 0 {
			if next, err = s.search(&d); err != nil {
				return 0, false, false, err
			} else if next < 0 {
				break
			}
			b = s.rest()
		}
		if d.depth == 0 && !isBlank(b[d.at:d.at+next]) {
			return 0, false, false, errOutside
		}
		d.at += next
		if s.at.Strict || d.at > s.max || len(b)-d.at < len("<![CDATA[") {
			if err := s.reach(&d); err != nil {
				return 0, false, false, err
			}
			b = s.rest()
		}
		switch b[d.at+1] {
		case '/':
			if d.depth == 0 {
				return 0, false, false, errEndTag
			}
			d.at, err = s.tag(d.at)
			d.depth--
			ended = d.depth == 0
		case '!', '?':
			ended, err = s.aside(&d)
		default:
			ended, err = s.startTag(&d)
		}
		if err != nil {
			return 0, false, false, err
		}
	}
	switch {
	case d.blank:
		return d.at, false, true, nil
	case d.at > s.max:
		return 0, false, false, s.tooLarge()
	}
	oneLine := bytes.IndexByte(s.rest()[:d.at], '\n') < 0
	end, lineEnds := s.trailing(d.at)
	return end, oneLine && (s.at.OneALine || startsLine && lineEnds), false, nil
}

// search reads to the next markup and returns its distance, or -1 if the stream ends behind comments.
func (s *Splitter) search(d *outline) (next int, err error) {
	for {
		seen := len(s.rest())
		if d.depth == 0 && !isBlank(s.rest()[d.at:]) {
			return 0, errOutside
		}
		if !s.more() {
			switch {
			case d.depth > 0 || s.err == nil:
				return 0, s.long()
			case d.blank && d.at > d.begin:
				return -1, nil
			}
			return 0, errEmpty
		}
		if next = bytes.IndexByte(s.rest()[seen:], '<'); next >= 0 {
			return seen + next - d.at, nil
		}
	}
}

// reach checks that the next markup is within the limits, and reads enough of it to tell its kind.
func (s *Splitter) reach(d *outline) error {
	if s.at.OneALine && s.at.Strict {
		if bytes.IndexByte(s.rest()[d.looked:d.at], '\n') >= 0 {
			return errUnfinished
		}
		d.looked = d.at
	}
	if d.at > s.max {
		return s.tooLarge()
	}
	for len(s.rest())-d.at < len("<![CDATA[") && s.more() {
	}
	if len(s.rest())-d.at < 2 {
		return errUnfinished
	}
	return nil
}

// aside reads a comment, a processing instruction, a CDATA section or a declaration. It returns true before an XML
// declaration that follows comments, which belong to no document then.
func (s *Splitter) aside(d *outline) (ended bool, err error) {
	b := s.rest()
	declaration := declares(b[d.at:])
	if declaration && d.at > d.begin {
		switch {
		case d.depth == 0 && d.blank:
			return true, nil
		case d.depth == 0:
			return false, errEmpty
		case b[d.at-1] == '\n':
			return false, errNext
		}
	}
	if declaration || bytes.HasPrefix(b[d.at:], []byte("<!D")) {
		d.blank = false
	}
	d.at, err = s.special(d.at)
	return false, err
}

// startTag reads a start tag. It returns true for a root element of one tag.
func (s *Splitter) startTag(d *outline) (ended bool, err error) {
	b, start := s.rest(), d.at
	if s.at.OneALine && start > 0 && b[start-1] == '\n' && d.depth > 0 &&
		bytes.HasPrefix(b[start+1:], s.root) && isNameEnd(b, start+1+len(s.root)) {
		return false, errNext
	}
	if d.at, err = s.tag(start); err != nil {
		return false, err
	}
	d.blank = false
	b = s.rest()
	if b[d.at-2] != '/' {
		d.depth++
	}
	if len(s.root) == 0 && s.at.OneALine {
		s.root = append(s.root, nameIn(b[start+1:d.at])...)
	}
	return d.depth == 0, nil
}

func isBlank(b []byte) bool { return len(bytes.TrimLeft(b, " \t\r\n")) == 0 }

// long returns the error of a document whose end was not found. In a stream of lines that happens once: after that a
// document must end on its line.
func (s *Splitter) long() error {
	if s.at.OneALine {
		s.at.Strict = true
	}
	return s.tooLarge()
}

// trailing extends a document that ends at i over the comments and processing instructions that follow, because those
// before an XML declaration cannot belong to the next document. It also reports whether a line ends at i.
func (s *Splitter) trailing(i int) (end int, lineEnds bool) {
	end = i
	first := true
	for {
		b := s.rest()
		for i < len(b) && isSpace(b[i]) {
			if first && b[i] == '\n' {
				lineEnds = true
			}
			i++
		}
		if len(b)-i < len("<?xml ") {
			if s.more() {
				continue
			}
			b = s.rest()
		}
		if first {
			first = false
			lineEnds = lineEnds || i == len(b)
		}
		if len(b)-i < len("<?x") || b[i] != '<' || b[i+1] != '?' && !bytes.HasPrefix(b[i:], []byte("<!-")) ||
			declares(b[i:]) {
			return end, lineEnds
		}
		next, err := s.special(i)
		if err != nil || next > s.max {
			return end, lineEnds
		}
		i, end = next, next
	}
}

// declares reports whether b begins with an XML declaration.
func declares(b []byte) bool {
	const start = "<?xml"
	return len(b) > len(start) && string(b[:len(start)]) == start && isSpace(b[len(start)])
}

// special finds the end of what begins with <! or <? at i.
func (s *Splitter) special(i int) (end int, err error) {
	b := s.rest()[i:]
	switch {
	case b[1] == '?':
		return s.past(i+2, "?>")
	case bytes.HasPrefix(b, []byte("<!--")):
		return s.past(i+4, "-->")
	case bytes.HasPrefix(b, []byte("<![CDATA[")):
		return s.past(i+9, "]]>")
	case bytes.HasPrefix(b, []byte("<!DOCTYPE")):
		return s.doctype(i + 9)
	}
	return 0, errMarkup
}

// past finds what comes after the next mark from i on.
func (s *Splitter) past(i int, mark string) (int, error) {
	for {
		b := s.rest()
		none := s.absent[mark]
		from, here := i, s.at.Offset+int64(i)
		if here < none.to {
			if here < none.from {
				// Between here and there nobody has looked.
				before := b[i:min(int(none.from-s.at.Offset)+len(mark)-1, len(b))]
				if n := bytes.Index(before, []byte(mark)); n >= 0 {
					return i + n + len(mark), nil
				}
				none.from = here
			}
			from = min(int(none.to-s.at.Offset), len(b))
		} else {
			none = stretch{here, here}
		}
		if n := bytes.Index(b[from:], []byte(mark)); n >= 0 {
			return from + n + len(mark), nil
		}
		none.to = max(none.to, s.at.Offset+int64(len(b)-len(mark)+1))
		s.absent[mark] = none
		if !s.more() {
			return 0, s.long()
		}
	}
}

// doctype finds the end of a document type declaration, which Admit refuses anyway: it respects brackets and quotes,
// not comments inside.
func (s *Splitter) doctype(i int) (int, error) {
	quote, inside := byte(0), false
	for ; ; i++ {
		for i >= len(s.rest()) {
			if !s.more() {
				return 0, s.long()
			}
		}
		switch c := s.rest()[i]; {
		case c == '\n' && s.at.OneALine, c == '<' && s.rest()[i-1] == '\n' && declares(s.rest()[i:]):
			return 0, errMarkup // Admit would refuse it anyway
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			inside = true
		case c == ']':
			inside = false
		case c == '<' && !inside:
			return 0, errMarkup
		case c == '>' && !inside:
			return i + 1, nil
		}
	}
}

// tag finds the end of the tag at i. A tag cannot contain <, so that one that is not closed is noticed soon.
func (s *Splitter) tag(i int) (end int, err error) {
	i++
	start := i
	quote := byte(0)
	for {
		b := s.rest()
		stop := bytes.IndexByte(b[i:], '>')
		piece := b[i:]
		if stop >= 0 {
			piece = b[i : i+stop+1]
		}
		if quote == 0 && stop >= 0 && bytes.IndexByte(piece, '<') < 0 && bytes.IndexByte(piece, '\'') < 0 &&
			bytes.Count(piece, []byte{'"'})&1 == 0 {
			// As nearly always: no > in a value.
			if i+stop == start {
				return 0, errTag
			}
			return i + stop + 1, nil
		}
		for _, c := range piece {
			i++
			switch {
			case c == '<':
				return 0, errTag
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '>':
				return i, nil
			}
		}
		if i == len(s.rest()) && !s.more() {
			return 0, s.long()
		}
	}
}

// nameIn returns the name at the beginning of a tag, from behind its <.
func nameIn(tag []byte) []byte {
	if n := bytes.IndexAny(tag, " \t\r\n/>"); n >= 0 {
		return tag[:n]
	}
	return tag
}

func isNameEnd(b []byte, i int) bool {
	return i < len(b) && (isSpace(b[i]) || b[i] == '/' || b[i] == '>')
}

// resume returns the end of a broken document, where reading continues.
func (s *Splitter) resume() int {
	s.at.Adrift = false
	for i := 1; ; {
		b := s.rest()
		n := -1
		if i < len(b) {
			n = bytes.IndexByte(b[i:], '\n')
		}
		switch {
		case n < 0 && len(b) >= s.max:
			// The end is not in the buffer: return a piece and continue behind it.
			s.at.Adrift = true
			return s.max
		case n < 0:
			i = max(i, len(b))
			if !s.more() && i >= len(s.rest()) {
				return len(s.rest())
			}
			continue
		}
		i += n + 1
		if i > s.max {
			s.at.Adrift = true
			return s.max
		}
		if s.at.OneALine {
			return i
		}
		for len(s.rest())-i < len("<?xml ") && s.more() {
		}
		if declares(s.rest()[i:]) {
			return i
		}
	}
}
