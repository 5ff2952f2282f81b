package compare

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/antchfx/xmlquery"
	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// parsers only read, as strictly as their options allow, without checks of
// ours.
var parsers = []struct {
	name string
	read func(doc []byte) error
}{
	{"xmldoc", func(doc []byte) error {
		_, err := xmldoc.Admit(doc, xmldoc.Limits{})
		return err
	}},
	{"std", func(doc []byte) error {
		d := xml.NewDecoder(bytes.NewReader(doc))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}},
	{"etree", func(doc []byte) error {
		tree := etree.NewDocument()
		tree.ReadSettings.ValidateInput = true
		return tree.ReadFromBytes(doc)
	}},
	{"xmlquery", func(doc []byte) error {
		_, err := xmlquery.Parse(bytes.NewReader(doc))
		return err
	}},
	{"helium", func(doc []byte) error {
		tree, err := heliumParse(doc)
		if err == nil {
			tree.Free()
		}
		return err
	}},
}

// Documents that must not be stored, and which of the parsers refuse (x) or
// accept (-) them, in their order. The test fails when a new version of a
// library behaves differently, so that the decision record does not become
// outdated unnoticed.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ what, doc, refused string }{
		{"undeclared prefix of an element", `<p:a/>`, "x--xx"},
		{"undeclared prefix of an attribute", `<a p:b="c"/>`, "x---x"},
		{"prefix bound to nothing", `<a xmlns:p=""/>`, "x---x"},
		{"attribute twice", `<a b="1" b="2"/>`, "x---x"},
		{"attribute twice, by two prefixes", `<a xmlns:p="urn:u" xmlns:q="urn:u" p:b="1" q:b="2"/>`, "x---x"},
		{"end tag of another element", `<a><b></a></b>`, "xxxxx"},
		{"two root elements", `<a/><b/>`, "x-x-x"},
		{"text after the root element", `<a/>b`, "x-x-x"},
		{"nothing at all", ``, "x-xxx"},
		{"document type declaration", `<!DOCTYPE a [<!ELEMENT a ANY>]><a/>`, "x----"},
		{"entity of its own", `<!DOCTYPE a [<!ENTITY b "b"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>`, "xxxx-"},
		{"entity from a file", `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>`, "xxxx-"},
		{"entity that nobody declared", `<a>&nbsp;</a>`, "xxxxx"},
		{"control character", "<a>\x01</a>", "xxxxx"},
		{"control character by reference", `<a>&#1;</a>`, "xxxxx"},
		{"control character in a comment", "<a><!--\x01--></a>", "x---x"},
		{"half a surrogate pair by reference", `<a>&#xD800;</a>`, "x---x"},
		{"bytes that are not UTF-8", "<a>\xC3\x28</a>", "xxxxx"},
		{"< in the value of an attribute", `<a b="<"/>`, "xxxxx"},
		{"]]> in text", `<a>]]></a>`, "xxxxx"},
		{"no space between attributes", `<a b="1"c="2"/>`, "x---x"},
		{"elements 100,000 deep", strings.Repeat("<a>", 100_000) + strings.Repeat("</a>", 100_000), "x-x-x"},
	} {
		var got []byte
		for _, p := range parsers {
			if p.read([]byte(c.doc)) != nil {
				got = append(got, 'x')
			} else {
				got = append(got, '-')
			}
		}
		t.Logf("%-36s %s", c.what, got)
		require.Equal(t, c.refused, string(got), c.what)
	}
}

// Valid documents that are easily damaged, and which candidate writes them
// unchanged (k), damages (D) or refuses (x) them on admission: the candidates
// in their order.
func TestKept(t *testing.T) {
	for _, c := range []struct{ what, doc, kept string }{
		{"carriage return by reference", `<a>b&#13;c</a>`, "kkkDk"},
		{"line feed in a value, by reference", `<a b="c&#10;d"/>`, "kkkDk"},
		{"two prefixes for one namespace", `<p:a xmlns:p="urn:u" xmlns:q="urn:u"><q:b/></p:a>`, "kkkDk"},
		{"prefix bound anew further in", `<p:a xmlns:p="urn:u"><p:b xmlns:p="urn:v" p:c="d"/><p:e/></p:a>`, "kkkkk"},
		{"default namespace undone", `<a xmlns="urn:u"><b xmlns=""/></a>`, "kkkkk"},
		{"white space between elements", "<a> <b/>\n<c> </c></a>", "kkkkk"},
		{"CDATA section", `<a>b<![CDATA[<c>&]]>d</a>`, "kkkkk"},
		{"ISO-8859-1", "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xFC</a>", "kxxkk"},
		{"UTF-16", "\xFF\xFE<\x00a\x00>\x00\xFC\x00<\x00/\x00a\x00>\x00", "kxxxk"},
	} {
		want := says(t, []byte(c.doc))
		var got []byte
		for _, candidate := range candidates {
			if candidate.admit == nil {
				continue
			}
			var out bytes.Buffer
			if candidate.admit(&out, []byte(c.doc)) != nil {
				got = append(got, 'x')
				continue
			}
			if _, err := xmldoc.Admit(out.Bytes(), xmldoc.Limits{}); err == nil && want == says(t, out.Bytes()) {
				got = append(got, 'k')
			} else {
				got = append(got, 'D')
			}
		}
		t.Logf("%-36s %s", c.what, got)
		require.Equal(t, c.kept, string(got), c.what)
	}
}

// Reading alone, of one customer and of twenty in one document: the small one
// shows a parser's fixed cost for each document.
func BenchmarkRead(b *testing.B) {
	one := document(b, dataset.Customer)
	many := slices.Concat([]byte("<all>"), bytes.Repeat(one, 20), []byte("</all>"))
	for _, size := range []struct {
		name string
		doc  []byte
	}{{"6KB", one}, {"120KB", many}} {
		for _, p := range parsers {
			b.Run(size.name+"/"+p.name, func(b *testing.B) {
				measure(b, size.doc, func() error { return p.read(size.doc) })
			})
		}
	}
}
