package xmldoc_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/xmldoc"
)

const (
	shop = "http://example.com/shop"
	ship = "http://example.com/ship?a=1&b=2"
)

var ns = xmldoc.Namespaces{"s": shop, "h": ship}

// spellings holds one document with a default namespace, with prefixes, and with prefixes that change their meaning.
var spellings = map[string]string{
	"Default": `<shop xmlns="http://example.com/shop" id="7">` +
		`<name lang="de">Müller &amp; S&amp;hne</name>` +
		`<item no="1" note="a &lt; b &quot;c&quot;"><name>Nut</name><price>0.10</price></item>` +
		`<item no="2"><price></price><note>first <b>second</b> third</note><price>7</price></item>` +
		`<item xmlns="http://example.com/ship?a=1&amp;b=2" no="3"><name>Not of the shop</name></item>` +
		`<empty></empty></shop>`,
	"Prefixes": `<p:shop xmlns:p="http://example.com/shop" xmlns:q="http://example.com/ship?a=1&amp;b=2" id="7">` +
		`<p:name lang="de">Müller &amp; S&amp;hne</p:name>` +
		`<p:item no="1" note="a &lt; b &quot;c&quot;"><p:name>Nut</p:name><p:price>0.10</p:price></p:item>` +
		`<p:item no="2"><p:price></p:price><p:note>first <p:b>second</p:b> third</p:note><p:price>7</p:price></p:item>` +
		`<q:item no="3"><q:name>Not of the shop</q:name></q:item>` +
		`<p:empty></p:empty></p:shop>`,
	"Changing": `<p:shop xmlns:p="http://example.com/shop" id="7">` +
		`<name xmlns="http://example.com/shop" lang="de">Müller &amp; S&amp;hne</name>` +
		`<q:item xmlns:q="http://example.com/shop" xmlns:p="http://example.com/ship?a=1&amp;b=2" no="1" note="a &lt; b ` +
		`&quot;c&quot;" p:note="other">` +
		`<q:name>Nut</q:name><p:price>99</p:price><q:price>0.10</q:price></q:item>` +
		`<p:item no="2"><p:price></p:price><p:note>first <p:b>second</p:b> third</p:note><p:price>7</p:price></p:item>` +
		`<p:item xmlns:p="http://example.com/ship?a=1&amp;b=2" no="3"><p:name>Not of the shop</p:name></p:item>` +
		`<p:empty></p:empty></p:shop>`,
}

func texts(p *xmldoc.Path, n xmldoc.Node) []string {
	out := []string{}
	for found := range p.All(n) {
		out = append(out, string(found.Text()))
	}
	return out
}

func TestPath_All(t *testing.T) {
	for spelling, doc := range spellings {
		admitted, err := xmldoc.Admit([]byte(doc), xmldoc.Limits{})
		require.NoError(t, err)
		require.Equal(t, doc, string(admitted), "the test's documents are in the normal form")
		for path, want := range map[string][]string{
			"s:shop/s:name":          {"Müller & S&hne"},
			"s:shop/s:name/@lang":    {"de"},
			"s:shop/@id":             {"7"},
			"s:shop/s:item/s:name":   {"Nut"},
			"s:shop/s:item/s:price":  {"0.10", "", "7"},
			"s:shop/s:item/@no":      {"1", "2"},
			"s:shop/s:item/@note":    {`a < b "c"`},
			"s:shop/h:item/@no":      {"3"},
			"s:shop/*/@no":           {"1", "2", "3"},
			"*/*/s:name":             {"Nut"},
			"s:shop/h:item/h:name":   {"Not of the shop"},
			"s:shop/s:item/s:note":   {"first second third"},
			"s:shop/s:item/*/s:b":    {"second"},
			"s:shop/s:empty":         {""},
			"s:shop/s:missing":       {},
			"s:shop/s:name/s:name":   {},
			"s:name":                 {},
			"h:shop/s:name":          {},
			"shop":                   {},
			"s:shop/@missing":        {},
			"s:shop/@s:id":           {},
			"s:shop/s:item/s:item":   {},
			"s:shop/s:item/s:price2": {},
			"s:shop/s:item/s:pric":   {},
		} {
			t.Run(spelling+"/"+path, func(t *testing.T) {
				p := xmldoc.MustPath(ns, path)
				require.Equal(t, want, texts(p, xmldoc.Document([]byte(doc))))
				first := p.Find(xmldoc.Document([]byte(doc)))
				require.Equal(t, len(want) > 0, first.Exists())
				if len(want) > 0 {
					require.Equal(t, want[0], string(first.Text()))
					require.True(t, first.Is(want[0]))
					require.False(t, first.Is(want[0]+"x"))
				}
			})
		}
	}
}

func TestPath_Relative(t *testing.T) {
	items := xmldoc.MustPath(ns, "s:shop/s:item")
	no, prices := xmldoc.MustPath(ns, "@no"), xmldoc.MustPath(ns, "s:price")
	other := xmldoc.MustPath(ns, "@h:note")
	for spelling, doc := range spellings {
		t.Run(spelling, func(t *testing.T) {
			var got []string
			for item := range items.All(xmldoc.Document([]byte(doc))) {
				got = append(got, fmt.Sprint(string(no.Find(item).Text()), texts(prices, item)))
			}
			require.Equal(t, []string{"1[0.10]", "2[ 7]"}, got)

			first := items.Find(xmldoc.Document([]byte(doc)))
			require.Equal(t, []string{"0.10"}, texts(prices, first), "a node knows where it ends")
			require.Equal(t, "item", string(first.Local()))
			require.Equal(t, shop, first.Space())
			require.Equal(t, spelling == "Changing", other.Find(first).Exists())
		})
	}
}

// A step with [1] is the first of its name in its parent, even if only a later one has what the rest of the path names.
func TestPath_First(t *testing.T) {
	const doc = `<s xmlns="http://example.com/shop"><i><q n="1"></q><q c="2"><p>a</p><p>b</p></q></i><x:q ` +
		`xmlns:x="urn:x"></x:q><q c="3"></q>` +
		`<i><q c="4"><p>c</p></q><q c="5"></q></i></s>`
	for path, want := range map[string][]string{
		"s:s/s:i/s:q/@c":          {"2", "4", "5"},
		"s:s/s:i/s:q[1]/@c":       {"4"},
		"s:s/s:i[1]/s:q/@c":       {"2"},
		"s:s/s:i[1]/s:q[1]/@c":    {},
		"s:s[1]/s:q[1]/@c":        {"3"},
		"s:s/s:i/s:q/s:p":         {"a", "b", "c"},
		"s:s/s:i/s:q/s:p[1]":      {"a", "c"},
		"s:s/s:i/s:q[1]/s:p":      {"c"},
		"s:s/*/s:q[1]/@n":         {"1"},
		"s:s/s:i[1]/s:q[1]/@n":    {"1"},
		"s:s/s:i[1]/s:q[1]/s:p":   {},
		"s:s/s:i[1]/s:q/s:p[1]":   {"a"},
		"s:s/s:i[1]/s:missing[1]": {},
	} {
		p := xmldoc.MustPath(ns, path)
		require.Equal(t, want, texts(p, xmldoc.Document([]byte(doc))), path)
		first := p.Find(xmldoc.Document([]byte(doc)))
		require.Equal(t, len(want) > 0, first.Exists(), path)
		if len(want) > 0 {
			require.Equal(t, want[0], string(first.Text()), path)
		}
	}
	out := make([]xmldoc.Node, 3)
	xmldoc.MustSet(ns, "s:s/s:i[1]/s:q[1]/@c", "s:s/s:i/s:q[1]/@c", "s:s/s:i/s:q/@c").Find(xmldoc.Document([]byte(doc)),
		out)
	require.False(t, out[0].Exists())
	require.Equal(t, "4", string(out[1].Text()))
	require.Equal(t, "2", string(out[2].Text()))
}

func TestSet_Find(t *testing.T) {
	for spelling, doc := range spellings {
		t.Run(spelling, func(t *testing.T) {
			set := xmldoc.MustSet(ns, "s:shop/@id", "s:shop/s:item", "s:shop/s:item/s:price", "s:shop/s:missing",
				"s:shop/s:item/@no", "s:shop/s:empty", "s:shop", "s:shop/s:item/s:note/s:b", "s:shop/s:item")
			out := make([]xmldoc.Node, 9)
			out[3] = xmldoc.Root([]byte("<stale></stale>"))
			set.Find(xmldoc.Document([]byte(doc)), out)
			var got []string
			for _, n := range out {
				got = append(got, string(n.Text()))
			}
			require.Equal(t, "7", got[0])
			require.Contains(t, got[1], "Nut")
			require.Equal(t, []string{"0.10", "", "1", ""}, got[2:6])
			require.Contains(t, got[6], "Not of the shop")
			require.Equal(t, "second", got[7])
			require.Equal(t, out[1].Raw(), out[8].Raw())
			require.False(t, out[3].Exists())
			require.True(t, out[5].Exists())
		})
	}
}

func TestPath_Refused(t *testing.T) {
	for _, path := range []string{"", "/", "a//b", "a/", "x:a", "a/@b/c", "a[2]", "a[]", "[1]", "*[1]", "@a[1]",
		"a[1][1]", "@*", "a*", "s:*", "a/@", "a:b:c", ".", "../a", "a=b", "a>b", ":a", "a b", "1a",
		strings.Repeat("a/", 64) + "a"} {
		require.Panics(t, func() { xmldoc.MustPath(ns, path) }, path)
	}
	require.Panics(t, func() { xmldoc.MustSet(ns, slices.Repeat([]string{"a"}, 65)...) })
	require.NotPanics(t, func() { xmldoc.MustSet(ns, slices.Repeat([]string{"a"}, 64)...) })
}

func TestNode_Parts(t *testing.T) {
	doc := []byte(`<a b="x &amp; y" c=""><d>1 &lt; 2</d><e></e></a>`)
	root := xmldoc.Root(doc)
	require.Equal(t, string(doc), string(root.Raw()))
	require.Equal(t, "<d>1 &lt; 2</d><e></e>", string(root.Inner()))
	require.Equal(t, "1 < 2", string(root.Text()))
	require.Equal(t, "x &amp; y", string(root.Attr("b").Raw()))
	require.Equal(t, "x & y", string(root.Attr("b").Text()))
	require.True(t, root.Attr("c").Exists())
	require.Empty(t, root.Attr("c").Text())
	require.False(t, root.Attr("d").Exists())
	require.False(t, xmldoc.Root([]byte(`<a xmlns="u" xmlns:p="v" p:b=""></a>`)).Attr("xmlns").Exists())
	require.False(t, xmldoc.Root([]byte(`<a xmlns="u" xmlns:p="v" p:b=""></a>`)).Attr("p:b").Exists())
	d := xmldoc.MustPath(nil, "a/d").Find(xmldoc.Document(doc))
	require.Equal(t, "<d>1 &lt; 2</d>", string(d.Raw()))
	require.Equal(t, "1 &lt; 2", string(d.Inner()))
	e := xmldoc.MustPath(nil, "a/e").Find(xmldoc.Document(doc))
	require.Equal(t, "<e></e>", string(e.Raw()))
	require.Empty(t, e.Inner())
}

func TestNode_Standalone(t *testing.T) {
	const deep = `<a xmlns="u" xmlns:p="v" xmlns:q="w" xmlns:r="x"><b xmlns:q="y"><c p:d="e"><q:f>p:g</q:f></c></b></a>`
	for name, c := range map[string]struct{ doc, path, standalone, within string }{
		"Default": {`<a xmlns="u" xmlns:p="v"><b>c</b></a>`, "u:a/u:b", `<b xmlns="u">c</b>`, `<b>c</b>`},
		"Root":    {`<a xmlns="u"><b></b></a>`, "u:a", `<a xmlns="u"><b></b></a>`, `<a><b></b></a>`},
		"OwnKept": {`<a><b xmlns="u" c="d"></b></a>`, "a/u:b", `<b xmlns="u" c="d"></b>`, `<b c="d"></b>`},
		"Prefixed": {`<p:a xmlns:p="u" xmlns:q="v"><p:b c="d"></p:b></p:a>`, "u:a/u:b", `<p:b xmlns:p="u" c="d"></p:b>`,
			`<p:b xmlns:p="u" xmlns="" c="d"></p:b>`},
		"NoNamespace":   {`<a><b></b></a>`, "a/b", `<b></b>`, `<b xmlns=""></b>`},
		"Undone":        {`<a xmlns="u"><b xmlns=""><c></c></b></a>`, "u:a/b", `<b><c></c></b>`, `<b xmlns=""><c></c></b>`},
		"UndoneFurther": {`<a xmlns="u"><b xmlns=""><c></c></b></a>`, "u:a/b/c", `<c></c>`, `<c xmlns=""></c>`},
		"InnermostWins": {deep, "u:a/u:b/u:c", `<c xmlns="u" xmlns:p="v" xmlns:q="y" p:d="e"><q:f>p:g</q:f></c>`,
			`<c xmlns:p="v" xmlns:q="y" p:d="e"><q:f>p:g</q:f></c>`},
		"InText": {deep, "u:a/u:b/u:c/y:f", `<q:f xmlns="u" xmlns:p="v" xmlns:q="y">p:g</q:f>`,
			`<q:f xmlns:p="v" xmlns:q="y">p:g</q:f>`},
		"Escaped": {`<a xmlns="u" xmlns:p="x&amp;y"><p:b></p:b></a>`, "u:a/z:b",
			`<p:b xmlns="u" xmlns:p="x&amp;y"></p:b>`, `<p:b xmlns:p="x&amp;y"></p:b>`},
		"InTextLater": {"<a xmlns=\"u\" xmlns:p=\"v\"><b>\np:g</b></a>", "u:a/u:b",
			"<b xmlns=\"u\" xmlns:p=\"v\">\np:g</b>", "<b xmlns:p=\"v\">\np:g</b>"},
		"OtherDefault": {`<a xmlns="v"><b></b></a>`, "v:a/v:b", `<b xmlns="v"></b>`, `<b xmlns="v"></b>`},
	} {
		t.Run(name, func(t *testing.T) {
			n := xmldoc.MustPath(xmldoc.Namespaces{"u": "u", "v": "v", "y": "y", "z": "x&y"},
				c.path).Find(xmldoc.Document([]byte(c.doc)))
			require.True(t, n.Exists())
			require.Equal(t, c.standalone, string(n.AppendStandalone(nil)))
			require.Equal(t, "kept"+c.within, string(n.AppendWithin([]byte("kept"), "u")))

			alone, err := xmldoc.Admit([]byte(c.standalone), xmldoc.Limits{})
			require.NoError(t, err)
			require.Equal(t, c.standalone, string(alone), "it stands on its own, in the normal form")

			// In both places it means the same as in its own document.
			whole, err := expand([]byte(c.doc))
			require.NoError(t, err)
			cut, err := expand(alone)
			require.NoError(t, err)
			require.Contains(t, strings.Join(whole, "\n"), strings.Join(cut, "\n"))
			around, err := expand([]byte(`<o xmlns="u">` + c.within + `</o>`))
			require.NoError(t, err)
			require.Equal(t, cut, around[1:len(around)-1])
		})
	}
}
