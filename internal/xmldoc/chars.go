package xmldoc

import (
	"bytes"
	"encoding/xml"
	"strings"
	"unicode/utf8"
)

// Classes of bytes, so that the hot loops test one table entry a byte.
const (
	inText  = 1 << iota // needs no escaping in text
	inValue             // needs no escaping in an attribute value
	nameStart
	namePart
	space
)

var class = func() (t [256]uint8) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = inText | inValue
	}
	t['\t'], t['\n'] = inText|space, inText|space
	t['\r'] = space
	t[' '] |= space
	for _, c := range "<>&" {
		t[c] = 0
	}
	// A quote of either kind ends a value in quotes of its kind, and must be looked at in the others.
	t['"'], t['\''] = inText, inText
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= nameStart | namePart
		t[c-'a'+'A'] |= nameStart | namePart
	}
	t['_'] |= nameStart | namePart
	for c := '0'; c <= '9'; c++ {
		t[c] |= namePart
	}
	t['-'] |= namePart
	t['.'] |= namePart
	// Bytes of other characters may be part of a name; isName decides.
	for c := utf8.RuneSelf; c < 256; c++ {
		t[c] = nameStart | namePart
	}
	return t
}()

// isChar reports whether XML 1.0 allows r in a document.
func isChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' ||
		r >= 0x20 && r <= 0xD7FF ||
		r >= 0xE000 && r <= 0xFFFD ||
		r >= 0x10000 && r <= utf8.MaxRune
}

// isName reports whether name is an XML name without a prefix.
func isName(name string) bool {
	foreign := false
	for i := range len(name) {
		if class[name[i]]&namePart == 0 || i == 0 && class[name[i]]&nameStart == 0 {
			return false
		}
		foreign = foreign || name[i] >= utf8.RuneSelf
	}
	return name != "" && (!foreign || isForeignName([]byte(name)))
}

// isText reports whether XML can hold text.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !isChar(r) })
}

func isSpace(c byte) bool { return class[c]&space != 0 }

// isForeignName reports whether a text with characters beyond ASCII is a name. Those are rare, and encoding/xml has
// the tables (XML 1.0, fourth edition: the strictest in use, so that no store or client refuses what passes here).
func isForeignName(name []byte) bool {
	tag := make([]byte, 0, len(name)+3)
	tag = append(append(append(tag, '<'), name...), "/>"...)
	token, err := xml.NewDecoder(bytes.NewReader(tag)).RawToken()
	start, ok := token.(xml.StartElement)
	return err == nil && ok && start.Name.Local == string(name)
}
