package schema

import (
	"bytes"
	"html"
	"iter"
)

// tokenEnd returns the end of the tag or the text at an offset.
func tokenEnd(doc []byte, at int) int {
	mark, behind := byte('<'), 0
	if doc[at] == '<' {
		mark, behind = '>', 1
	}
	if n := bytes.IndexByte(doc[at:], mark); n >= 0 {
		return at + n + behind
	}
	return len(doc)
}

// nameEnd returns the offset after the name in a start tag.
func nameEnd(tag []byte) int {
	if n := bytes.IndexAny(tag, " >"); n >= 0 {
		return n
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
			name, after, _ := bytes.Cut(rest, []byte(`="`))
			value, behind, closed := bytes.Cut(after, []byte(`"`))
			if !closed || !yield(bytes.TrimLeft(name, " "), value) {
				return
			}
			rest = behind
		}
	}
}

// unescape returns a text or the value of an attribute without references.
func unescape(text []byte) string { return html.UnescapeString(string(text)) }

// textOf returns the text of an element, without that of its child elements.
func textOf(element []byte) string {
	var text []byte
	depth := 0
	for at := 0; at < len(element); {
		end := tokenEnd(element, at)
		switch {
		case element[at] != '<':
			if depth == 1 {
				text = append(text, element[at:end]...)
			}
		case element[at+1] == '/':
			depth--
		default:
			depth++
		}
		at = end
	}
	return unescape(text)
}
