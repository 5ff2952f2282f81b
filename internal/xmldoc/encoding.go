package xmldoc

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decode changes src to UTF-8 without a byte order mark and moves pos after the XML declaration. It copies only a
// document in another encoding.
func (a *admitter) decode() {
	mark := ""
	switch src := a.src; {
	case bytes.HasPrefix(src, []byte("\xEF\xBB\xBF")):
		mark, a.src = "utf-8", src[3:]
	case bytes.HasPrefix(src, []byte("\xFE\xFF")):
		mark = "utf-16"
		a.fromUTF16(src[2:], binary.BigEndian)
	case bytes.HasPrefix(src, []byte("\xFF\xFE")):
		mark = "utf-16"
		a.fromUTF16(src[2:], binary.LittleEndian)
	}
	encoding := a.xmlDeclaration()
	switch name := strings.ToLower(string(encoding)); {
	case name == "", name == mark, name == "utf-8" && mark == "":
	case mark != "" && (mark != "utf-8" || name != "us-ascii"):
		a.refuse(0, Encoding, "declared as %s, but its byte order mark says %s", excerpt(encoding), mark)
	case name == "utf-16":
		a.refuse(0, Encoding, "declared as UTF-16, but has no byte order mark")
	case name == "us-ascii":
		if i := slices.IndexFunc(a.src, func(c byte) bool { return c >= utf8.RuneSelf }); i >= 0 {
			a.refuse(i, Encoding, "declared as US-ASCII, but byte 0x%02X is not", a.src[i])
		}
	case name == "iso-8859-1":
		latin := make([]byte, 0, len(a.src)+len(a.src)/8)
		for _, c := range a.src {
			latin = utf8.AppendRune(latin, rune(c))
		}
		a.src = latin // the declaration is ASCII, so pos is still right
	default:
		a.refuse(0, Encoding, "encoding %s is not supported: use UTF-8, US-ASCII, ISO-8859-1, "+
			"or UTF-16 with a byte order mark", excerpt(encoding))
	}
}

func (a *admitter) fromUTF16(src []byte, order binary.ByteOrder) {
	a.src = make([]byte, 0, len(src)/2+len(src)/8)
	for ; len(src) > 1; src = src[2:] {
		r := rune(order.Uint16(src))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if src = src[2:]; len(src) > 1 {
				low = rune(order.Uint16(src))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				a.refuse(len(a.src), Encoding, "UTF-16 has half a surrogate pair")
			}
		}
		a.src = utf8.AppendRune(a.src, r)
	}
	if len(src) > 0 {
		a.refuse(len(a.src), Encoding, "UTF-16 ends in half a character")
	}
}

// xmlDeclaration reads <?xml version="1.0" encoding="…" standalone="…"?>, which is optional, as are its last two parts.
func (a *admitter) xmlDeclaration() (encoding []byte) {
	if !declares(a.src) {
		return nil
	}
	const malformed = "the XML declaration is malformed"
	i := len("<?xml")
	for last := ""; ; {
		gap := i
		i = a.spaces(i)
		if a.starts(i, "?>") {
			if last == "" {
				a.fail(i, "the XML declaration lacks a version")
			}
			a.pos = i + len("?>")
			return encoding
		}
		from := i
		for class[a.at(i)]&namePart != 0 {
			i++
		}
		part := string(a.src[from:i])
		switch {
		case from > gap && last == "" && part == "version":
		case from > gap && last == "version" && part == "encoding":
		case from > gap && (last == "version" || last == "encoding") && part == "standalone":
		default:
			a.fail(from, malformed)
		}
		last = part
		if i = a.spaces(i); a.at(i) != '=' {
			a.fail(i, malformed+": = is missing")
		}
		i = a.spaces(i + 1)
		quote, end := a.at(i), -1
		if quote == '"' || quote == '\'' {
			end = bytes.IndexByte(a.src[i+1:], quote)
		}
		if end < 0 {
			a.fail(i, malformed+": a quote is missing")
		}
		value := a.src[i+1 : i+1+end]
		switch text := string(value); {
		case part == "version" && text != "1.0":
			a.fail(i, "XML version %s is not supported: use 1.0", excerpt(value))
		case part == "encoding" && text == "":
			a.fail(i, "the XML declaration names no encoding")
		case part == "encoding":
			encoding = value
		case part == "standalone" && text != "yes" && text != "no":
			a.fail(i, "standalone is yes or no, not %s", excerpt(value))
		}
		i += end + 2
	}
}
