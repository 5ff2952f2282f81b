package schema

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"
)

// treeOf reads a document into a tree that can be damaged and written again.
func treeOf(t testing.TB, doc []byte) *etree.Element {
	t.Helper()
	tree := etree.NewDocument()
	require.NoError(t, tree.ReadFromBytes(doc))
	return tree.Root()
}

func written(root *etree.Element) string {
	var b strings.Builder
	root.WriteTo(&b, &etree.WriteSettings{})
	return b.String()
}

// elements returns an element and all below it.
func elements(p *etree.Element) []*etree.Element {
	all := []*etree.Element{p}
	for _, kid := range p.ChildElements() {
		all = append(all, elements(kid)...)
	}
	return all
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
func mutate(r *rand.Rand, doc *etree.Element) *etree.Element {
	doc = doc.Copy()
	insert := func(p *etree.Element, kid etree.Token) { p.InsertChildAt(r.IntN(len(p.Child)+1), kid) }
	value := func() string { return values[r.IntN(len(values))] }
	for range 1 + r.IntN(3) {
		all := elements(doc)
		p, other := all[r.IntN(len(all))], all[r.IntN(len(all))]
		parent := p.Parent()
		switch r.IntN(12) {
		case 0: // delete
			if parent != nil {
				parent.RemoveChild(p)
			}
		case 1: // repeat, also somewhere else
			if parent != nil {
				insert(parent, p.Copy())
			}
		case 2: // move among its neighbours
			if parent != nil {
				insert(parent, parent.RemoveChild(p))
			}
		case 3: // rename to a name that exists
			p.Space, p.Tag = other.Space, other.Tag
		case 4:
			p.Tag += "x"
		case 5: // move elsewhere
			if other.FullTag() != p.FullTag() {
				insert(other, p.Copy())
			}
		case 6, 7: // change a value
			p.Child = nil
			p.SetText(value())
		case 8: // text between elements
			insert(p, etree.NewText(value()))
		case 9, 10:
			if a := pick(r, p); a >= 0 {
				p.Attr[a].Value = value()
			}
		case 11:
			if a := pick(r, p); a >= 0 && r.IntN(2) == 0 {
				p.Attr = slices.Delete(p.Attr, a, a+1)
			} else if a := pick(r, other); a >= 0 && p.SelectAttr(other.Attr[a].Key) == nil {
				p.CreateAttr(other.Attr[a].Key, other.Attr[a].Value)
			}
		}
	}
	return doc
}

// pick picks an attribute, or returns -1. It picks no namespace declaration and no attribute with a namespace, since
// the schemas describe neither.
func pick(r *rand.Rand, p *etree.Element) int {
	if len(p.Attr) == 0 {
		return -1
	}
	i := r.IntN(len(p.Attr))
	if a := p.Attr[i]; a.Space != "" || a.Key == "xmlns" {
		return -1
	}
	return i
}
