package xmldoc

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// toUTF8 returns the document as UTF-8 without its byte order mark, and the offset behind its XML declaration. It
// copies only a document in another encoding.
func toUTF8(src []byte) (text []byte, body int, err error) {
	mark := ""
	switch {
	case bytes.HasPrefix(src, []byte("\xEF\xBB\xBF")):
		mark, text = "utf-8", src[3:]
	case bytes.HasPrefix(src, []byte("\xFE\xFF")):
		mark = "utf-16"
		text, err = fromUTF16(src[2:], binary.BigEndian)
	case bytes.HasPrefix(src, []byte("\xFF\xFE")):
		mark = "utf-16"
		text, err = fromUTF16(src[2:], binary.LittleEndian)
	default:
		text = src
	}
	if err != nil {
		return nil, 0, err
	}

	declared, body, err := declaration(text)
	if err != nil {
		return nil, 0, err
	}
	refuse := func(format string, args ...any) ([]byte, int, error) {
		return nil, 0, newError(text, 0, Encoding, format, args...)
	}
	switch name := strings.ToLower(string(declared)); {
	case name == "":
		return text, body, nil
	case mark != "" && name != mark && !(mark == "utf-8" && name == "us-ascii"):
		return refuse("declared as %s, but its byte order mark says %s", excerpt(declared), mark)
	case name == "utf-8":
		return text, body, nil
	case name == "utf-16" && mark == "utf-16":
		return text, body, nil
	case name == "utf-16":
		return refuse("declared as UTF-16, but has no byte order mark")
	case name == "us-ascii":
		if i := bytes.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			return nil, 0, newError(text, i, Encoding, "declared as US-ASCII, but byte 0x%02X is not", text[i])
		}
		return text, body, nil
	case name == "iso-8859-1":
		high := 0
		for _, c := range text {
			high += int(c >> 7)
		}
		latin := make([]byte, 0, len(text)+high)
		for _, c := range text {
			latin = utf8.AppendRune(latin, rune(c))
		}
		return latin, body, nil // a declaration is ASCII: body is where it was
	}
	return refuse("encoding %s is not supported: use UTF-8, US-ASCII, ISO-8859-1, or UTF-16 with a byte order mark",
		excerpt(declared))
}

func fromUTF16(src []byte, order binary.ByteOrder) ([]byte, error) {
	text := make([]byte, 0, len(src)/2+len(src)/8)
	for i := 0; i < len(src); i += 2 {
		if i+1 == len(src) {
			return nil, newError(text, len(text), Encoding, "UTF-16 ends in half a character")
		}
		r := rune(order.Uint16(src[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+3 < len(src) {
				low = rune(order.Uint16(src[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return nil, newError(text, len(text), Encoding, "UTF-16 has half a surrogate pair")
			}
			i += 2
		}
		text = utf8.AppendRune(text, r)
	}
	return text, nil
}

// declaration reads <?xml version="1.0" encoding="…" standalone="…"?>, which is optional, as are its last two parts.
func declaration(text []byte) (encoding []byte, body int, err error) {
	const start = "<?xml"
	if !bytes.HasPrefix(text, []byte(start)) || len(text) == len(start) || class[text[len(start)]]&space == 0 {
		return nil, 0, nil
	}
	i := len(start)
	refuse := func(format string, args ...any) ([]byte, int, error) {
		return nil, 0, newError(text, i, Malformed, format, args...)
	}
	skip := func() (skipped bool) {
		for i < len(text) && class[text[i]]&space != 0 {
			i, skipped = i+1, true
		}
		return skipped
	}
	for next := 0; ; {
		spaced := skip()
		if bytes.HasPrefix(text[i:], []byte("?>")) {
			if next == 0 {
				return refuse("the XML declaration lacks a version")
			}
			return encoding, i + 2, nil
		}
		name := i
		for i < len(text) && class[text[i]]&namePart != 0 {
			i++
		}
		part := string(text[name:i])
		order := 1 + slices.Index([]string{"version", "encoding", "standalone"}, part)
		if !spaced || order <= next || next == 0 && part != "version" {
			i = name
			return refuse("the XML declaration is malformed")
		}
		next = order
		skip()
		if i == len(text) || text[i] != '=' {
			return refuse("the XML declaration is malformed: = is missing")
		}
		i++
		skip()
		if i == len(text) || text[i] != '"' && text[i] != '\'' {
			return refuse("the XML declaration is malformed: a quote is missing")
		}
		end := bytes.IndexByte(text[i+1:], text[i])
		if end < 0 {
			return refuse("the XML declaration is malformed: a quote is missing")
		}
		value := text[i+1 : i+1+end]
		switch {
		case part == "version" && string(value) != "1.0":
			return refuse("XML version %s is not supported: use 1.0", excerpt(value))
		case part == "encoding" && len(value) == 0:
			return refuse("the XML declaration names no encoding")
		case part == "encoding":
			encoding = value
		case part == "standalone" && string(value) != "yes" && string(value) != "no":
			return refuse("standalone is yes or no, not %s", excerpt(value))
		}
		i += end + 2
	}
}
