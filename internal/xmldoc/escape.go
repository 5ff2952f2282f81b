package xmldoc

// AppendStart appends a start tag. Attributes alternate between name and value.
func AppendStart(dst []byte, name string, attributes ...string) []byte {
	dst = append(append(dst, '<'), name...)
	for i := 0; i < len(attributes); i += 2 {
		dst = append(append(append(dst, ' '), attributes[i]...), `="`...)
		dst = append(appendEscaped(dst, attributes[i+1], true), '"')
	}
	return append(dst, '>')
}

// AppendEmpty appends an empty element.
func AppendEmpty(dst []byte, name string, attributes ...string) []byte {
	return append(append(append(AppendStart(dst, name, attributes...), "</"...), name...), '>')
}

// AppendElement appends an element that has only text.
func AppendElement(dst []byte, name, text string) []byte {
	dst = appendEscaped(AppendStart(dst, name), text, false)
	return append(append(append(dst, "</"...), name...), '>')
}

// escape returns the reference that the normal form has for c, or "" if c is written as itself.
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
