package schema

import (
	"encoding/binary"
	"unicode/utf8"
)

// skipSpace returns the offset of the first byte from at on that is not white space, or len(doc).
func skipSpace(doc []byte, at int) int {
	for at < len(doc) && (doc[at] == ' ' || doc[at] == '\n' || doc[at] == '\t' || doc[at] == '\r') {
		at++
	}
	return at
}

// skipText reads text that may be anything, up to its end: a quote for an attribute, else the bracket of the next tag.
// It returns the offset of the end, or -1 if the text may not be well-formed.
func skipText(doc []byte, at int, end byte) int {
	for at < len(doc) {
		if end == '<' {
			at = skipPlainWords(doc, at)
		}
		for at < len(doc) && plain[doc[at]] {
			at++
		}
		if at == len(doc) {
			break
		}
		switch b := doc[at]; {
		case b == end:
			return at
		case b == '"' || b == '\'':
			at++
		case b == '>':
			// "]]>" must not occur in text, which always begins after a bracket.
			if end == '<' && string(doc[at-2:at]) == "]]" {
				return -1
			}
			at++
		case b == '&':
			if at = skipReference(doc, at); at < 0 {
				return -1
			}
		case b >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(doc[at:])
			if r == utf8.RuneError && size == 1 || !isXMLChar(r) {
				return -1
			}
			at += size
		default:
			return -1
		}
	}
	return -1
}

// plain are the characters without a meaning of their own, in text and between quotes of either kind.
var plain = func() (table [256]bool) {
	for b := byte(' '); b < utf8.RuneSelf; b++ {
		table[b] = b != '<' && b != '&' && b != '>' && b != '"' && b != '\''
	}
	table['\t'], table['\n'], table['\r'] = true, true, true
	return table
}()

// skipPlainWords skips eight bytes at a time while none of them has a meaning in text, as in most prose.
func skipPlainWords(doc []byte, at int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(doc); at += 8 {
		word := binary.LittleEndian.Uint64(doc[at:])
		// In each line the high bit of a matching byte is set, and sometimes that of a byte after one.
		found := word | // beyond ASCII
			(word - ones*' ') | // below the blank
			((word ^ ones*'<') - ones) |
			((word ^ ones*'>') - ones) |
			((word ^ ones*'&') - ones)
		if found&highs != 0 {
			break
		}
	}
	return at
}

// references are the character references that stored documents have. Other numbers are left to the engine.
var references = []string{"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#13;", "&#10;", "&#9;"}

func skipReference(doc []byte, at int) int {
	for _, reference := range references {
		if n := len(reference); len(doc)-at >= n && string(doc[at:at+n]) == reference {
			return at + n
		}
	}
	return -1
}

// isXMLChar reports whether XML 1.0 allows a character.
func isXMLChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd ||
		r >= 0x10000 && r <= utf8.MaxRune
}
