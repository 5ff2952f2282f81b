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
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
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
	host, port := s, []byte("0")
	if address, ok := bytes.CutPrefix(s, []byte("[")); ok {
		end := bytes.IndexByte(address, ']')
		if end < 2 || !isAddress(address[:end]) {
			return false
		}
		host = nil
		if s = address[end+1:]; len(s) > 0 {
			if s[0] != ':' {
				return false
			}
			port = s[1:]
		}
	} else if i := bytes.IndexByte(s, ':'); i >= 0 {
		host, port = s[:i], s[i+1:]
	}
	for _, c := range port {
		if c < '0' || c > '9' {
			return false
		}
	}
	return areURI(host, "") && len(port) >= 1 && len(port) <= 5
}

// isAddress reports whether s has only the characters of an IPv6 address.
func isAddress(s []byte) bool {
	for _, c := range s {
		if !isHex(c) && c != ':' && c != '.' {
			return false
		}
	}
	return bytes.IndexByte(s, ':') >= 0
}

// areURI reports whether all characters of s are allowed in a part of a URI, where those of also are allowed too.
func areURI(s []byte, also string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z':
		case strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(also, c) >= 0:
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
