package xmldoc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/xmldoc"
)

func TestCanonical(t *testing.T) {
	for name, c := range map[string]struct{ doc, want string }{
		"AsIs":        {`<a xmlns="u" b="c"><d>e</d></a>`, `<a xmlns="u" b="c"><d>e</d></a>`},
		"NoNamespace": {`<a b="c"><d></d></a>`, `<a b="c"><d></d></a>`},
		"Unused":      {`<a xmlns="u" xmlns:p="v"><b></b></a>`, `<a xmlns="u"><b></b></a>`},
		"Later": {`<a xmlns="u" xmlns:p="v"><b></b><p:c></p:c><p:d></p:d></a>`,
			`<a xmlns="u"><b></b><p:c xmlns:p="v"></p:c><p:d xmlns:p="v"></p:d></a>`},
		"Once": {`<p:a xmlns:p="v"><p:b xmlns:p="v"><p:c xmlns:p="v"></p:c></p:b></p:a>`,
			`<p:a xmlns:p="v"><p:b><p:c></p:c></p:b></p:a>`},
		"Default": {`<p:a xmlns="u" xmlns:p="v"><b></b></p:a>`, `<p:a xmlns:p="v"><b xmlns="u"></b></p:a>`},
		"Changing": {`<p:a xmlns:p="v"><p:b xmlns:p="w"></p:b><p:c></p:c></p:a>`,
			`<p:a xmlns:p="v"><p:b xmlns:p="w"></p:b><p:c></p:c></p:a>`},
		"OfAttributes": {`<a xmlns:q="w" xmlns:p="v" c="1" p:d="2" q:e="3"></a>`,
			`<a xmlns:p="v" xmlns:q="w" c="1" p:d="2" q:e="3"></a>`},
		"Undone": {`<a xmlns="u"><b xmlns=""><c xmlns=""></c></b><d></d></a>`,
			`<a xmlns="u"><b xmlns=""><c></c></b><d></d></a>`},
		"UndoneNeedless": {`<a xmlns=""><b xmlns=""></b></a>`, `<a><b></b></a>`},
		"XML":            {`<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:lang="de"></a>`, `<a xml:lang="de"></a>`},
		"None":           {`<a xmlns="" b="c"></a>`, `<a b="c"></a>`},
		"InText":         {`<a xmlns="u">the word xmlns</a>`, `<a xmlns="u">the word xmlns</a>`},
		"Many": {`<a xmlns:a="1" xmlns:b="2" xmlns:c="3" xmlns:d="4" xmlns:e="5"><e:f><d:g></d:g></e:f><d:h ` +
			`a:i=""></d:h></a>`, `<a><e:f xmlns:e="5"><d:g xmlns:d="4"></d:g></e:f><d:h xmlns:d="4" xmlns:a="1" ` +
			`a:i=""></d:h></a>`},
		"Escaped": {`<a xmlns:p="x&amp;y">1 &lt; 2<p:b></p:b>\n</a>`,
			`<a>1 &lt; 2<p:b xmlns:p="x&amp;y"></p:b>\n</a>`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, string(xmldoc.CanonicalDocument([]byte(c.doc))))
			requireCanonical(t, []byte(c.doc))
		})
	}
	// The deepest document that is admitted is like any other.
	deep := strings.Repeat("<a>", xmldoc.MaxDepth-2)
	closed := strings.Repeat("</a>", xmldoc.MaxDepth-2)
	outer := `<a xmlns:p="v">` + deep + `<b></b>` + closed + `<p:c></p:c></a>`
	inner := `<a>` + deep + `<b></b>` + closed + `<p:c xmlns:p="v"></p:c></a>`
	require.Equal(t, string(xmldoc.Canonical([]byte(inner))), string(xmldoc.Canonical([]byte(outer))))
	for _, garbage := range []string{"", "<", "<a", "<a xmlns", `<a xmlns="`, "</a>", "<a></a></a></a>", "x", "<a>x",
		`<a b="`} {
		require.NotPanics(t, func() { xmldoc.Canonical([]byte(garbage)) }, garbage)
	}
}

// requireCanonical requires that the canonical form of a document means the same, is in the normal form and is
// canonical itself.
func requireCanonical(t *testing.T, doc []byte) {
	t.Helper()
	canonical := xmldoc.CanonicalDocument(doc)
	want, err := expand(doc)
	require.NoError(t, err)
	got, err := expand(canonical)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, string(canonical), string(xmldoc.CanonicalDocument(canonical)))
	require.Equal(t, string(xmldoc.Canonical(doc)), string(xmldoc.Canonical(canonical)),
		"it depends on the content alone")
	again, err := xmldoc.Admit(canonical, xmldoc.Limits{Bytes: 1 << 30})
	if err != nil {
		requireRefusal(t, err, xmldoc.TooLarge, 0, 0, "")
		return
	}
	require.Equal(t, string(canonical), string(again))
}

// A namespace with a long name is written once, not once for each of many elements.
func TestCanonical_Size(t *testing.T) {
	uri := "urn:" + strings.Repeat("x", 900)
	doc := []byte(`<a xmlns:p="` + uri + `">` + strings.Repeat("<p:b></p:b>", 10_000) + "</a>")
	require.Less(t, len(xmldoc.Canonical(doc)), 2*len(doc))
	require.NotEqual(t, xmldoc.Canonical([]byte(`<a xmlns:p="0"><p:b></p:b><p:b></p:b></a>`)),
		xmldoc.Canonical([]byte(`<a xmlns:p="1"><p:b></p:b><p:b></p:b></a>`)))
}

// An element cut out of a document equals one that another program has cut out with other declarations.
func TestCanonical_OfParts(t *testing.T) {
	for _, c := range []struct{ doc, elsewhere string }{
		{`<f xmlns="u" xmlns:p="v" xmlns:q="w"><o a="1"><p:b q:c="p:d"></p:b></o></f>`,
			`<o xmlns:q="w" xmlns="u" xmlns:p="v" a="1"><p:b q:c="p:d"></p:b></o>`},
		{`<f xmlns="u" xmlns:f="u"><f:o></f:o></f>`, `<f:o xmlns:f="u"></f:o>`},
		{`<p:f xmlns:p="u"><o xmlns="u" t="p:x"></o></p:f>`, `<o xmlns="u" t="p:x"></o>`},
	} {
		o := xmldoc.MustPath(xmldoc.Namespaces{"u": "u"}, "u:f/u:o").Find(xmldoc.Document([]byte(c.doc)))
		require.Equal(t, string(xmldoc.Canonical([]byte(c.elsewhere))), string(xmldoc.Canonical(o.AppendStandalone(nil))))
	}
}
