package xmldoc

import (
	"bytes"
	"encoding/xml"
	"strings"
	"unicode/utf8"
)

// Classes of bytes, so that the hot loops test one table entry a byte.
const (
	inText  = 1 << iota // needs neither a check nor escaping in text
	inValue             // needs neither in an attribute value
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
	// Bytes of other characters may be part of a name; isForeignName decides.
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

// isText reports whether XML allows all characters of text.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !isChar(r) })
}

func isSpace(c byte) bool { return class[c]&space != 0 }

// isForeignName reports whether a text with characters beyond ASCII is a name. Such names are rare, and encoding/xml
// has the tables (XML 1.0, fourth edition: the strictest in use, so that no store or client refuses what passes here).
func isForeignName(name []byte) bool {
	tag := make([]byte, 0, len(name)+3)
	tag = append(append(append(tag, '<'), name...), "/>"...)
	token, err := xml.NewDecoder(bytes.NewReader(tag)).RawToken()
	start, ok := token.(xml.StartElement)
	return err == nil && ok && start.Name.Local == string(name)
}

// isURI reports whether a namespace name is a URI reference (RFC 3986), as Namespaces in XML requires and parsers of
// databases enforce. A port has 1 to 5 digits.
func isURI(s []byte) bool {
	s, fragment, _ := bytes.Cut(s, []byte("#"))
	s, query, _ := bytes.Cut(s, []byte("?"))
	if !areURI(fragment, "/?:@") || !areURI(query, "/?:@") {
		return false
	}
	if scheme := bytes.IndexAny(s, ":/"); scheme >= 0 && s[scheme] == ':' {
		for i, c := range s[:scheme] {
			if !isLetter(c) && (i == 0 || !isDigit(c) && c != '+' && c != '-' && c != '.') {
				return false
			}
		}
		if s = s[scheme+1:]; scheme == 0 {
			return false
		}
	}
	s, hasAuthority := bytes.CutPrefix(s, []byte("//"))
	if !hasAuthority {
		return areURI(s, "/:@")
	}
	host, path, _ := bytes.Cut(s, []byte("/"))
	if user := bytes.LastIndexByte(host, '@'); user >= 0 {
		if !areURI(host[:user], ":") {
			return false
		}
		host = host[user+1:]
	}
	if literal, ok := bytes.CutPrefix(host, []byte("[")); ok {
		address, rest, closed := bytes.Cut(literal, []byte("]"))
		if !closed || len(address) < 2 || bytes.IndexByte(address, ':') < 0 ||
			len(bytes.Trim(address, "0123456789abcdefABCDEF:.")) > 0 || len(rest) > 0 && rest[0] != ':' {
			return false
		}
		host = rest
	}
	host, port, hasPort := bytes.Cut(host, []byte(":"))
	isPort := len(port) >= 1 && len(port) <= 5 && len(bytes.Trim(port, "0123456789")) == 0
	return areURI(host, "") && (isPort || !hasPort) && areURI(path, "/:@")
}

// areURI reports whether each character of s is allowed in every part of a URI, or occurs in the parameter also.
func areURI(s []byte, also string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isDigit(c), isLetter(c):
		case strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(also, c) >= 0:
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isHex(c byte) bool    { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
