package schema

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/xmldoc"
)

// schemaFiles are the project's schemas, each with its documents. The kit's schemas have the same file names.
var schemaFiles = []struct {
	file, root string
	validator  func() *Validator
	examples   []string // the project's documents in testdata
	kit        []string // documents of the kit
}{
	{"custacc.xsd", "Customer", Customer, []string{"customer.xml"}, []string{"custacc.xml"}},
	{"security.xsd", "Security", Security, []string{"security-stock.xml", "security-fund.xml"},
		[]string{"security1500.xml", "security5621.xml"}},
	{"order.xsd", "FIXML", Order, []string{"order-typical.xml", "order.xml", "order-minimal.xml"},
		[]string{"order123.xml"}},
}

// validatorOf returns the validator for a document in testdata, which is named after its schema.
func validatorOf(name string) *Validator {
	kind, _, _ := strings.Cut(strings.TrimSuffix(name, ".xml"), "-")
	return map[string]func() *Validator{"customer": Customer, "security": Security, "order": Order}[kind]()
}

func example(t testing.TB, name string) []byte {
	t.Helper()
	return []byte(testenv.Text(t, filepath.Join("testdata", name)))
}

// replaced returns the document with one piece, which it must contain, exchanged for another. The piece may be given
// by its ends: <Pin>…</Pin>.
func replaced(t testing.TB, doc []byte, from, to string) []byte {
	t.Helper()
	first, last, _ := strings.Cut(from, "…")
	before, rest, found := strings.Cut(string(doc), first)
	require.True(t, found, "no %q in the document", first)
	_, after, found := strings.Cut(rest, last)
	require.True(t, found, "no %q behind it", last)
	return []byte(before + to + after)
}

// admitted returns a document in the normal form, in which the service gives it to a validator.
func admitted(t testing.TB, doc []byte) []byte {
	t.Helper()
	doc, err := xmldoc.Admit(doc, xmldoc.Limits{})
	require.NoError(t, err)
	return doc
}

// requireFindings validates a document, which must be refused.
func requireFindings(t testing.TB, v *Validator, doc []byte) []Finding {
	t.Helper()
	var refusal *Error
	require.ErrorAs(t, v.Validate(admitted(t, doc)), &refusal)
	require.NotEmpty(t, refusal.Findings)
	return refusal.Findings
}

// treeOf reads a document into a tree that can be damaged and written again.
func treeOf(t testing.TB, doc []byte) *etree.Element {
	t.Helper()
	tree := etree.NewDocument()
	require.NoError(t, tree.ReadFromBytes(doc))
	return tree.Root()
}

func written(root *etree.Element) []byte {
	var b strings.Builder
	root.WriteTo(&b, &etree.WriteSettings{})
	return []byte(b.String())
}

// elements returns an element and all below it.
func elements(p *etree.Element) []*etree.Element {
	all := []*etree.Element{p}
	for _, kid := range p.ChildElements() {
		all = append(all, elements(kid)...)
	}
	return all
}

// values are valid in some places and invalid in others; most are at the limits of a type.
var values = []string{
	"", " ", "x", "Yes", " No ", "yes", "Male", "Active", "Stock", "Bond Fund", "Large", "Growth", "Energy",
	"Oil&GasOperations", "Short Term", "0", "-0", "-1", "+1", "1.", ".5", "1e3", "NaN", "007", " 12 ", "1.2345", "1.23450",
	"1.23456", "1234567890123", "12345678901234", "0001234567890123", "123456789.1234", "1234567890.1234", "2001-02-28",
	"2001-02-29", "2004-02-29", "2001-02-28+01:00", "01-02-28", " 2001-02-28 ", "2001-02-28T10:00:00",
	"2001-02-28T24:00:00", "2001-02-28T10:00:60", "2001-02-28T10:00", "-0004-01-01", "12004-01-01", "YWJj", "YWJ", "YW Jj",
	"abcdefg", "abcdefgh", "4.4", "20030618", "200403w2", "200413", "A", "Z", "1", "2", "10", "99", "4000", "Y", "é",
}

// mutants returns documents and damaged copies of each, the same in every run. Some of the copies are still valid.
func mutants(t testing.TB, docs [][]byte, each int) (all [][]byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(2011, 4))
	for _, doc := range docs {
		tree := treeOf(t, doc)
		all = append(all, written(tree))
		for range each {
			mutant := tree.Copy()
			for range 1 + r.IntN(3) {
				mutate(r, mutant)
			}
			all = append(all, written(mutant))
		}
	}
	return all
}

// mutate damages a document in one way.
func mutate(r *rand.Rand, doc *etree.Element) {
	all := elements(doc)
	p, other := all[r.IntN(len(all))], all[r.IntN(len(all))]
	parent, value := p.Parent(), values[r.IntN(len(values))]
	insert := func(p *etree.Element, kid etree.Token) { p.InsertChildAt(r.IntN(len(p.Child)+1), kid) }
	var attributes []*etree.Attr // the schemas describe no attribute that is in a namespace
	for i := range p.Attr {
		if a := &p.Attr[i]; a.Space == "" && a.Key != "xmlns" {
			attributes = append(attributes, a)
		}
	}
	switch r.IntN(10) {
	case 0: // delete
		if parent != nil {
			parent.RemoveChild(p)
		}
	case 1: // repeat among its neighbours
		if parent != nil {
			insert(parent, p.Copy())
		}
	case 2: // move among its neighbours
		if parent != nil {
			insert(parent, parent.RemoveChild(p))
		}
	case 3: // rename to a name that exists
		p.Space, p.Tag = other.Space, other.Tag
	case 4: // repeat elsewhere
		if other.FullTag() != p.FullTag() {
			insert(other, p.Copy())
		}
	case 5, 6: // another content
		p.Child = nil
		p.SetText(value)
	case 7: // text between elements
		insert(p, etree.NewText(value))
	case 8: // another value of an attribute
		if len(attributes) > 0 {
			attributes[r.IntN(len(attributes))].Value = value
		}
	case 9: // without an attribute
		if len(attributes) > 0 {
			p.RemoveAttr(attributes[r.IntN(len(attributes))].Key)
		}
	}
}
