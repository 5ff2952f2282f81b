package schema

import (
	"bytes"
	"encoding/xml"
	"io"
)

// The functions here glance at a document on the path that every valid one takes. They are not parsers: each may give
// up, and what it then returns leads to the slower way round, never to a wrong answer.

var byteOrderMark = []byte("\ufeff")

// declaredEncoding returns where the name of the encoding stands in the XML declaration; 0, 0 where there is none.
// The byte after it is the closing quote.
func declaredEncoding(doc []byte) (from, to int) {
	if !bytes.HasPrefix(doc, []byte("<?xml ")) {
		return 0, 0
	}
	end := bytes.Index(doc, []byte("?>"))
	if end < 0 {
		return 0, 0
	}
	at := bytes.Index(doc[:end], []byte("encoding"))
	if at < 0 {
		return 0, 0
	}
	at = skipSpace(doc, at+len("encoding"))
	if at >= end || doc[at] != '=' {
		return 0, 0
	}
	from = skipSpace(doc, at+1) + 1
	if from >= end || (doc[from-1] != '"' && doc[from-1] != '\'') {
		return 0, 0
	}
	n := bytes.IndexByte(doc[from:end], doc[from-1])
	if n < 0 {
		return 0, 0
	}
	return from, from + n
}

// startsWith reports whether the document element of a well-formed document is surely the one of that name. The
// engine cannot be asked: it takes every global element, and one of another namespace if that has an xsi:type.
func startsWith(doc []byte, root xml.Name) bool {
	at := len(doc) - len(bytes.TrimPrefix(doc, byteOrderMark))
	for {
		at = skipSpace(doc, at)
		var closing string
		switch rest := doc[at:]; {
		case bytes.HasPrefix(rest, []byte("<?")):
			closing = "?>"
		case bytes.HasPrefix(rest, []byte("<!--")):
			closing = "-->"
		case bytes.HasPrefix(rest, []byte("<")):
			return tagIs(rest[1:], root)
		default:
			return false
		}
		n := bytes.Index(doc[at:], []byte(closing))
		if n < 0 {
			return false
		}
		at += n + len(closing)
	}
}

// tagIs reads one start tag from behind its bracket.
func tagIs(tag []byte, root xml.Name) bool {
	end := bytes.IndexAny(tag, " \t\r\n/>")
	if end < 0 {
		return false
	}
	declaration, local := "xmlns", tag[:end]
	if prefix, rest, ok := bytes.Cut(local, []byte(":")); ok {
		declaration, local = "xmlns:"+string(prefix), rest
	}
	if string(local) != root.Local {
		return false
	}
	for at := skipSpace(tag, end); at < len(tag) && tag[at] != '>' && tag[at] != '/'; at = skipSpace(tag, at) {
		equals := bytes.IndexByte(tag[at:], '=')
		if equals < 0 {
			return false
		}
		name := bytes.TrimRight(tag[at:at+equals], " \t\r\n")
		open := skipSpace(tag, at+equals+1)
		if open >= len(tag) {
			return false
		}
		length := bytes.IndexByte(tag[open+1:], tag[open])
		if length < 0 {
			return false
		}
		if string(name) == declaration {
			return string(tag[open+1:open+1+length]) == root.Space
		}
		at = open + 1 + length + 1
	}
	return false
}

func skipSpace(doc []byte, at int) int {
	for at < len(doc) && (doc[at] == ' ' || doc[at] == '\n' || doc[at] == '\t' || doc[at] == '\r') {
		at++
	}
	return at
}

// rootName reads the name of the document element with a real parser, and where its tag begins.
func rootName(doc []byte) (name xml.Name, at int) {
	dec := newDecoder(doc)
	for {
		at = int(dec.InputOffset())
		token, err := dec.Token()
		if err != nil {
			return xml.Name{}, at
		}
		if start, ok := token.(xml.StartElement); ok {
			return start.Name, at
		}
	}
}

// newDecoder reads a document whose encoding was judged before.
func newDecoder(doc []byte) *xml.Decoder {
	dec := xml.NewDecoder(bytes.NewReader(doc))
	dec.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	return dec
}

// emptyNames are the local names of elements that the schema wants empty.
type emptyNames struct {
	names map[string]struct{}
	// ends are their last letters. Most end tags are not of such an element, and this tells so of most of them.
	ends [256]bool
}

func (e *emptyNames) add(name string) {
	if e.names == nil {
		e.names = map[string]struct{}{}
	}
	e.names[name] = struct{}{}
	e.ends[name[len(name)-1]] = true
}

// mayHoldText reports whether there may be white space in an element that has to be empty. Such elements are mostly
// written as one tag, so it is enough to look at what precedes an end tag of the name: the start tag, or something that
// has to be looked at more closely.
func (e *emptyNames) mayHoldText(doc []byte) bool {
	if len(e.names) == 0 {
		return false
	}
	for at := 0; ; at += 2 {
		n := bytes.Index(doc[at:], []byte("</"))
		if n < 0 {
			return false
		}
		at += n
		name := doc[at+2:]
		name = name[:max(bytes.IndexByte(name, '>'), 0)]
		if len(name) == 0 || !e.ends[name[len(name)-1]] && name[len(name)-1] > ' ' {
			continue
		}
		name = bytes.TrimRight(name, " \t\r\n")
		if _, ok := e.names[string(name[bytes.IndexByte(name, ':')+1:])]; !ok {
			continue
		}
		start := doc[bytes.LastIndexByte(doc[:at], '<')+1 : at]
		last := len(start) - 1
		if last < 1 || start[last] != '>' || !bytes.HasPrefix(start, name) {
			return true
		}
		// The end of a comment, a CDATA section or a processing instruction, in which a tag may be quoted.
		if before := start[last-1]; before == '-' || before == ']' || before == '?' {
			return true
		}
	}
}
