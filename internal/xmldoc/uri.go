package xmldoc

import (
	"bytes"
	"strings"
)

// isURI reports whether a namespace name is a URI reference (RFC 3986), as Namespaces in XML requires and parsers of
// databases enforce. A port has 1 to 5 digits.
func isURI(s []byte) bool {
	s, fragment, _ := bytes.Cut(s, []byte("#"))
	s, query, _ := bytes.Cut(s, []byte("?"))
	if !areURI(fragment, "/?:@") || !areURI(query, "/?:@") {
		return false
	}
	if i := bytes.IndexAny(s, ":/"); i >= 0 && s[i] == ':' {
		if !isScheme(s[:i]) {
			return false
		}
		s = s[i+1:]
	}
	if rest, ok := bytes.CutPrefix(s, []byte("//")); ok {
		authority, path, absolute := bytes.Cut(rest, []byte("/"))
		return isAuthority(authority) && (!absolute || areURI(path, "/:@"))
	}
	return areURI(s, "/:@")
}

func isScheme(s []byte) bool {
	for i, c := range s {
		if !isLetter(c) && (i == 0 || !isDigit(c) && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return len(s) > 0
}

func isAuthority(s []byte) bool {
	if i := bytes.LastIndexByte(s, '@'); i >= 0 {
		if !areURI(s[:i], ":") {
			return false
		}
		s = s[i+1:]
	}
	host, port, hasPort := bytes.Cut(s, []byte(":"))
	if address, ok := bytes.CutPrefix(s, []byte("[")); ok {
		var closed bool
		address, s, closed = bytes.Cut(address, []byte("]"))
		isAddress := bytes.IndexByte(address, ':') >= 0 && len(bytes.Trim(address, "0123456789abcdefABCDEF:.")) == 0
		host, port, hasPort = bytes.Cut(s, []byte(":"))
		if !closed || len(address) < 2 || !isAddress || len(host) > 0 {
			return false
		}
	}
	isPort := len(port) >= 1 && len(port) <= 5 && len(bytes.Trim(port, "0123456789")) == 0
	return areURI(host, "") && (isPort || !hasPort)
}

// areURI reports whether all characters of s are allowed in a part of a URI, where those of also are allowed too.
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
