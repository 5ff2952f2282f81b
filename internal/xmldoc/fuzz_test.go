package xmldoc_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"

	"brokerage/internal/xmldoc"
)

func seeds() []string {
	all := []string{account,
		`<?xml version="1.0" encoding="UTF-8"?><!--c--><a b='&#9;"'>x<![CDATA[<&]]>]]&gt;<?p i?><b/></a>`,
		"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9\r\n\r</a>",
		`<p:a xmlns:p="u" xmlns="v" p:b="1" b="2"><c xmlns=""/><xml:d xml:e=""/></p:a>`,
		"\xFF\xFE<\x00a\x00/\x00>\x00",
		`<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`,
	}
	for _, s := range spellings {
		all = append(all, s)
	}
	return all
}

// encoding/xml accepts every document that Admit accepts, with the same content before and after admission. The result
// is in the normal form.
func FuzzAdmit(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := xmldoc.Admit(src, xmldoc.Limits{})
		if err != nil {
			return
		}
		got, err := expand(out)
		require.NoError(t, err, "encoding/xml reads the normal form")
		if !bytes.HasPrefix(src, []byte("\xFF\xFE")) && !bytes.HasPrefix(src, []byte("\xFE\xFF")) {
			// encoding/xml supports neither UTF-16 nor byte order marks.
			want, err := expand(bytes.TrimPrefix(src, []byte("\xEF\xBB\xBF")))
			require.NoError(t, err, "admitted, but encoding/xml refuses it")
			require.Equal(t, want, got)
		}
		again, err := xmldoc.Admit(out, xmldoc.Limits{})
		if err == nil || len(out) < 1<<19 {
			require.NoError(t, err)
			require.Equal(t, string(out), string(again))
		}
		requireCanonical(t, out)
	})
}

// Reading arbitrary bytes does not panic.
func FuzzRead(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	paths := []*xmldoc.Path{xmldoc.MustPath(ns, "*/*/@no"), xmldoc.MustPath(ns, "s:shop/s:item"), xmldoc.MustPath(nil,
		"*/*/*")}
	set := xmldoc.MustSet(ns, "*", "*/@id", "*/*/s:name", "s:shop/*/*/@x")
	f.Fuzz(func(_ *testing.T, doc []byte) {
		xmldoc.Canonical(doc)
		use := func(n xmldoc.Node) {
			n.Raw()
			n.Inner()
			n.Text()
			n.Local()
			n.Space()
			n.Attr("id")
			n.AppendStandalone(nil)
			n.AppendWithin(nil, shop)
			e := xmldoc.Edit(doc)
			e.SetAttr(n, "a", "b")
			e.Append(n, n)
			e.Delete(n)
			_, _ = e.Apply(nil)
		}
		for _, p := range paths {
			for n := range p.All(xmldoc.Document(doc)) {
				use(n)
				for inner := range p.All(n) {
					use(inner)
				}
			}
		}
		var out [4]xmldoc.Node
		set.Find(xmldoc.Document(doc), out[:])
		for _, n := range out {
			use(n)
		}
		use(xmldoc.Root(doc))
	})
}

// An edit of the bytes has the same result as the edit of a tree.
func FuzzEdit(f *testing.F) {
	for _, s := range seeds() {
		for op := range byte(5) {
			f.Add([]byte(s), []byte{0, 1, 0}, op, "te<x>t & \"more\"\n", []byte(`<n xmlns="u" a="b">c</n>`))
			f.Add([]byte(s), []byte{1, 0}, op, "", []byte(`<p:n xmlns:p="http://example.com/shop" p:a="b"><m/></p:n>`))
		}
	}
	f.Fuzz(func(t *testing.T, src, way []byte, op byte, text string, fragment []byte) {
		doc, err := xmldoc.Admit(src, xmldoc.Limits{})
		if err != nil || len(way) > 16 {
			return
		}
		child, err := xmldoc.Admit(fragment, xmldoc.Limits{})
		if err != nil {
			return
		}
		if _, err = xmldoc.Admit(xmldoc.AppendElement(nil, "t", text), xmldoc.Limits{}); err != nil {
			return // not a text that XML can hold
		}

		tree, branch := parse(t, doc), parse(t, child).Root()
		node, element := xmldoc.Root(doc), tree.Root()
		for _, step := range way { // down to a child by number, as far as there is one
			children := element.ChildElements()
			if len(children) == 0 {
				break
			}
			k := int(step) % len(children)
			element = children[k]
			node = slices.Collect(xmldoc.MustPath(nil, "*").All(node))[k]
		}

		e := xmldoc.Edit(doc)
		switch op % 5 {
		case 0:
			e.SetText(node, text)
			element.Child = nil
			element.SetText(text)
		case 1:
			e.SetAttr(node, "zzz", text)
			element.CreateAttr("zzz", text)
		case 2:
			attrs := slices.DeleteFunc(slices.Clone(element.Attr), func(a etree.Attr) bool {
				return a.Space != "" || a.Key == "xmlns"
			})
			if len(attrs) == 0 {
				return
			}
			e.SetText(node.Attr(attrs[0].Key), text)
			element.CreateAttr(attrs[0].Key, text)
		case 3:
			e.Append(node, xmldoc.Root(child))
			element.InsertChildAt(len(element.Child), branch)
			if branch.SelectAttr("xmlns") == nil {
				branch.CreateAttr("xmlns", "")
			}
		case 4:
			if element.Parent() == &tree.Element {
				return // the root cannot be removed
			}
			e.Delete(node)
			element.Parent().RemoveChildAt(element.Index())
		}
		got, err := e.Apply(nil)
		require.NoError(t, err)

		tree.WriteSettings = etree.WriteSettings{CanonicalText: true, CanonicalAttrVal: true, CanonicalEndTags: true}
		written, err := tree.WriteToBytes()
		require.NoError(t, err)
		want, err := expand(written)
		require.NoError(t, err)
		have, err := expand(got)
		require.NoError(t, err)
		require.Equal(t, want, have)

		again, err := xmldoc.Admit(got, xmldoc.Limits{Bytes: 1 << 30})
		if err == nil { // an insertion that nests too deep is no fault of the edit
			require.Equal(t, string(got), string(again), "the result is in the normal form")
		} else {
			requireRefusal(t, err, xmldoc.TooLarge, 0, 0, "")
		}
	})
}

func parse(t testing.TB, doc []byte) *etree.Document {
	t.Helper()
	tree := etree.NewDocument()
	tree.ReadSettings.PreserveCData = true
	require.NoError(t, tree.ReadFromBytes(doc))
	return tree
}
