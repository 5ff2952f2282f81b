package schema

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
)

// rawValues are written into documents without escaping; they are at the limits of a type or of XML.
var rawValues = append([]string{
	"+0", "00012", "1e5", "INF", "-INF", "-.", ".", "-", "0.", "0.00000", "99999999999999999999999999", "2147483647",
	"-2147483648",
	"999999999.9999", "9999999999.999", "99999999999999", "123456789012345678", "1234567890123456789",
	"0.1234567890123456789",
	"2023-02-29", "2024-02-29", "1900-02-29", "2000-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01",
	"-0001-01-01", "2023-00-10", "2023-13-01", "2023-04-31", "2023-12-32", "2023-1-01", "2023-01-01T", "2023-01-01Z",
	"2023-01-01+13:59", "2023-01-01+14:00", "2023-01-01-14:01", "2023-01-01+1:00", "2023-01-01T24:00:00",
	"2023-01-01T24:00:01",
	"2023-01-01T23:59:59.999999999", "2023-01-01T23:59:59.9999999999", "2023-01-01T23:59:60", "2023-01-01T23:60:00",
	"2023-01-01T00:00:00.", "2023-01-01T00:00:00Z", "2023-01-01T00:00:00-05:00", "2023-01-01 00:00:00",
	"0000-01-01T00:00:00",
	"====", "A===", "AA==", "AB==", "AAA=", "AAB=", "AAAA", "AAAA====", "AA=A", "http://", "http://a//b#c#d", "a#b", "#",
	"http://-",
	"]]>", "]]", "&amp;", "&#60;", "&#x41;", "&#0;", "&nbsp;", "&", "<!-- -->", "<![CDATA[x]]>", "<?x y?>", "\u00a0",
	"\u2028", "\U0001F4C8",
	"\r\n", "\t", "Oil&amp;GasOperations", "Oil&#38;GasOperations",
}, values...)

const rawBytes = "<>&\"'/=!?]-;:#x \t\n\r\x00\x0b\x7f\x80\xc3\xef\xff0123456789.+TZ"

var (
	attributeInTag = regexp.MustCompile(` [\w:]+="[^"]*"`)
	valueInDoc     = regexp.MustCompile(`>[^<]*<|"[^"]*"`)
)

// damage changes a copy of a document in one or two ways, without regard to its structure.
func damage(r *rand.Rand, doc []byte) []byte {
	doc = bytes.Clone(doc)
	for range 1 + r.IntN(2) {
		if len(doc) == 0 {
			return doc
		}
		at := r.IntN(len(doc))
		b := rawBytes[r.IntN(len(rawBytes))]
		switch r.IntN(12) {
		case 0:
			doc[at] ^= 1 << r.IntN(8)
		case 1:
			doc[at] = b
		case 2:
			doc = slices.Insert(doc, at, b)
		case 3:
			doc = slices.Delete(doc, at, at+1)
		case 4:
			doc = slices.Delete(doc, at, min(at+r.IntN(40), len(doc)))
		case 5:
			doc = slices.Insert(doc, r.IntN(len(doc)), bytes.Clone(doc[at:min(at+r.IntN(40), len(doc))])...)
		case 6, 7, 8:
			doc = exchange(r, doc, valueInDoc, func(old, _ []byte) []byte {
				value := rawValues[r.IntN(len(rawValues))]
				return slices.Concat(old[:1], []byte(value), old[len(old)-1:])
			})
		case 9:
			doc = exchange(r, doc, valueInDoc, func(_, other []byte) []byte { return other })
		case 10:
			doc = exchange(r, doc, attributeInTag, func(old, other []byte) []byte {
				return [][]byte{nil, other, slices.Concat(old, other), slices.Concat(other, old)}[r.IntN(4)]
			})
		case 11: // a piece up to the next tag: removed, repeated, swapped
			doc = exchange(r, doc, tagAndText, func(old, other []byte) []byte {
				return [][]byte{nil, slices.Concat(old, old), other, slices.Concat(other, old)}[r.IntN(4)]
			})
		}
	}
	return doc
}

var tagAndText = regexp.MustCompile(`<[^<]*`)

// exchange replaces one match by the result of a function of it and another match.
func exchange(r *rand.Rand, doc []byte, what *regexp.Regexp, by func(old, other []byte) []byte) []byte {
	// Only the matches after a random point, and few of them, because a document has hundreds.
	from := r.IntN(len(doc))
	all := what.FindAllIndex(doc[from:], 4)
	if len(all) == 0 {
		return doc
	}
	one, two := all[r.IntN(len(all))], all[r.IntN(len(all))]
	text := bytes.Clone(by(doc[from+one[0]:from+one[1]], doc[from+two[0]:from+two[1]]))
	return slices.Replace(doc, from+one[0], from+one[1], text...)
}
