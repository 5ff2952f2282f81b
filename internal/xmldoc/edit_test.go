package xmldoc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/xmldoc"
)

const account = `<a xmlns="u" id="1"><b>x</b><c d="e"><f></f></c><g></g></a>`

func at(t testing.TB, doc []byte, path string) xmldoc.Node {
	t.Helper()
	n := xmldoc.MustPath(xmldoc.Namespaces{"u": "u", "v": "v"}, path).Find(xmldoc.Document(doc))
	require.True(t, n.Exists(), path)
	return n
}

func TestEditor_Apply(t *testing.T) {
	doc := []byte(account)
	child := xmldoc.Root([]byte(`<n xmlns="u">1</n>`))
	foreign := xmldoc.Root([]byte(`<p:n xmlns:p="v"><m></m></p:n>`))
	for name, c := range map[string]struct {
		edit func(e *xmldoc.Editor)
		want string
	}{
		"Nothing": {func(*xmldoc.Editor) {}, account},
		"Text": {func(e *xmldoc.Editor) { e.SetText(at(t, doc, "u:a/u:b"), "1 < 2") },
			`<a xmlns="u" id="1"><b>1 &lt; 2</b><c d="e"><f></f></c><g></g></a>`},
		"TextOfEmpty": {func(e *xmldoc.Editor) { e.SetText(at(t, doc, "u:a/u:g"), "y") },
			`<a xmlns="u" id="1"><b>x</b><c d="e"><f></f></c><g>y</g></a>`},
		"TextToNothing": {func(e *xmldoc.Editor) { e.SetText(at(t, doc, "u:a/u:b"), "") },
			`<a xmlns="u" id="1"><b></b><c d="e"><f></f></c><g></g></a>`},
		"TextOverChild": {func(e *xmldoc.Editor) { e.SetText(at(t, doc, "u:a/u:c"), "y") },
			`<a xmlns="u" id="1"><b>x</b><c d="e">y</c><g></g></a>`},
		"Value": {func(e *xmldoc.Editor) { e.SetText(at(t, doc, "u:a/@id"), `"2"`) },
			`<a xmlns="u" id="&quot;2&quot;"><b>x</b><c d="e"><f></f></c><g></g></a>`},
		"Attr": {func(e *xmldoc.Editor) { e.SetAttr(at(t, doc, "u:a/u:c"), "d", "\n") },
			`<a xmlns="u" id="1"><b>x</b><c d="&#10;"><f></f></c><g></g></a>`},
		"AttrNew": {func(e *xmldoc.Editor) { e.SetAttr(at(t, doc, "u:a/u:c"), "h", "i") },
			`<a xmlns="u" id="1"><b>x</b><c d="e" h="i"><f></f></c><g></g></a>`},
		"AttrFirst": {func(e *xmldoc.Editor) { e.SetAttr(at(t, doc, "u:a/u:g"), "h", "") },
			`<a xmlns="u" id="1"><b>x</b><c d="e"><f></f></c><g h=""></g></a>`},
		"Append": {func(e *xmldoc.Editor) { e.Append(at(t, doc, "u:a/u:c"), child) },
			`<a xmlns="u" id="1"><b>x</b><c d="e"><f></f><n>1</n></c><g></g></a>`},
		"AppendToEmpty": {func(e *xmldoc.Editor) { e.Append(at(t, doc, "u:a/u:g"), child) },
			`<a xmlns="u" id="1"><b>x</b><c d="e"><f></f></c><g><n>1</n></g></a>`},
		"Prepend": {func(e *xmldoc.Editor) { e.Prepend(at(t, doc, "u:a/u:c"), child) },
			`<a xmlns="u" id="1"><b>x</b><c d="e"><n>1</n><f></f></c><g></g></a>`},
		"Before": {func(e *xmldoc.Editor) { e.Before(at(t, doc, "u:a/u:c"), child) },
			`<a xmlns="u" id="1"><b>x</b><n>1</n><c d="e"><f></f></c><g></g></a>`},
		"After": {func(e *xmldoc.Editor) { e.After(at(t, doc, "u:a/u:c"), child) },
			`<a xmlns="u" id="1"><b>x</b><c d="e"><f></f></c><n>1</n><g></g></a>`},
		"Replace": {func(e *xmldoc.Editor) { e.Replace(at(t, doc, "u:a/u:c"), child) },
			`<a xmlns="u" id="1"><b>x</b><n>1</n><g></g></a>`},
		"ReplaceRoot": {func(e *xmldoc.Editor) { e.Replace(at(t, doc, "u:a"), child) }, `<n xmlns="u">1</n>`},
		"Foreign": {func(e *xmldoc.Editor) { e.Append(at(t, doc, "u:a"), foreign) },
			`<a xmlns="u" id="1"><b>x</b><c d="e"><f></f></c><g></g><p:n xmlns:p="v" xmlns=""><m></m></p:n></a>`},
		"OwnNode": {func(e *xmldoc.Editor) { e.After(at(t, doc, "u:a/u:g"), at(t, doc, "u:a/u:c")) },
			`<a xmlns="u" id="1"><b>x</b><c d="e"><f></f></c><g></g><c d="e"><f></f></c></a>`},
		"Delete": {func(e *xmldoc.Editor) { e.Delete(at(t, doc, "u:a/u:c")) },
			`<a xmlns="u" id="1"><b>x</b><g></g></a>`},
		"DeleteOnly": {func(e *xmldoc.Editor) { e.Delete(at(t, doc, "u:a/u:c/u:f")) },
			`<a xmlns="u" id="1"><b>x</b><c d="e"></c><g></g></a>`},
		"TwoAttrs": {func(e *xmldoc.Editor) {
			e.SetAttr(at(t, doc, "u:a/u:g"), "x", "1")
			e.SetAttr(at(t, doc, "u:a/u:g"), "y", "\uFFFD")
			e.SetText(at(t, doc, "u:a/u:g"), "z")
		}, `<a xmlns="u" id="1"><b>x</b><c d="e"><f></f></c><g x="1" y="�">z</g></a>`},
		"Many": {func(e *xmldoc.Editor) {
			e.Append(at(t, doc, "u:a"), child)
			e.Delete(at(t, doc, "u:a/u:c"))
			e.SetText(at(t, doc, "u:a/u:b"), "z")
			e.SetAttr(at(t, doc, "u:a"), "id", "22")
			e.Before(at(t, doc, "u:a/u:c"), child)
			e.Before(at(t, doc, "u:a/u:c"), xmldoc.Root([]byte(`<o xmlns="u"></o>`)))
		}, `<a xmlns="u" id="22"><b>z</b><n>1</n><o></o><g></g><n>1</n></a>`},
	} {
		t.Run(name, func(t *testing.T) {
			e := xmldoc.Edit(doc)
			c.edit(e)
			out, err := e.Apply([]byte("kept"))
			require.NoError(t, err)
			require.Equal(t, "kept"+c.want, string(out))
			require.Equal(t, account, string(doc))

			again, err := xmldoc.Admit([]byte(c.want), xmldoc.Limits{})
			require.NoError(t, err)
			require.Equal(t, c.want, string(again), "the result is in the normal form")
		})
	}
}

func TestEditor_Refused(t *testing.T) {
	doc := []byte(account)
	other := []byte(account)
	child := xmldoc.Root([]byte(`<n></n>`))
	for name, c := range map[string]struct {
		edit func(e *xmldoc.Editor)
		want error
	}{
		"Twice": {func(e *xmldoc.Editor) { e.Delete(at(t, doc, "u:a/u:c")); e.Delete(at(t, doc, "u:a/u:c")) },
			xmldoc.ErrOverlap},
		"WithinDeleted": {func(e *xmldoc.Editor) {
			e.SetText(at(t, doc, "u:a/u:c/u:f"), "x")
			e.Delete(at(t, doc,
				"u:a/u:c"))
		}, xmldoc.ErrOverlap},
		"OtherDocument": {func(e *xmldoc.Editor) { e.Delete(at(t, other, "u:a/u:c")) }, xmldoc.ErrNode},
		"Missing":       {func(e *xmldoc.Editor) { e.SetText(xmldoc.Node{}, "x") }, xmldoc.ErrNode},
		"MissingChild":  {func(e *xmldoc.Editor) { e.Append(at(t, doc, "u:a"), xmldoc.Node{}) }, xmldoc.ErrNode},
		"DeleteValue":   {func(e *xmldoc.Editor) { e.Delete(at(t, doc, "u:a/@id")) }, xmldoc.ErrNode},
		"InsertValue":   {func(e *xmldoc.Editor) { e.Append(at(t, doc, "u:a"), at(t, doc, "u:a/@id")) }, xmldoc.ErrNode},
		"AfterDocument": {func(e *xmldoc.Editor) { e.After(xmldoc.Document(doc), child) }, xmldoc.ErrNode},
		"DeleteRoot":    {func(e *xmldoc.Editor) { e.Delete(at(t, doc, "u:a")) }, xmldoc.ErrNode},
		"BeforeRoot":    {func(e *xmldoc.Editor) { e.Before(at(t, doc, "u:a"), child) }, xmldoc.ErrNode},
		"AfterRoot":     {func(e *xmldoc.Editor) { e.After(at(t, doc, "u:a"), child) }, xmldoc.ErrNode},
		"AttrTwice": {func(e *xmldoc.Editor) {
			e.SetAttr(at(t, doc, "u:a/u:g"), "x", "1")
			e.SetAttr(at(t, doc, "u:a/u:g"), "x", "2")
		}, xmldoc.ErrOverlap},
		"TextTwice": {func(e *xmldoc.Editor) {
			e.SetText(at(t, doc, "u:a/u:g"), "1")
			e.SetText(at(t, doc, "u:a/u:g"),
				"2")
		}, xmldoc.ErrOverlap},
		"TextAndAppend": {func(e *xmldoc.Editor) {
			e.SetText(at(t, doc, "u:a/u:b"), "1")
			e.Append(at(t, doc, "u:a/u:b"),
				child)
		}, xmldoc.ErrOverlap},
		"TextAndPrepend": {func(e *xmldoc.Editor) {
			e.Prepend(at(t, doc, "u:a/u:g"), child)
			e.SetText(at(t, doc, "u:a/u:g"),
				"1")
		}, xmldoc.ErrOverlap},
		"Control":        {func(e *xmldoc.Editor) { e.SetText(at(t, doc, "u:a/u:b"), "\x01") }, xmldoc.ErrText},
		"BrokenUTF8":     {func(e *xmldoc.Editor) { e.SetAttr(at(t, doc, "u:a"), "id", "\xEF") }, xmldoc.ErrText},
		"AttrName":       {func(e *xmldoc.Editor) { e.SetAttr(at(t, doc, "u:a"), "x y", "1") }, xmldoc.ErrText},
		"AttrPrefix":     {func(e *xmldoc.Editor) { e.SetAttr(at(t, doc, "u:a"), "p:x", "1") }, xmldoc.ErrText},
		"AttrXMLNS":      {func(e *xmldoc.Editor) { e.SetAttr(at(t, doc, "u:a"), "xmlns", "v") }, xmldoc.ErrText},
		"OtherDocuments": {func(e *xmldoc.Editor) { e.Replace(child, child) }, xmldoc.ErrNode},
	} {
		t.Run(name, func(t *testing.T) {
			e := xmldoc.Edit(doc)
			c.edit(e)
			out, err := e.Apply([]byte("kept"))
			require.ErrorIs(t, err, c.want)
			require.Equal(t, "kept", string(out), "nothing half done")
		})
	}
}
