package xmldoc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/xmldoc"
)

const account = `<a xmlns="u" id="1"><b>x</b><c d="e"><f></f></c><g></g></a>`

// edit changes the document account; n finds a node by its path below the root.
type edit func(e *xmldoc.Editor, n func(path string) xmldoc.Node)

func (change edit) apply(t *testing.T) (string, error) {
	t.Helper()
	doc := []byte(account)
	e := xmldoc.Edit(doc)
	change(e, func(path string) xmldoc.Node {
		n := xmldoc.MustPath(xmldoc.Namespaces{"u": "u"}, "u:a"+path).Find(xmldoc.Document(doc))
		require.True(t, n.Exists(), path)
		return n
	})
	out, err := e.Apply([]byte("kept"))
	require.Equal(t, account, string(doc))
	return string(out), err
}

func TestEditor_Apply(t *testing.T) {
	child := xmldoc.Root([]byte(`<n xmlns="u">1</n>`))
	foreign := xmldoc.Root([]byte(`<p:n xmlns:p="v"><m></m></p:n>`))
	type node = func(path string) xmldoc.Node
	for name, c := range map[string]struct {
		change   edit
		from, to string // what it replaces, and by what
	}{
		"Nothing":     {func(*xmldoc.Editor, node) {}, "", ""},
		"Text":        {func(e *xmldoc.Editor, n node) { e.SetText(n("/u:b"), "1 < 2") }, ">x<", ">1 &lt; 2<"},
		"TextOfEmpty": {func(e *xmldoc.Editor, n node) { e.SetText(n("/u:g"), "y") }, "<g>", "<g>y"},
		"TextToNothing": {func(e *xmldoc.Editor, n node) { e.SetText(n("/u:b"), "") },
			">x<", "><"},
		"TextOverChild": {func(e *xmldoc.Editor, n node) { e.SetText(n("/u:c"), "y") }, "<f></f>", "y"},
		"Value":         {func(e *xmldoc.Editor, n node) { e.SetText(n("/@id"), `"2"`) }, `"1"`, `"&quot;2&quot;"`},
		"Attr":          {func(e *xmldoc.Editor, n node) { e.SetAttr(n("/u:c"), "d", "\n") }, `"e"`, `"&#10;"`},
		"AttrNew":       {func(e *xmldoc.Editor, n node) { e.SetAttr(n("/u:c"), "h", "i") }, `"e"`, `"e" h="i"`},
		"AttrFirst":     {func(e *xmldoc.Editor, n node) { e.SetAttr(n("/u:g"), "h", "") }, `<g>`, `<g h="">`},
		"Append":        {func(e *xmldoc.Editor, n node) { e.Append(n("/u:c"), child) }, "</c>", "<n>1</n></c>"},
		"AppendToEmpty": {func(e *xmldoc.Editor, n node) { e.Append(n("/u:g"), child) }, "</g>", "<n>1</n></g>"},
		"Foreign": {func(e *xmldoc.Editor, n node) { e.Append(n(""), foreign) },
			"</a>", `<p:n xmlns:p="v" xmlns=""><m></m></p:n></a>`},
		"OwnNode":    {func(e *xmldoc.Editor, n node) { e.Append(n("/u:g"), n("/u:b")) }, "<g>", "<g><b>x</b>"},
		"Delete":     {func(e *xmldoc.Editor, n node) { e.Delete(n("/u:c")) }, `<c d="e"><f></f></c>`, ""},
		"DeleteOnly": {func(e *xmldoc.Editor, n node) { e.Delete(n("/u:c/u:f")) }, "<f></f>", ""},
		"TwoAttrs": {func(e *xmldoc.Editor, n node) {
			e.SetAttr(n("/u:g"), "x", "1")
			e.SetAttr(n("/u:g"), "y", "\uFFFD")
			e.SetText(n("/u:g"), "z")
		}, "<g>", `<g x="1" y="�">z`},
		"Many": {func(e *xmldoc.Editor, n node) {
			e.Append(n(""), child)
			e.Delete(n("/u:c"))
			e.SetText(n("/u:b"), "z")
			e.SetAttr(n(""), "id", "22")
			e.Append(n(""), xmldoc.Root([]byte(`<o xmlns="u"></o>`)))
		}, account, `<a xmlns="u" id="22"><b>z</b><g></g><n>1</n><o></o></a>`},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.Replace(account, c.from, c.to, 1)
			out, err := c.change.apply(t)
			require.NoError(t, err)
			require.Equal(t, "kept"+want, out)

			again, err := xmldoc.Admit([]byte(want), xmldoc.Limits{})
			require.NoError(t, err)
			require.Equal(t, want, string(again), "the result is in the normal form")
		})
	}
}

func TestEditor_Refused(t *testing.T) {
	other := xmldoc.Root([]byte(account))
	type node = func(path string) xmldoc.Node
	for name, c := range map[string]struct {
		want   error
		change edit
	}{
		"Twice": {xmldoc.ErrOverlap, func(e *xmldoc.Editor, n node) { e.Delete(n("/u:c")); e.Delete(n("/u:c")) }},
		"WithinDeleted": {xmldoc.ErrOverlap, func(e *xmldoc.Editor, n node) {
			e.SetText(n("/u:c/u:f"), "x")
			e.Delete(n("/u:c"))
		}},
		"OtherDocument": {xmldoc.ErrNode, func(e *xmldoc.Editor, _ node) { e.Append(other, other) }},
		"Missing":       {xmldoc.ErrNode, func(e *xmldoc.Editor, _ node) { e.SetText(xmldoc.Node{}, "x") }},
		"MissingChild":  {xmldoc.ErrNode, func(e *xmldoc.Editor, n node) { e.Append(n(""), xmldoc.Node{}) }},
		"DeleteValue":   {xmldoc.ErrNode, func(e *xmldoc.Editor, n node) { e.Delete(n("/@id")) }},
		"InsertValue":   {xmldoc.ErrNode, func(e *xmldoc.Editor, n node) { e.Append(n(""), n("/@id")) }},
		"Document":      {xmldoc.ErrNode, func(e *xmldoc.Editor, _ node) { e.Append(xmldoc.Document(nil), other) }},
		"DeleteRoot":    {xmldoc.ErrNode, func(e *xmldoc.Editor, n node) { e.Delete(n("")) }},
		"AttrTwice": {xmldoc.ErrOverlap, func(e *xmldoc.Editor, n node) {
			e.SetAttr(n("/u:g"), "x", "1")
			e.SetAttr(n("/u:g"), "x", "2")
		}},
		"TextTwice": {xmldoc.ErrOverlap, func(e *xmldoc.Editor, n node) {
			e.SetText(n("/u:g"), "1")
			e.SetText(n("/u:g"), "2")
		}},
		"TextAndAppend": {xmldoc.ErrOverlap, func(e *xmldoc.Editor, n node) {
			e.SetText(n("/u:b"), "1")
			e.Append(n("/u:b"), other)
		}},
		"AppendAndText": {xmldoc.ErrOverlap, func(e *xmldoc.Editor, n node) {
			e.Append(n("/u:g"), other)
			e.SetText(n("/u:g"), "1")
		}},
		"Control":    {xmldoc.ErrText, func(e *xmldoc.Editor, n node) { e.SetText(n("/u:b"), "\x01") }},
		"BrokenUTF8": {xmldoc.ErrText, func(e *xmldoc.Editor, n node) { e.SetAttr(n(""), "id", "\xEF") }},
		"AttrName":   {xmldoc.ErrText, func(e *xmldoc.Editor, n node) { e.SetAttr(n(""), "x y", "1") }},
		"AttrPrefix": {xmldoc.ErrText, func(e *xmldoc.Editor, n node) { e.SetAttr(n(""), "p:x", "1") }},
		"AttrXMLNS":  {xmldoc.ErrText, func(e *xmldoc.Editor, n node) { e.SetAttr(n(""), "xmlns", "v") }},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := c.change.apply(t)
			require.ErrorIs(t, err, c.want)
			require.Equal(t, "kept", out, "nothing half done")
		})
	}
}
