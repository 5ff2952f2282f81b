package xmldoc_test

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// expand lists what encoding/xml reads in a document: start and end tags by expanded name with sorted attributes, and
// text with neighbours joined. Two documents that expand alike mean the same.
func expand(doc []byte) ([]string, error) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	d.CharsetReader = charset
	var tokens []string
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			tokens = append(tokens, "text "+text.String())
			text.Reset()
		}
	}
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return tokens, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			flush()
			depth++
			attrs := slices.DeleteFunc(slices.Clone(t.Attr), func(a xml.Attr) bool {
				return a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns"
			})
			slices.SortFunc(attrs, func(x, y xml.Attr) int {
				return cmp.Or(cmp.Compare(x.Name.Space, y.Name.Space), cmp.Compare(x.Name.Local, y.Name.Local))
			})
			s := fmt.Sprintf("start {%s}%s", blanks.Replace(t.Name.Space), t.Name.Local)
			for _, a := range attrs {
				// encoding/xml does not normalise white space in values.
				v := blanks.Replace(a.Value)
				s += fmt.Sprintf(" {%s}%s=%q", blanks.Replace(a.Name.Space), a.Name.Local, v)
			}
			tokens = append(tokens, s)
		case xml.EndElement:
			flush()
			depth--
			tokens = append(tokens, fmt.Sprintf("end {%s}%s", blanks.Replace(t.Name.Space), t.Name.Local))
		case xml.CharData:
			if depth > 0 {
				text.Write(t)
			}
		}
	}
}

func charset(label string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii":
		return r, nil
	case "iso-8859-1":
		b, err := io.ReadAll(r)
		var s []byte
		for _, c := range b {
			s = utf8.AppendRune(s, rune(c))
		}
		return bytes.NewReader(s), err
	}
	return nil, fmt.Errorf("charset %q", label)
}

// blanks normalises white space in values of attributes and namespace declarations as XML requires; encoding/xml does
// not.
var blanks = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ")
