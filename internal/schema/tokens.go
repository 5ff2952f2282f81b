package schema

import (
	"bytes"
	"encoding/xml"
	"iter"
)

type tokenKind uint8

const (
	noToken tokenKind = iota // comments and processing instructions
	charData
	startTag
	endTag
)

// nextToken returns the kind of the token at an offset, and where it ends.
func nextToken(doc []byte, at int) (kind tokenKind, end int) {
	var mark string
	rest, kind, behind := doc[at:], noToken, 0
	switch {
	case rest[0] != '<':
		kind, mark, behind = charData, "<", -1
	case bytes.HasPrefix(rest, []byte("</")):
		kind, mark = endTag, ">"
	case bytes.HasPrefix(rest, []byte("<!--")):
		mark = "-->"
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		kind, mark = charData, "]]>"
	case bytes.HasPrefix(rest, []byte("<?")):
		mark = "?>"
	default:
		return startTag, at + startTagEnd(rest)
	}
	if n := bytes.Index(rest, []byte(mark)); n >= 0 {
		return kind, at + n + len(mark) + behind
	}
	return kind, len(doc)
}

// startTagEnd returns the offset after the tag at the beginning of a document's rest.
func startTagEnd(rest []byte) int {
	quote := byte(0)
	for i, c := range rest {
		switch {
		case c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return len(rest)
}

// nameEnd returns the offset after the name in a start tag.
func nameEnd(tag []byte) int {
	for i, c := range tag {
		if endsName[c] {
			return i
		}
	}
	return len(tag)
}

func cutPrefix(name []byte) (prefix, local []byte) {
	if prefix, local, found := bytes.Cut(name, []byte(":")); found {
		return prefix, local
	}
	return nil, name
}

// attributes iterates over the attributes of a start tag. Values are not unescaped.
func attributes(tag []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for rest := tag[nameEnd(tag):]; ; {
			name, after, ok := bytes.Cut(rest[skipSpace(rest, 0):], []byte("="))
			after = after[skipSpace(after, 0):]
			if !ok || len(after) == 0 {
				return
			}
			n := bytes.IndexByte(after[1:], after[0])
			if n < 0 || !yield(bytes.TrimRight(name, " \t\r\n"), after[1:n+1]) {
				return
			}
			rest = after[n+2:]
		}
	}
}

// unescape returns a piece of text without references.
func unescape(text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return []byte(textOf(text))
}

// attributeOf reads an attribute of a start tag.
func attributeOf(tag []byte, name string) string {
	for found, value := range attributes(tag) {
		if string(found) == name {
			return string(unescape(value))
		}
	}
	return ""
}

// textOf reads the text of the element that begins a piece of a document, or of a piece that begins with text. The text
// of its child elements does not belong to it.
func textOf(piece []byte) string {
	var text []byte
	dec := xml.NewDecoder(bytes.NewReader(piece))
	dec.Strict = false
	depth := 0
	for {
		token, err := dec.RawToken()
		if err != nil {
			return string(text)
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth <= 1 {
				text = append(text, t...)
			}
		}
	}
}
