package schema

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// compiled makes a validator of a schema's declarations, in the namespace urn-t. Documents have the element r as root.
func compiled(t testing.TB, declarations string) *Validator {
	t.Helper()
	v, err := Compile("t.xsd", []byte(`<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn-t"
		targetNamespace="urn-t" elementFormDefault="qualified">`+declarations+`</xs:schema>`), "r")
	require.NoError(t, err, declarations)
	return v
}

// TestAutomaton_Words: for models of all kinds, every sequence of up to five children gets the engine's verdict, and a
// mistake of structure is found exactly if the engine finds one.
func TestAutomaton_Words(t *testing.T) {
	const a, b, c = "a", "b", "c"
	el := func(name, occurs string) string {
		return `<xs:element name="` + name + `" type="nothing" ` + occurs + `/>`
	}
	for name, model := range map[string]string{
		"Empty": `<xs:sequence/>`,
		"Sequence": `<xs:sequence>` + el(a, "") + el(b, `minOccurs="0"`) + el(c, `minOccurs="2" maxOccurs="3"`) +
			`</xs:sequence>`,
		"Choice":   `<xs:choice minOccurs="2" maxOccurs="4">` + el(a, "") + el(b, "") + `</xs:choice>`,
		"All":      `<xs:all>` + el(a, "") + el(b, `minOccurs="0"`) + el(c, "") + `</xs:all>`,
		"AllOrNot": `<xs:all minOccurs="0">` + el(a, "") + el(b, "") + `</xs:all>`,
		"Groups": `<xs:sequence><xs:sequence minOccurs="0" maxOccurs="unbounded">` + el(a, "") + el(b, `maxOccurs="2"`) +
			`</xs:sequence>` + el(c, "") + `</xs:sequence>`,
		"Pairs": `<xs:sequence minOccurs="2" maxOccurs="3">` + el(a, "") + el(b, `minOccurs="0"`) + `</xs:sequence>`,
		"Nested": `<xs:choice><xs:sequence>` + el(a, "") + `<xs:choice minOccurs="0" maxOccurs="unbounded">` + el(b, "") +
			el(c, "") + `</xs:choice></xs:sequence><xs:sequence>` + el(b, `minOccurs="3" maxOccurs="5"`) +
			`</xs:sequence></xs:choice>`,
		"OptionalChoice": `<xs:choice>` + el(a, `minOccurs="0"`) + `<xs:sequence>` + el(b, "") + el(c, `minOccurs="0"`) +
			`</xs:sequence></xs:choice>`,
		"Never": `<xs:sequence>` + el(a, "") + el(b, `minOccurs="0" maxOccurs="0"`) + `</xs:sequence>`,
		"Substitution": `<xs:sequence><xs:element ref="head" maxOccurs="unbounded"/>` + el(b, `minOccurs="0"`) +
			`</xs:sequence>`,
		"Recursion": `<xs:sequence><xs:element ref="r" minOccurs="0"/>` + el(a, `minOccurs="0" maxOccurs="unbounded"`) +
			`</xs:sequence>`,
	} {
		for _, mixed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, "/mixed=", mixed), func(t *testing.T) {
				v := compiled(t, `<xs:complexType name="nothing"><xs:sequence/></xs:complexType>
					<xs:element name="head" abstract="true" type="xs:string"/>
					<xs:element name="a" substitutionGroup="head" type="xs:string"/>
					<xs:element name="c" substitutionGroup="head" type="xs:string"/>
					<xs:element name="r"><xs:complexType mixed="`+fmt.Sprint(mixed)+`">`+model+`</xs:complexType></xs:element>`)
				require.NotNil(t, v.fast)
				engine, read := bareEngine(t, v), &structure{}
				yes := 0
				eachWord("abc", 5, func(word string) {
					children := ""
					for _, letter := range word {
						children += "<" + string(letter) + "/>"
					}
					for _, text := range []string{
						`<r xmlns="urn-t">` + children + `</r>`,
						`<r xmlns="urn-t"> ` + children + `</r>`,
						`<r xmlns="urn-t">` + children + `x</r>`,
						`<r xmlns="urn-t"><r>` + children + `</r></r>`,
						`<r xmlns="urn-t"><head/>` + children + `</r>`,
					} {
						doc := admitted(t, []byte(text))
						words := engine.validate(doc)
						read.read(v.fast, doc, false)
						wrong := slices.ContainsFunc(read.mistakes, func(m mistake) bool { return !m.blank })
						if wrong != (words != nil) {
							require.Fail(t, "the structure differs", "%s: %v", doc, words)
						}
						// Explanations are slow, so only documents that were accepted are checked again.
						valid := words == nil && v.judge(doc) == nil
						if valid != v.fast.accept(doc) {
							require.Fail(t, "the fast way differs", "%s: %v", doc, v.judge(doc))
						}
						if valid {
							yes++
						}
					}
				})
				require.Positive(t, yes)
			})
		}
	}
}

// eachWord calls do with every word of up to n letters.
func eachWord(letters string, n int, do func(string)) {
	words := []string{""}
	for ; n >= 0; n-- {
		var longer []string
		for _, word := range words {
			do(word)
			for _, letter := range letters {
				longer = append(longer, word+string(letter))
			}
		}
		words = longer
	}
}

// Two types may allow the same children, but only one of them text.
func TestAutomaton_MixedBesideUnmixed(t *testing.T) {
	v := compiled(t, `<xs:element name="c" type="xs:string"/><xs:element name="r"><xs:complexType><xs:sequence>
		<xs:element name="m"><xs:complexType mixed="true"><xs:sequence><xs:element ref="c"/></xs:sequence></xs:complexType>
		</xs:element>
		<xs:element name="p"><xs:complexType><xs:sequence><xs:element ref="c"/></xs:sequence></xs:complexType></xs:element>
		</xs:sequence></xs:complexType></xs:element>`)
	require.True(t, accepted(t, v, []byte(`<r xmlns="urn-t"><m>x<c/>x</m><p> <c/> </p></r>`)))
	require.False(t, accepted(t, v, []byte(`<r xmlns="urn-t"><m>x<c/>x</m><p>x<c/></p></r>`)))
	require.False(t, accepted(t, v, []byte(`<r xmlns="urn-t"><m>x<c/>x</m><p><c/>x</p></r>`)))
}

// A name that begins like another is a different name.
func TestAutomaton_NamesAlike(t *testing.T) {
	v := compiled(t, `<xs:element name="r"><xs:complexType><xs:choice><xs:element name="a" type="xs:string"/>
		<xs:element name="ab" type="xs:date"/>
		</xs:choice></xs:complexType></xs:element>`)
	require.True(t, accepted(t, v, []byte(`<r xmlns="urn-t"><ab>2026-11-21</ab></r>`)))
	require.False(t, accepted(t, v, []byte(`<r xmlns="urn-t"><ab>today</ab></r>`)))
	require.False(t, accepted(t, v, []byte(`<r xmlns="urn-t"><a>today</ab></r>`)))
}

// Nesting that is too deep for the automaton is left to the engine.
func TestAutomaton_Nesting(t *testing.T) {
	v := compiled(t,
		`<xs:element name="r"><xs:complexType><xs:sequence><xs:element ref="r" `+
			`minOccurs="0"/></xs:sequence></xs:complexType></xs:element>`)
	for depth := range maxNesting + 10 {
		doc := []byte(`<r xmlns="urn-t">` + strings.Repeat("<r>", depth) + strings.Repeat("</r>", depth) + `</r>`)
		require.Equal(t, depth < maxNesting, v.fast.accept(doc), depth)
		require.NoError(t, v.Validate(doc))
	}
}

// Elements without a namespace are refused in a document whose only declaration puts all elements into a namespace.
func TestAutomaton_Unqualified(t *testing.T) {
	v, err := Compile("t.xsd", []byte(`<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn-t">
		<xs:element name="r"><xs:complexType><xs:sequence><xs:element name="a" type="xs:string" minOccurs="0"/>
		</xs:sequence></xs:complexType></xs:element></xs:schema>`), "r")
	require.NoError(t, err)
	require.True(t, accepted(t, v, []byte(`<r xmlns="urn-t"></r>`)))
	require.False(t, accepted(t, v, []byte(`<r xmlns="urn-t"><a/></r>`)))
}

// A schema with a construct that the grammar does not support has no automaton.
func TestAutomaton_UnfamiliarSchema(t *testing.T) {
	for name, declarations := range map[string]string{
		"Key": `<xs:element name="r"><xs:complexType><xs:sequence><xs:element name="a" type="xs:string" maxOccurs="9"/>
			</xs:sequence></xs:complexType>
			<xs:unique name="u"><xs:selector xpath="*"/><xs:field xpath="."/></xs:unique></xs:element>`,
		"FixedElement": `<xs:element name="r" type="xs:string" fixed="a"/>`,
		"Nillable":     `<xs:element name="r" type="xs:string" nillable="true"/>`,
		"AbstractInDigits": `<xs:element name="a" abstract="1" type="xs:string"/>
			<xs:complexType name="t"><xs:sequence><xs:element ref="a"/></xs:sequence></xs:complexType>`,
		"AbstractType":   `<xs:complexType name="t" abstract="true"/>`,
		"FixedAttribute": `<xs:complexType name="t"><xs:attribute name="a" type="xs:string" fixed="x"/></xs:complexType>`,
		"Prohibited": `<xs:complexType name="t">
			<xs:attribute name="a" type="xs:string" use="prohibited"/></xs:complexType>`,
		"AnyAttribute": `<xs:complexType name="t"><xs:anyAttribute/></xs:complexType>`,
		"Any": `<xs:complexType name="t"><xs:sequence>
			<xs:any processContents="lax"/></xs:sequence></xs:complexType>`,
		"Group": `<xs:group name="g"><xs:sequence/></xs:group>
			<xs:complexType name="t"><xs:group ref="g"/></xs:complexType>`,
		"EmptyChoice": `<xs:complexType name="t"><xs:choice/></xs:complexType>`,
		"Union":       `<xs:simpleType name="t"><xs:union memberTypes="xs:int xs:date"/></xs:simpleType>`,
		"List":        `<xs:simpleType name="t"><xs:list itemType="xs:int"/></xs:simpleType>`,
		"TwoPatterns": `<xs:simpleType name="t"><xs:restriction base="xs:string">
			<xs:pattern value="a"/><xs:pattern value="b"/></xs:restriction></xs:simpleType>`,
		"RestrictionOfOwn": `<xs:simpleType name="t"><xs:restriction base="u"><xs:pattern value="[0-9]{2}"/>
			</xs:restriction></xs:simpleType>
			<xs:simpleType name="u"><xs:restriction base="xs:string"><xs:pattern value="1[0-9]"/></xs:restriction>
			</xs:simpleType>`,
		"Extension": `<xs:complexType name="u"><xs:sequence/></xs:complexType>
			<xs:complexType name="t"><xs:complexContent><xs:extension base="u"/></xs:complexContent></xs:complexType>`,
		"ExtensionOfComplex": `<xs:complexType name="u"><xs:simpleContent><xs:extension base="xs:string"/>
			</xs:simpleContent></xs:complexType>
			<xs:complexType name="t"><xs:simpleContent><xs:extension base="u"/></xs:simpleContent></xs:complexType>`,
		"ManyStates": `<xs:complexType name="t"><xs:sequence><xs:element name="a" type="xs:string" maxOccurs="600"/>
			<xs:element name="b" type="xs:string" maxOccurs="600"/></xs:sequence></xs:complexType>`,
		"LargeCount": `<xs:complexType name="t"><xs:sequence>
			<xs:element name="a" type="xs:string" maxOccurs="100000"/></xs:sequence></xs:complexType>`,
	} {
		if !strings.Contains(declarations, `name="r"`) {
			declarations += `<xs:element name="r" type="t"/>`
		}
		t.Run(name, func(t *testing.T) { require.Nil(t, compiled(t, declarations).fast) })
	}
}

// typesUnderTest are types that the checkers know and some that they do not, each with values that the automaton must
// accept. It may accept others, but only if the engine does too.
var typesUnderTest = []struct {
	name, restriction string // the latter of simpleType r, or the name of a built-in type
	usual             []string
}{
	{"String", "xs:string", []string{"", " ", "a", "]]&gt;", "&#9;", "\u00e5", "\U0001F4C8", "it's", "\r\n"}},
	{"Codes", restricted("string", "enumeration", "A&amp;B", "enumeration", "x y", "enumeration", ""),
		[]string{"A&amp;B", "x y", ""}},
	{"Tokens", restricted("NMTOKEN", "enumeration", "Yes", "enumeration", "7"), []string{"Yes", "7"}},
	{"OddCodes", restricted("string", "enumeration", "a&#9;b", "enumeration", "]]&gt;"), nil},
	{"NumberCodes", restricted("decimal", "enumeration", "1.0"), nil},
	{"Pattern", restricted("string", "pattern", "[0-9]{4}[01][0-9]([0-3wW][0-9])?"),
		[]string{"200401", "200412w2", "20041231"}},
	{"WildPattern", restricted("string", "pattern", `\d+|[^a-y]*`), nil},
	{"Length", restricted("string", "minLength", "1", "maxLength", "7"), []string{"A", "ABCDEFG", " "}},
	{"TokenLength", restricted("token", "minLength", "1", "maxLength", "7"), nil},
	{"Decimal", "xs:decimal", []string{"0", "-0", "1.5", "-.5", "1.", "00012", "123456789.123456789"}},
	{"Figure", restricted("decimal", "totalDigits", "13", "fractionDigits", "4", "minInclusive", "0"),
		[]string{"0", "0.0000", "999999999.9999", "1234567890123", ".5"}},
	{"Bounded", restricted("decimal", "minInclusive", "5"), nil},
	{"WholeDecimal", restricted("decimal", "fractionDigits", "0"), []string{"12"}},
	{"Integer", "xs:integer", []string{"0", "-1", "123456789012345678"}},
	{"Int", "xs:int", []string{"0", "-999999999", "007"}},
	{"Natural", "xs:nonNegativeInteger", []string{"0", "12"}},
	{"Positive", "xs:positiveInteger", []string{"1", "20"}},
	{"Date", "xs:date", []string{"0001-01-01", "2000-02-29", "2024-02-29", "9999-12-31", "2023-01-01Z",
		"2023-01-01-13:59"}},
	{"DateTime", "xs:dateTime", []string{"2023-01-01T00:00:00", "2023-12-31T23:59:59.999999999", "2023-01-01T00:00:00Z",
		"2023-01-01T00:00:00+05:30"}},
	{"Base64", "xs:base64Binary", []string{"", "AAAA", "AAA=", "AA==", "+/09", "//8="}},
	{"URI", "xs:anyURI", []string{"http://www.w3.org/2001/04/xmlenc#Content", "a/b.c"}},
	{"Boolean", "xs:boolean", nil},
	{"Double", "xs:double", nil},
	{"Name", "xs:NCName", nil},
	{"ID", "xs:ID", nil},
}

// restricted returns a restriction of a built-in type by facets and their values.
func restricted(base string, facets ...string) string {
	all := ""
	for facet := range slices.Chunk(facets, 2) {
		all += `<xs:` + facet[0] + ` value="` + facet[1] + `"/>`
	}
	return `<xs:restriction base="xs:` + base + `">` + all + `</xs:restriction>`
}

// TestAutomaton_Values: in elements and in attributes, what a checker accepts is valid.
func TestAutomaton_Values(t *testing.T) {
	pieces := strings.Split("0 1 2 9 00 12 29 31 - + . : T Z e INF 2023 2024 -02 -01 :00 = A Q g / +1 http:// # % ( a "+
		"B Yes [ ] ' > & \" \t \n \u00e5", " ")
	pieces = append(pieces, " ")
	for _, c := range typesUnderTest {
		t.Run(c.name, func(t *testing.T) {
			own, name := "", c.restriction
			if strings.HasPrefix(name, "<") {
				own, name = `<xs:simpleType name="own">`+name+`</xs:simpleType>`, "own"
			}
			v := compiled(t,
				own+`<xs:element name="r"><xs:complexType><xs:sequence><xs:element name="e" type="`+name+`" minOccurs="0"/>
				</xs:sequence><xs:attribute name="a" type="`+name+`"/></xs:complexType></xs:element>`)
			require.NotNil(t, v.fast)
			docs := func(value string) []string {
				return []string{`<r xmlns="urn-t"><e>` + value + `</e></r>`, `<r xmlns="urn-t" a="` + value + `"/>`}
			}
			for _, value := range c.usual {
				for _, doc := range docs(value) {
					require.True(t, accepted(t, v, []byte(doc)), "%q", doc)
				}
			}
			r := rand.New(rand.NewPCG(7, uint64(len(c.restriction))))
			odd := append([]string{}, rawValues...)
			for range 3000 {
				value := ""
				if r.IntN(2) == 0 && len(c.usual) > 0 {
					value = c.usual[r.IntN(len(c.usual))]
				}
				for range 1 + r.IntN(5) {
					at := r.IntN(len(value) + 1)
					value = value[:at] + pieces[r.IntN(len(pieces))] + value[min(at+r.IntN(2), len(value)):]
				}
				odd = append(odd, value)
			}
			taken := 0
			for _, value := range odd {
				for _, doc := range docs(value) {
					if accepted(t, v, []byte(doc)) {
						taken++
					}
				}
			}
			require.Equal(t, c.usual != nil, taken > 0)
		})
	}
}
