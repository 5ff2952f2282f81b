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
