package xmldoc

import (
	"bufio"
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

// A Splitter cuts a stream of XML documents into its documents: with or without XML declarations, with comments
// between them, on one line or many. It checks only what it needs to find their ends; the rest is for [Admit]. Every
// byte of the stream is in one piece, except white space between pieces.
//
// After a broken document it continues at the next line that begins with an XML declaration or, if the documents so far
// are on lines of their own, at the next line. It needs memory for two documents of the largest size, and time in
// proportion to the stream, whatever is in it. It cannot separate documents in an encoding such as UTF-16, in which
// ASCII characters are not single bytes.
type Splitter struct {
	in   *bufio.Reader
	rest []byte // what was read of the stream, from the position on
	err  error  // what ends the stream after rest, such as io.EOF
	max  int
	at   splitPosition

	// searched holds, for each end mark, a range of the stream in which the mark does not occur, so that an unfinished
	// comment is searched once, not once for each line.
	searched map[string]offsets
}

// A splitPosition is a position between pieces, with what is known of all before it.
type splitPosition struct {
	offset     int64
	lines      int  // before the position
	midLine    bool // it is not at the beginning of a line
	onePerLine bool // set by a document on a line of its own, cleared by one on several
	strict     bool // a document must end on its line
	inBroken   bool // the last piece was broken and its end is not yet found
}

type offsets struct{ from, to int64 }

// splitAhead is how far after the largest document the stream is read, to recognise what follows.
const splitAhead = 16

// NewSplitter returns a Splitter for a stream. Documents of more than limit bytes are broken; 0 means the default of
// Admit.
func NewSplitter(r io.Reader, limit int) *Splitter {
	if limit <= 0 {
		limit = 1 << 20
	}
	return &Splitter{
		in: bufio.NewReaderSize(r, 2*(limit+splitAhead)), max: limit, searched: make(map[string]offsets),
	}
}

// Next returns the next piece. The error is io.EOF at the end, and otherwise the error of the stream.
func (s *Splitter) Next() (p Piece, err error) {
	b := s.peek()
	for len(b) > 0 && isSpace(b[0]) {
		s.advance(len(b) - len(bytes.TrimLeft(b, blanks)))
		b = s.peek()
	}
	if len(b) == 0 {
		return Piece{}, s.err
	}
	inBroken, end := s.at.inBroken && (s.at.midLine || !s.at.onePerLine && !declares(b)), 0
	s.at.inBroken = false
	if p.Broken = errBrokenPart; !inBroken {
		end, p.Blank, p.Broken = s.document(b)
	}
	if p.Broken != nil {
		end = s.resume(b)
	}
	if s.err != nil && !errors.Is(s.err, io.EOF) && end == len(b) {
		return Piece{}, s.err // the rest of the piece was never seen
	}
	p.Line = s.at.lines + 1
	p.Bytes = bytes.TrimRight(b[:end], blanks)
	s.advance(end)
	return p, nil
}

// peek returns the next bytes of the stream: as many as the largest document can have, and splitAhead more.
func (s *Splitter) peek() []byte {
	if s.err == nil {
		s.rest, s.err = s.in.Peek(s.max + splitAhead)
	}
	return s.rest
}

// advance moves the position over n bytes of the rest.
func (s *Splitter) advance(n int) {
	b := s.rest[:n]
	s.at.offset += int64(n)
	s.at.lines += bytes.Count(b, []byte{'\n'})
	s.at.midLine = b[n-1] != '\n'
	s.rest = s.rest[n:]
	_, _ = s.in.Discard(n) // of what is buffered
}

const blanks = " \t\r\n"

var (
	errUnfinished = errors.New("the document does not end")
	errOutside    = errors.New("text outside of an element")
	errEndTag     = errors.New("an end tag without its start tag")
	errTag        = errors.New("a tag is not closed")
	errBrokenPart = errors.New("part of a broken document")
	errEmpty      = errors.New("there is no element")
	errMarkup     = errors.New("markup is malformed")
	errNext       = errors.New("another document begins before this one has ended")
)

// unfinished returns the error of a document whose end was not found within the largest size. If the documents so far
// were on lines of their own and this one has several, each later document must end on its line.
func (s *Splitter) unfinished(b []byte) error {
	if s.at.onePerLine && bytes.IndexByte(b[:min(s.max, len(b))], '\n') >= 0 {
		s.at.strict = true
	}
	if len(b) > s.max {
		return fmt.Errorf("larger than %d bytes", s.max)
	}
	return errUnfinished
}

// An outline is the state of a document while the splitter looks for its end. Offsets are in the rest.
type outline struct {
	begin, at int  // where the document begins, after a byte order mark, and what is read next
	depth     int  // how many elements are open
	blank     bool // no element or declaration so far
	ended     bool
	root      []byte // the name of the root element
}

// document returns the end of the first document in b. blank means that b[:end] has no element, only comments.
func (s *Splitter) document(b []byte) (end int, blank bool, err error) {
	d := outline{blank: true}
	if bytes.HasPrefix(b, []byte("\xEF\xBB\xBF")) {
		d.begin, d.at = 3, 3
	}
	looked := 0 // no line ends before this; used if a document must end on its line
	for !d.ended {
		last := d.at
		next := bytes.IndexByte(b[last:], '<')
		if next < 0 {
			next = len(b) - last
		}
		d.at += next
		switch atEnd := d.at == len(b); {
		case d.depth == 0 && len(bytes.TrimLeft(b[last:d.at], blanks)) > 0:
			return 0, false, errOutside
		case last > s.max || d.at > s.max && !atEnd:
			return 0, false, s.unfinished(b)
		case atEnd && (d.depth > 0 || s.err == nil):
			return 0, false, s.unfinished(b)
		case atEnd && d.blank && last > d.begin:
			return last, true, nil
		case atEnd:
			return 0, false, errEmpty
		case d.at+1 == len(b), s.at.onePerLine && s.at.strict && bytes.IndexByte(b[looked:d.at], '\n') >= 0:
			return 0, false, errUnfinished
		}
		looked = d.at
		if err := s.markup(b, &d); err != nil {
			return 0, false, err
		}
	}
	switch {
	case d.blank:
		return d.at, true, nil
	case d.at > s.max:
		return 0, false, s.unfinished(b)
	}
	end, lineEnds := s.trailing(b, d.at)
	oneLine := bytes.IndexByte(b[:d.at], '\n') < 0
	s.at.onePerLine = oneLine && (s.at.onePerLine || !s.at.midLine && lineEnds)
	return end, false, nil
}

// markup reads what begins with the < at d.at. A document ends after its root element, or before an XML declaration
// that follows comments, which then belong to no document.
func (s *Splitter) markup(b []byte, d *outline) (err error) {
	start := d.at
	var opens int
	switch b[start+1] {
	case '/':
		if d.depth == 0 {
			return errEndTag
		}
		opens = -1
	case '!', '?':
		declaration := declares(b[start:])
		if declaration && start > d.begin {
			switch {
			case d.depth == 0 && d.blank:
				d.ended = true
				return nil
			case d.depth == 0:
				return errEmpty
			case b[start-1] == '\n':
				return errNext
			}
		}
		d.blank = d.blank && !declaration && !bytes.HasPrefix(b[start:], []byte("<!D"))
		d.at, err = s.special(b, start)
		return err
	default:
		if s.at.onePerLine && d.depth > 0 && b[start-1] == '\n' && bytes.Equal(tagName(b[start:]), d.root) {
			return errNext
		}
		opens = 1
	}
	if d.at, err = s.tag(b, start); err != nil {
		return err
	}
	if d.blank = false; d.root == nil {
		d.root = tagName(b[start:])
	}
	if opens > 0 && b[d.at-2] == '/' {
		opens = 0
	}
	d.depth += opens
	d.ended = d.depth == 0
	return nil
}

// tagName returns the name at the beginning of a start tag.
func tagName(tag []byte) []byte {
	if n := bytes.IndexAny(tag, " \t\r\n/>"); n >= 0 {
		return tag[1:n]
	}
	return tag[1:]
}

// declares reports whether b begins with an XML declaration.
func declares(b []byte) bool {
	const start = "<?xml"
	return len(b) > len(start) && string(b[:len(start)]) == start && isSpace(b[len(start)])
}

// trailing extends a document that ends at i over the comments and processing instructions that follow, because those
// before an XML declaration cannot belong to the next document. It also reports whether a line ends at i.
func (s *Splitter) trailing(b []byte, i int) (end int, lineEnds bool) {
	end = i
	for first := true; ; first = false {
		next := len(b) - len(bytes.TrimLeft(b[i:], blanks))
		if first {
			lineEnds = next == len(b) || bytes.IndexByte(b[i:next], '\n') >= 0
		}
		rest := b[next:]
		if !bytes.HasPrefix(rest, []byte("<?")) && !bytes.HasPrefix(rest, []byte("<!--")) || declares(rest) {
			return end, lineEnds
		}
		var err error
		if i, err = s.special(b, next); err != nil || i > s.max {
			return end, lineEnds
		}
		end = i
	}
}

// special finds the end of what begins with <! or <? at i. In a document type declaration, which Admit refuses anyway,
// it respects brackets and quotes, but not comments.
func (s *Splitter) special(b []byte, i int) (end int, err error) {
	switch rest := b[i:]; {
	case rest[1] == '?':
		return s.past(b, i+2, "?>")
	case bytes.HasPrefix(rest, []byte("<!--")):
		return s.past(b, i+4, "-->")
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return s.past(b, i+9, "]]>")
	case !bytes.HasPrefix(rest, []byte("<!DOCTYPE")):
		return 0, errMarkup
	}
	quote, inside := byte(0), false
	for i += len("<!DOCTYPE"); i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n' && s.at.onePerLine, c == '<' && b[i-1] == '\n' && declares(b[i:]):
			return 0, errMarkup
		case c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == ']':
			inside = c == '['
		case c == '<' && !inside:
			return 0, errMarkup
		case c == '>' && !inside:
			return i + 1, nil
		}
	}
	return 0, s.unfinished(b)
}

// past returns the offset after the next mark from i on.
func (s *Splitter) past(b []byte, i int, mark string) (int, error) {
	offset, none := s.at.offset+int64(i), s.searched[mark]
	if offset < none.from || offset >= none.to {
		none = offsets{offset, offset}
	}
	from := min(int(none.to-s.at.offset), len(b))
	n := bytes.Index(b[from:], []byte(mark))
	if n >= 0 {
		return from + n + len(mark), nil
	}
	none.to = max(none.to, s.at.offset+int64(len(b)-len(mark)+1))
	s.searched[mark] = none
	return 0, s.unfinished(b)
}

// tag finds the end of the tag at i. A tag cannot contain <, so an unclosed tag is noticed soon.
func (s *Splitter) tag(b []byte, i int) (end int, err error) {
	i++
	const short = 1 << 10 // nearly all tags are shorter; a search of the whole rest would cost too much for each line
	if n := bytes.IndexByte(b[i:min(i+short, len(b))], '>'); n >= 0 {
		tag := b[i : i+n]
		if bytes.IndexByte(tag, '<') < 0 && bytes.IndexByte(tag, '\'') < 0 && bytes.Count(tag, []byte{'"'})&1 == 0 {
			// Nearly always: no quote is open at >.
			if n == 0 {
				return 0, errTag
			}
			return i + n + 1, nil
		}
	}
	quote := byte(0)
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '<':
			return 0, errTag
		case c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1, nil
		}
	}
	return 0, s.unfinished(b)
}

// resume returns the end of a broken document, where reading continues.
func (s *Splitter) resume(b []byte) int {
	for i := 1; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 && len(b) < s.max {
			return len(b)
		}
		if i += n + 1; n < 0 || i > s.max {
			s.at.inBroken = true // the end is not in b: return a piece and continue after it
			return s.max
		}
		if s.at.onePerLine || declares(b[i:]) {
			return i
		}
	}
}
