package xmldoc

import "unicode/utf8"

// AppendText appends text, escaped as in the normal form.
func AppendText(dst []byte, text string) []byte { return appendEscaped(dst, text, false) }

// AppendValue appends the value of an attribute, escaped, without its quotes.
func AppendValue(dst []byte, value string) []byte { return appendEscaped(dst, value, true) }

// AppendStart appends a start tag. Attributes alternate between name and value.
func AppendStart(dst []byte, name string, attributes ...string) []byte {
	dst = append(append(dst, '<'), name...)
	for i := 0; i < len(attributes); i += 2 {
		dst = append(append(append(dst, ' '), attributes[i]...), `="`...)
		dst = append(AppendValue(dst, attributes[i+1]), '"')
	}
	return append(dst, '>')
}

// AppendEmpty appends an empty element.
func AppendEmpty(dst []byte, name string, attributes ...string) []byte {
	return appendEnd(AppendStart(dst, name, attributes...), name)
}

// AppendElement appends an element that has only text.
func AppendElement(dst []byte, name, text string) []byte {
	return appendEnd(AppendText(AppendStart(dst, name), text), name)
}

func appendEnd(dst []byte, name string) []byte {
	return append(append(append(dst, "</"...), name...), '>')
}

// escape returns the reference by which the normal form writes c, or "" if c is written as itself.
func escape(c byte, value bool) string {
	switch c {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '\r':
		return "&#13;"
	}
	if value {
		switch c {
		case '"':
			return "&quot;"
		case '\t':
			return "&#9;"
		case '\n':
			return "&#10;"
		}
	}
	return ""
}

func appendEscaped[S string | []byte](dst []byte, s S, value bool) []byte {
	run := 0
	for i := range len(s) {
		if e := escape(s[i], value); e != "" {
			dst = append(append(dst, s[run:i]...), e...)
			run = i + 1
		}
	}
	return append(dst, s[run:]...)
}

func appendRune(dst []byte, r rune, value bool) []byte {
	if r < utf8.RuneSelf {
		if e := escape(byte(r), value); e != "" {
			return append(dst, e...)
		}
	}
	return utf8.AppendRune(dst, r)
}

// unescape returns the character and the size of the reference that b begins with, one of the five names and three
// numbers of the normal form. Any other ampersand is returned as itself, so that no input is lost.
func unescape(b []byte) (c byte, size int) {
	for _, e := range [...]struct {
		ref string
		c   byte
	}{
		{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'},
		{"&#13;", '\r'}, {"&#10;", '\n'}, {"&#9;", '\t'},
	} {
		if len(b) >= len(e.ref) && string(b[:len(e.ref)]) == e.ref {
			return e.c, len(e.ref)
		}
	}
	return '&', 1
}
