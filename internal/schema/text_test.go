package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSkipText: the automaton accepts exactly the text that the engine accepts, wherever in a word of eight bytes the
// critical byte is, except for character references that stored documents do not have.
func TestSkipText(t *testing.T) {
	v := compiled(t,
		`<xs:element name="r"><xs:complexType mixed="true"><xs:sequence/><xs:attribute name="a" `+
			`type="xs:string"/></xs:complexType></xs:element>`)
	engine := bareEngine(t, v)
	pieces := []string{
		"]]>", "]>", "]]", "&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&amp", "&AMP;", "&;", "&#;", "&#x;", "&#9;", "&#x9;",
		"&#8;", "&#65;", "&#x1F4C8;", "&#xD7FF;", "&#xD800;", "&#xE000;", "&#xFFFD;", "&#xFFFE;", "&#x10FFFF;", "&#x110000;",
		"&#X41;",
		"&#4294967361;", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\ufeff", "\ufffd", "\ufffe", "\uffff",
		"\U00010000",
		"\U0010ffff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xf0\x9f\x93", "\r\n",
	}
	for b := range 256 {
		pieces = append(pieces, string([]byte{byte(b)}))
	}
	const around = "it is text, like any other"
	taken := 0
	for _, piece := range pieces {
		number := strings.HasPrefix(piece, "&#") && !slices.Contains(references, piece)
		for at := range len(around) {
			text := around[:at] + piece + around[at:]
			for _, doc := range []string{
				`<r xmlns="urn-t">` + text + `</r>`,
				`<r xmlns="urn-t" a="` + text + `"/>`,
				`<r xmlns="urn-t" a='` + text + `'/>`,
			} {
				want := !number && engine.validate([]byte(doc)) == nil
				if v.fast.accept([]byte(doc)) != want {
					require.Fail(t, "the fast way differs", "engine: %v\n%q", want, doc)
				}
				if want {
					taken++
				}
			}
		}
	}
	require.Positive(t, taken)
}
