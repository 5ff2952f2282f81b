package schema

import (
	"bytes"
	"encoding/xml"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// part is a piece of a document: an element, or text where it has no name.
type part struct {
	name  string
	attrs []xml.Attr
	parts []*part
	text  string
}

// parseParts reads a document into a tree that can be damaged and written again. Prefixes stay as they are.
func parseParts(t testing.TB, doc []byte) *part {
	t.Helper()
	top := &part{}
	open := []*part{top}
	dec := xml.NewDecoder(bytes.NewReader(doc))
	dec.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for {
		token, err := dec.RawToken()
		if err != nil {
			break
		}
		parent := open[len(open)-1]
		switch tok := token.(type) {
		case xml.StartElement:
			p := &part{name: qualified(tok.Name), attrs: append([]xml.Attr(nil), tok.Attr...)}
			parent.parts = append(parent.parts, p)
			open = append(open, p)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if parent != top {
				parent.parts = append(parent.parts, &part{text: string(tok)})
			}
		}
	}
	require.Len(t, top.parts, 1)
	return top.parts[0]
}

func qualified(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	return name.Space + ":" + name.Local
}

func (p *part) clone() *part {
	c := &part{name: p.name, attrs: append([]xml.Attr(nil), p.attrs...), text: p.text}
	for _, kid := range p.parts {
		c.parts = append(c.parts, kid.clone())
	}
	return c
}

func (p *part) write(b *strings.Builder) {
	if p.name == "" {
		escape(b, p.text)
		return
	}
	b.WriteString("<" + p.name)
	for _, a := range p.attrs {
		b.WriteString(" " + qualified(a.Name) + `="`)
		escape(b, a.Value)
		b.WriteString(`"`)
	}
	if len(p.parts) == 0 {
		b.WriteString("/>")
		return
	}
	b.WriteString(">")
	for _, kid := range p.parts {
		kid.write(b)
	}
	b.WriteString("</" + p.name + ">")
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

func escape(b *strings.Builder, s string) { _, _ = escaper.WriteString(b, s) }

func (p *part) String() string {
	var b strings.Builder
	p.write(&b)
	return b.String()
}

// elements lists the element and all below it, with the element that each is in.
func (p *part) elements(parent *part, visit func(parent, p *part)) {
	if p.name == "" {
		return
	}
	visit(parent, p)
	for _, kid := range p.parts {
		kid.elements(p, visit)
	}
}

// values are put into attributes and elements. Each is valid in some places and invalid in others; most are at the
// limits of a type.
var values = []string{
	"", " ", "x", "Yes", " No ", "yes", "Male", "Active", "Stock", "Bond Fund", "Large", "Growth", "Energy", "Coal",
	"Retail(Drugs)", "Oil&GasOperations", "Short Term", "0", "-0", "-1", "+1", "1.", ".5", "1e3", "NaN", "007", " 12 ",
	"1.2345", "1.23450", "1.23456", "1234567890123", "12345678901234", "0001234567890123", "123456789.1234",
	"1234567890.1234", "2001-02-28", "2001-02-29", "2004-02-29", "2001-02-28Z", "2001-02-28+01:00", "01-02-28",
	" 2001-02-28 ", "2001-02-28T10:00:00", "2001-02-28T24:00:00", "2001-02-28T10:00:60", "2001-02-28T10:00", "-0004-01-01",
	"12004-01-01", "YWJj", "YWJ", "YW Jj", "YWJj=", "abcdefg", "abcdefgh", "4.4", "20030618", "200403w2", "200413", "A",
	"Z", "1", "2", "10", "23", "99", "4000", "Y", "N", "NONE", "é", "a\tb", "2147483648", "http://example.org/a b",
}

// mutate damages a copy of the document in up to three ways. Some of the results are still valid.
func mutate(r *rand.Rand, doc *part) *part {
	doc = doc.clone()
	for range 1 + r.IntN(3) {
		var all, parents []*part
		doc.elements(nil, func(parent, p *part) {
			all = append(all, p)
			parents = append(parents, parent)
		})
		i := r.IntN(len(all))
		p, parent := all[i], parents[i]
		other := all[r.IntN(len(all))]
		switch r.IntN(12) {
		case 0: // delete
			if parent != nil {
				parent.remove(p)
			}
		case 1: // repeat, also somewhere else
			if parent != nil {
				parent.insert(r, p.clone())
			}
		case 2: // swap with a neighbour
			if n := len(p.parts); n > 1 {
				a, b := r.IntN(n), r.IntN(n)
				p.parts[a], p.parts[b] = p.parts[b], p.parts[a]
			}
		case 3: // rename to a name that exists
			p.name = other.name
		case 4:
			p.name += "x"
		case 5: // move elsewhere
			if other.name != "" && other.name != p.name {
				other.insert(r, p.clone())
			}
		case 6, 7: // change a value
			p.parts = []*part{{text: values[r.IntN(len(values))]}}
		case 8: // text between elements
			p.insert(r, &part{text: values[r.IntN(len(values))]})
		case 9, 10:
			if a := p.attr(r); a >= 0 {
				p.attrs[a].Value = values[r.IntN(len(values))]
			}
		case 11:
			if a := p.attr(r); a >= 0 && r.IntN(2) == 0 {
				p.attrs = append(p.attrs[:a:a], p.attrs[a+1:]...)
			} else if a := other.attr(r); a >= 0 {
				p.set(other.attrs[a])
			}
		}
	}
	return doc
}

// attr picks an attribute, or returns -1. It picks no namespace declaration and no attribute with a namespace, since
// the schemas describe neither.
func (p *part) attr(r *rand.Rand) int {
	if len(p.attrs) == 0 {
		return -1
	}
	i := r.IntN(len(p.attrs))
	if name := p.attrs[i].Name; name.Space != "" || name.Local == "xmlns" {
		return -1
	}
	return i
}

func (p *part) remove(kid *part) {
	for i := range p.parts {
		if p.parts[i] == kid {
			p.parts = append(p.parts[:i:i], p.parts[i+1:]...)
			return
		}
	}
}

func (p *part) insert(r *rand.Rand, kid *part) {
	i := r.IntN(len(p.parts) + 1)
	p.parts = append(p.parts[:i:i], append([]*part{kid}, p.parts[i:]...)...)
}

func (p *part) set(attr xml.Attr) {
	for _, a := range p.attrs {
		if a.Name == attr.Name {
			return
		}
	}
	p.attrs = append(p.attrs, attr)
}
