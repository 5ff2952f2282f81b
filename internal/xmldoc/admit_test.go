package xmldoc_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/xmldoc"
)

func TestAdmit_NormalForm(t *testing.T) {
	for name, c := range map[string]struct{ in, out string }{
		"Minimal":           {`<a/>`, `<a></a>`},
		"AsItIs":            {`<a b="c">d</a>`, `<a b="c">d</a>`},
		"Declaration":       {"<?xml version='1.0' encoding=\"UTF-8\" standalone='yes' ?>\n<a/>\n", `<a></a>`},
		"ByteOrderMark":     {"\xEF\xBB\xBF<a/>", `<a></a>`},
		"Misc":              {"<!-- x --><?p q?><a/><!----><?r?> \n", `<a></a>`},
		"SpaceInTags":       {"<a\n b = 'c'\td=\"e\"  ><f / ></f ></a >", ""},
		"Spaces":            {"<a\n b = 'c'\td=\"e\"  ><f  /></a >", `<a b="c" d="e"><f></f></a>`},
		"CommentInText":     {`<a>b<!-- c -->d<?e f?>g</a>`, `<a>bdg</a>`},
		"CDATA":             {"<a>x<![CDATA[<b>&amp;]]&]]>y</a>", `<a>x&lt;b&gt;&amp;amp;]]&amp;y</a>`},
		"CDATALineEnds":     {"<a><![CDATA[\r\n\r]]></a>", "<a>\n\n</a>"},
		"CDATAThenGreater":  {"<a><![CDATA[]]]]>&gt;</a>", "<a>]]&gt;</a>"},
		"TextEscapes":       {`<a>&lt;&gt;&amp;&quot;&apos;">'</a>`, `<a>&lt;&gt;&amp;"'"&gt;'</a>`},
		"ValueEscapes":      {`<a b='&lt;&gt;&amp;&quot;&apos;">'/>`, `<a b="&lt;&gt;&amp;&quot;'&quot;&gt;"></a>`},
		"ReferenceZeros":    {"<a>&#" + strings.Repeat("0", 50) + "65;</a>", "<a>A</a>"},
		"References":        {`<a b="&#65;&#x42;&#x1F600;">&#67;&#x0044;é&#233;</a>`, `<a b="AB😀">CDéé</a>`},
		"LineEnds":          {"<a>x\r\ny\rz\n</a>", "<a>x\ny\nz\n</a>"},
		"LineEndsInValues":  {"<a b='x\r\ny\rz\n\tw'/>", `<a b="x y z  w"></a>`},
		"KeptByReference":   {"<a b='&#9;&#10;&#13;'>&#9;&#10;&#13;</a>", "<a b=\"&#9;&#10;&#13;\">\t\n&#13;</a>"},
		"MixedSpaceKept":    {"<a> <b/> \n <c/></a>", "<a> <b></b> \n <c></c></a>"},
		"DeclarationsFirst": {`<a c="d" xmlns:p="u" p:e="f" xmlns="v"/>`, `<a xmlns:p="u" xmlns="v" c="d" p:e="f"></a>`},
		"SamePrefixInside": {`<p:a xmlns:p="u"><p:b xmlns:p="v" p:c="d"/></p:a>`,
			`<p:a xmlns:p="u"><p:b xmlns:p="v" p:c="d"></p:b></p:a>`},
		"DefaultUndone": {`<a xmlns="u"><b xmlns=""/></a>`, `<a xmlns="u"><b xmlns=""></b></a>`},
		"XMLPrefix": {`<a xml:lang="de" xmlns:xml="http://www.w3.org/XML/1998/namespace"/>`,
			`<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:lang="de"></a>`},
		"OneLocalNameTwoURIs": {`<a xmlns:p="u" xmlns:q="v" b="1" p:b="2" q:b="3"/>`,
			`<a xmlns:p="u" xmlns:q="v" b="1" p:b="2" q:b="3"></a>`},
		"ForeignNames": {`<Straße größe="1">€</Straße>`, `<Straße größe="1">€</Straße>`},
		"Astral":       {"<a>\U0001F600\U0010FFFD</a>", "<a>\U0001F600\U0010FFFD</a>"},
		"Deepest": {strings.Repeat("<a>", 64) + strings.Repeat("</a>", 64), strings.Repeat("<a>", 64) +
			strings.Repeat("</a>", 64)},
		"EscapedURI":     {`<p:a xmlns:p='x?a=1&#38;b=2'/>`, `<p:a xmlns:p="x?a=1&amp;b=2"></p:a>`},
		"ASCII":          {"<?xml version='1.0' encoding='us-ascii'?><a>&#233;</a>", "<a>é</a>"},
		"Latin1":         {"<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xE9'>\xFC</a>", `<a b="é">ü</a>`},
		"ManyAttributes": {"<a " + attributes(200) + "/>", "<a " + strings.TrimSpace(attributes(200)) + "></a>"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := xmldoc.Admit([]byte(c.in), xmldoc.Limits{})
			if c.out == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.out, string(out))

			again, err := xmldoc.Admit(out, xmldoc.Limits{})
			require.NoError(t, err)
			require.Equal(t, c.out, string(again), "the normal form is admitted as it is")
		})
	}
}

func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `a%d="%d" `, i, i)
	}
	return b.String()
}

func encode16(s string, order binary.ByteOrder) []byte {
	b := []byte{}
	for _, u := range utf16.Encode([]rune("\uFEFF" + s)) {
		b = append(b, 0, 0)
		order.PutUint16(b[len(b)-2:], u)
	}
	return b
}

func TestAdmit_UTF16(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, declaration := range []string{"", `<?xml version="1.0" encoding="UTF-16"?>`} {
			in := encode16(declaration+"<Zürich>€\U0001F600</Zürich>", order)
			out, err := xmldoc.Admit(in, xmldoc.Limits{})
			require.NoError(t, err)
			require.Equal(t, "<Zürich>€\U0001F600</Zürich>", string(out))

			_, err = xmldoc.Admit(in[:len(in)-1], xmldoc.Limits{})
			requireRefusal(t, err, xmldoc.Encoding, 0, 0, "half a character")
		}
	}
}

func requireRefusal(t testing.TB, err error, reason xmldoc.Reason, line, column int, says string) {
	t.Helper()
	var refusal *xmldoc.Error
	require.ErrorAs(t, err, &refusal)
	require.Contains(t, refusal.Msg, says)
	require.Equal(t, reason, refusal.Reason)
	if line > 0 {
		require.Equal(t, [2]int{line, column}, [2]int{refusal.Line, refusal.Column}, "position of %q", refusal.Msg)
	}
}

// Namespaces in XML requires URI references; names that some parser might refuse are refused here.
func TestAdmit_Namespaces(t *testing.T) {
	for uri, good := range map[string]bool{
		"urn:x": true, "relative": true, "http://a/b;c=d?e=f&amp;g#h": true, "a/b:c": true, "./a:b": true, "?": true,
		"#": true, "%41": true, "a#b?c/d": true,
		"http://[::1]:80/a": true, "http://user:p%20w@h:1/p;q=1?r#s": true, "//a": true, "x:": true, "a:b:c": true,
		"a+b.c-d:e": true, "file:///x/../y": true, "http://@/": true, "mailto:a@b": true,
		"~-._!$'()*+,;=:@": false, "x~-._!$'()*+,;=": true, "http://a?b[c]": false, "a b": false, " a": false, "a\b": false,
		"a|b": false, "{}": false, "^": false, "`": false, "é": false, "http://é/": false, "http://[": false,
		"http://[]/": false, "http://[zz]/": false, "http://[::1]x/": false, "http://a:/b": false, "http://a:x/": false,
		"http://a:99999999999/": false, "http://a@b@c/": false, "http://a/[x]": false,
		"%zz": false, "%": false, "%4": false, "##": false, ":": false, "1:": false, "1a:b": false, "+:x": false,
		"a&lt;b": false, "a&quot;b": false, "&#9;": false, "http://::1/": false,
	} {
		_, err := xmldoc.Admit([]byte(`<a xmlns:p="`+uri+`"/>`), xmldoc.Limits{})
		require.Equal(t, good, err == nil, "%s: %v", uri, err)
	}
}

func TestAdmit_LongNames(t *testing.T) {
	for _, format := range []string{"<%s/>", `<a %s="b"/>`, `<a xmlns:%s="b"/>`, `<a xmlns="%s"/>`,
		`<%s:a xmlns:%[1]s="b"/>`, "<a/><?%s?>"} {
		_, err := xmldoc.Admit(fmt.Appendf(nil, format, strings.Repeat("n", 1000)), xmldoc.Limits{})
		require.NoError(t, err, format)
		_, err = xmldoc.Admit(fmt.Appendf(nil, format, strings.Repeat("n", 1001)), xmldoc.Limits{})
		requireRefusal(t, err, xmldoc.TooLarge, 0, 0, "more than 1000 bytes")
	}
}

func TestAdmit_Refused(t *testing.T) {
	for reason, cases := range map[xmldoc.Reason]map[string]struct {
		in           string
		line, column int
		says         string
	}{
		xmldoc.Malformed: {
			"Empty":                {"", 1, 1, "no root element"},
			"OnlySpace":            {" \n ", 2, 2, "no root element"},
			"OnlyDeclaration":      {`<?xml version="1.0"?>`, 1, 22, "no root element"},
			"TextBefore":           {"x<a/>", 1, 1, "outside the root"},
			"TextAfter":            {"<a/>\n x", 2, 2, "outside the root"},
			"ReferenceAfter":       {"<a/>&#32;", 1, 5, "outside the root"},
			"CDATAAfter":           {"<a/><![CDATA[]]>", 1, 5, "malformed"},
			"TwoRoots":             {"<a/><b/>", 1, 5, "second root"},
			"NotClosed":            {"<a><b></b>", 1, 11, `inside element "a"`},
			"NotClosedText":        {"<a>b", 1, 5, `inside element "a"`},
			"Crossed":              {"<a>\n<b></a></b>", 2, 4, `end tag "a" where "b" is open`},
			"LongerEnd":            {"<a></ab>", 1, 4, `end tag "ab"`},
			"OnlyEnd":              {"</a>", 1, 1, "without a start tag"},
			"EndWithAttribute":     {`<a></a b="c">`, 1, 8, "U+0062"},
			"DeclarationLate":      {` <?xml version="1.0"?><a/>`, 1, 2, "very beginning"},
			"DeclarationCase":      {`<?XML version="1.0"?><a/>`, 1, 1, "very beginning"},
			"Version":              {`<?xml version="1.1"?><a/>`, 1, 15, "version"},
			"NoVersion":            {`<?xml encoding="UTF-8"?><a/>`, 1, 7, "malformed"},
			"EmptyDeclaration":     {`<?xml ?><a/>`, 1, 7, "lacks a version"},
			"DeclarationOrder":     {`<?xml version="1.0" standalone="no" encoding="UTF-8"?><a/>`, 1, 37, "malformed"},
			"Standalone":           {`<?xml version="1.0" standalone="maybe"?><a/>`, 1, 32, "yes or no"},
			"DeclarationOpen":      {`<?xml version="1.0"`, 1, 20, "malformed"},
			"NoName":               {"<>", 1, 2, "does not begin"},
			"NameSpace":            {"< a/>", 1, 2, "name is missing"},
			"NameDigit":            {"<1/>", 1, 2, `"1"`},
			"NameForeignBad":       {"<a×/>", 1, 2, "not a name"},
			"ColonFirst":           {"<:a/>", 1, 2, "begin"},
			"ColonLast":            {"<a:/>", 1, 4, "begin"},
			"TwoColons":            {"<a:b:c/>", 1, 5, "two colons"},
			"PrefixElement":        {"<p:a/>", 1, 2, `prefix "p"`},
			"PrefixAttribute":      {`<a p:b="c"/>`, 1, 4, `prefix "p"`},
			"PrefixOutOfScope":     {`<a><b xmlns:p="u"/><p:c/></a>`, 1, 21, `prefix "p"`},
			"PrefixBoundToNothing": {`<a xmlns:p=""/>`, 1, 4, "nothing"},
			"NamespaceBlank":       {`<a xmlns:p="a b"/>`, 1, 4, `"a b", is not a URI`},
			"NamespaceForeign":     {`<a><b xmlns="http://é"/></a>`, 1, 7, "is not a URI"},
			"IDNumber":             {`<a xml:id="1"/>`, 1, 4, `xml:id "1" is not a name`},
			"IDBlank":              {`<a xml:id=" a "/>`, 1, 4, "is not a name"},
			"IDTwice":              {`<a xml:id="a"><b xml:id="b"/><c xml:id="a"/></a>`, 1, 33, `xml:id "a" is used twice`},
			"PrefixXMLNS":          {`<a xmlns:xmlns="u"/>`, 1, 4, "cannot be bound"},
			"PrefixXML":            {`<a xmlns:xml="u"/>`, 1, 4, "cannot be bound"},
			"URIofXML":             {`<a xmlns="http://www.w3.org/XML/1998/namespace"/>`, 1, 4, "cannot be bound"},
			"URIofXMLNS":           {`<a xmlns:p="http://www.w3.org/2000/xmlns/"/>`, 1, 4, "cannot be bound"},
			"ElementXMLNS":         {`<xmlns:a/>`, 1, 2, `prefix "xmlns"`},
			"Twice":                {`<a b="1" c="2" b="3"/>`, 1, 16, "twice"},
			"TwiceByURI":           {`<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>`, 1, 36, "twice"},
			"TwiceXML":             {`<a xml:b="1" xml:b="2"/>`, 1, 14, "twice"},
			"TwiceAmongMany":       {"<a " + attributes(200) + "a77=''/>", 0, 0, "twice"},
			"TwiceByURIAmongMany":  {"<a xmlns:p='u' xmlns:q='u' p:b='' " + attributes(50) + "q:b=''/>", 0, 0, "twice"},
			"DeclaredTwice":        {`<a xmlns:p="u" xmlns:p="u"/>`, 1, 16, "twice"},
			"DefaultTwice":         {`<a xmlns="u" xmlns="u"/>`, 1, 14, "twice"},
			"NoValue":              {`<a b/>`, 1, 5, "no value"},
			"NoQuotes":             {`<a b=c/>`, 1, 6, "quotes"},
			"NoSpaceBetween":       {`<a b="c"d="e"/>`, 1, 9, "U+0064"},
			"LessInValue":          {`<a b="<"/>`, 1, 7, "< in the value"},
			"ValueOpen":            {`<a b="c`, 1, 8, "ends in the middle"},
			"TagOpen":              {`<a b="c"`, 1, 9, "ends in the middle"},
			"SlashAlone":           {`<a / >`, 1, 5, "U+0020"},
			"Ampersand":            {"<a>b & c</a>", 1, 6, "reference"},
			"AmpersandInValue":     {`<a b="&" c=";"/>`, 1, 7, "reference"},
			"EntityUnknown":        {"<a>\n\n  &nbsp;</a>", 3, 3, `"&nbsp;"`},
			"ReferenceZero":        {"<a>&#0;</a>", 1, 4, "not a character"},
			"ReferenceSurrogate":   {"<a>&#xD800;</a>", 1, 4, "not a character"},
			"ReferenceTooLarge":    {"<a>&#x110000;</a>", 1, 4, "not a character"},
			"ReferenceHuge":        {"<a>&#99999999999;</a>", 1, 4, "not a character"},
			"ReferenceUpperX":      {"<a>&#X41;</a>", 1, 4, "not a character"},
			"ReferenceSign":        {"<a>&#+65;</a>", 1, 4, "reference"},
			"ReferenceMinus":       {"<a>&#-65;</a>", 1, 4, "malformed"},
			"ReferenceEmpty":       {"<a>&#;</a>", 1, 4, ""},
			"CDATAEndInText":       {"<a>]]></a>", 1, 4, "]]>"},
			"CDATAOpen":            {"<a><![CDATA[x]]</a>", 1, 4, "does not end"},
			"CommentOpen":          {"<a><!-- x</a>", 1, 4, "does not end"},
			"CommentDashes":        {"<a><!-- x -- y --></a>", 1, 11, "--"},
			"CommentDashEnd":       {"<a><!-- x ---></a>", 1, 11, "--"},
			"InstructionOpen":      {"<a><?b c</a>", 1, 4, "does not end"},
			"InstructionName":      {"<a><? b?></a>", 1, 6, "name is missing"},
			"InstructionColon":     {"<a><?b:c d?></a>", 1, 7, "a colon"},
			"Markup":               {"<a><!ELEMENT b ANY></a>", 1, 4, "malformed"},
			"Nul":                  {"<a>\x00</a>", 1, 4, "U+0000"},
			"Control":              {"<a>é\x01</a>", 1, 5, "U+0001"},
			"ControlInValue":       {"<a b='\x1F'/>", 1, 7, "U+001F"},
			"ControlInComment":     {"<a><!-- \x02 --></a>", 1, 9, "U+0002"},
			"ControlInCDATA":       {"<a><![CDATA[\x03]]></a>", 1, 13, "U+0003"},
			"ControlInInstruction": {"<a><?b \x04?></a>", 1, 8, "U+0004"},
			"NotACharacter":        {"<a>\uFFFE</a>", 1, 4, "U+FFFE"},
			"LinesCount":           {"<a>\r\n\r\n\r\n<b></a>", 4, 4, "end tag"},
			"LinesCountCR":         {"<a>\r\r<b></a>", 3, 4, "end tag"},
		},
		xmldoc.Forbidden: {
			"BillionLaughs": {`<!DOCTYPE a [<!ENTITY b "bbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>`, 1, 1, "document type"},
			"External":      {`<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>`, 1, 1, "document type"},
			"Plain":         {`<!DOCTYPE html><a/>`, 1, 1, "document type"},
		},
		xmldoc.Encoding: {
			"BrokenText":    {"<a>é\xFF</a>", 1, 5, "0xFF"},
			"BrokenValue":   {"<a b='\xC3'/>", 1, 7, "0xC3"},
			"BrokenName":    {"<a\xC3/>", 1, 3, "0xC3"},
			"BrokenMarkup":  {"<a b='1'\xFF/>", 1, 9, "0xFF"},
			"BrokenComment": {"<a><!--\x80--></a>", 1, 8, "0x80"},
			"Surrogate":     {"<a>\xED\xA0\x80</a>", 1, 4, "0xED"},
			"Overlong":      {"<a>\xC0\x80</a>", 1, 4, "0xC0"},
			"NotASCII":      {"<?xml version='1.0' encoding='US-ASCII'?><a>é</a>", 1, 45, "US-ASCII"},
			"Unknown":       {"<?xml version='1.0' encoding='EBCDIC-CP-US'?><a/>", 1, 1, "EBCDIC"},
			"UTF16Unmarked": {"<?xml version='1.0' encoding='UTF-16'?><a/>", 1, 1, "byte order mark"},
			"Contradicted":  {"\xEF\xBB\xBF<?xml version='1.0' encoding='ISO-8859-1'?><a/>", 1, 1, "byte order mark says utf-8"},
			"Contradicted16": {string(encode16("<?xml version='1.0' encoding='UTF-8'?><a/>", binary.LittleEndian)), 1, 1,
				"utf-16"},
			"HalfSurrogate": {"\xFE\xFF\x00<\x00a\x00>\xD8\x00\x00<", 1, 4, "surrogate"},
		},
	} {
		for name, c := range cases {
			t.Run(fmt.Sprint(reason, " ", name), func(t *testing.T) {
				_, err := xmldoc.Admit([]byte(c.in), xmldoc.Limits{})
				requireRefusal(t, err, reason, c.line, c.column, c.says)
			})
		}
	}
}

func TestAdmit_Limits(t *testing.T) {
	many := "<a>" + strings.Repeat("<b/>", 99) + "</a>"
	var declarations strings.Builder
	for i := range 65 {
		fmt.Fprintf(&declarations, " xmlns:p%d='u'", i)
	}
	for name, c := range map[string]struct {
		in     string
		limits xmldoc.Limits
		says   string
	}{
		"Bytes":         {"<a>12345678</a>", xmldoc.Limits{Bytes: 14}, "larger than 14 bytes"},
		"BytesInTheEnd": {"<a>>>>>>>></a>", xmldoc.Limits{Bytes: 20}, "larger than 20 bytes in the normal form"},
		"BytesByDefault": {"<a>" + strings.Repeat("x", 1<<20) + "</a>", xmldoc.Limits{},
			"larger than 1048576 bytes"},
		"Nodes":           {many, xmldoc.Limits{Nodes: 99}, "more than 99"},
		"NodesAttributes": {"<a " + attributes(100) + "/>", xmldoc.Limits{Nodes: 100}, "more than 100"},
		"NodesTexts":      {"<a>" + strings.Repeat("x<b/>", 50) + "</a>", xmldoc.Limits{Nodes: 100}, "more than 100"},
		"NodesByDefault":  {"<a>" + strings.Repeat("<b/>", 1<<16) + "</a>", xmldoc.Limits{}, "more than 65536"},
		"Depth": {strings.Repeat("<a>", 65) + strings.Repeat("</a>", 65), xmldoc.Limits{},
			"deeper than 64"},
		"DepthWithoutEnd": {strings.Repeat("<a>", 200_000), xmldoc.Limits{}, "deeper than 64"},
		"Declarations":    {"<a" + declarations.String() + "/>", xmldoc.Limits{}, "more than 64 namespace"},
		"Attributes": {"<a " + attributes(xmldoc.MaxAttributes+1) + "/>", xmldoc.Limits{},
			"more than 256 attributes of one element"},
		"AttributesAndNamespaces": {"<a " + attributes(xmldoc.MaxAttributes) + " xmlns='u'/>", xmldoc.Limits{},
			"more than 256 attributes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := xmldoc.Admit([]byte(c.in), c.limits)
			requireRefusal(t, err, xmldoc.TooLarge, 0, 0, c.says)
		})
	}
	_, err := xmldoc.Admit([]byte(many), xmldoc.Limits{Nodes: 100, Bytes: len(many) + 3*99})
	require.NoError(t, err, "exactly at the limits")
	_, err = xmldoc.Admit([]byte("<a "+attributes(xmldoc.MaxAttributes)+"/>"), xmldoc.Limits{})
	require.NoError(t, err, "exactly at the limit of attributes")
}

// Hostile documents must cost no more than in proportion to their size: one document of 32 times the size is compared
// with 32 documents. A quadratic cost would be 32 times as much; the limit of ten leaves room for caches. The test
// takes the least processor time of several runs, so that a busy machine does not fail it.
func TestAdmit_LinearCost(t *testing.T) {
	limits := xmldoc.Limits{Bytes: 64 << 20, Nodes: 1 << 30}
	repeat := func(s string) func(int) string { return func(n int) string { return strings.Repeat(s, n) } }
	wrap := func(f func(int) string) func(int) string {
		return func(n int) string { return "<a>" + f(n) + "</a>" }
	}
	var scope strings.Builder
	for i := range 60 {
		fmt.Fprintf(&scope, " xmlns:longprefix%d='u%d'", i, i)
	}
	for name, f := range map[string]func(int) string{
		"Elements": wrap(repeat("<b/>")),
		"Attributes": wrap(func(n int) string { // 8 for each element of the small document, 256 for each of the large one
			each := min(n/250, xmldoc.MaxAttributes)
			return strings.Repeat("<b "+attributes(each)+"/>", n/each)
		}),
		"Greater":         wrap(repeat("]]&gt;>")),
		"References":      wrap(repeat("&#x10FFFD;")),
		"ReferenceValue":  func(n int) string { return "<a b='" + strings.Repeat("&amp;", n) + "'/>" },
		"CDATA":           wrap(repeat("<![CDATA[]]>")),
		"CDATAContent":    wrap(func(n int) string { return "<![CDATA[" + strings.Repeat("]]&", n) + "]]>" }),
		"Comments":        wrap(repeat("<!---->")),
		"CommentsOutside": func(n int) string { return strings.Repeat("<!---->", n) + "<a/>" },
		"Instructions":    wrap(repeat("<?b?>")),
		"LongName":        func(n int) string { return "<" + strings.Repeat("b", n) + "/>" },
		"LongNames":       wrap(func(n int) string { return strings.Repeat("<"+strings.Repeat("b", 300)+"/>", n/100+1) }),
		"ForeignNames":    wrap(repeat("<é/>")),
		"Scope": func(n int) string {
			return "<a" + scope.String() + ">" + strings.Repeat("<longprefix0:b/>", n) + "</a>"
		},
		"Redeclared": wrap(repeat("<p:b xmlns:p='u'/>")),
		"Ampersands": func(n int) string { return "<a>" + strings.Repeat("x", n) + "&" + strings.Repeat("y", n) },
		"Lines":      func(n int) string { return strings.Repeat("\n", n) + "<a>&</a>" },
	} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // whose time is measured
			defer runtime.UnlockOSThread()
			const n, factor, slack, runs = 2000, 32, 10, 5
			small, large := []byte(f(n)), []byte(f(factor*n))
			out := make([]byte, 0, 8*len(large))
			cost := func(in []byte, times int) time.Duration {
				best := time.Hour
				for range runs {
					start := processorTime(t)
					for range times {
						_, _ = xmldoc.AppendAdmitted(out[:0], in, limits)
					}
					best = min(best, processorTime(t)-start)
				}
				return best
			}
			require.LessOrEqual(t, cost(large, 1), slack*cost(small, factor))

			// Memory stays in proportion, too. Names beyond ASCII need the most: each is checked with encoding/xml.
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = xmldoc.AppendAdmitted(out[:0], large, limits)
			runtime.ReadMemStats(&after)
			require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(128*len(large)+1<<16))
		})
	}
}

func TestAdmit_Kit(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testenv.Kit(t), "*.xml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		src := []byte(testenv.Text(t, file))
		out, err := xmldoc.Admit(src, xmldoc.Limits{})
		require.NoError(t, err, file)
		want, err := expand(src)
		require.NoError(t, err)
		got, err := expand(out)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestAdmit_KeepsItsHandsOff(t *testing.T) {
	src := []byte("<a b='c'>d</a>")
	before := bytes.Clone(src)
	out, err := xmldoc.AppendAdmitted([]byte("kept "), src, xmldoc.Limits{})
	require.NoError(t, err)
	require.Equal(t, `kept <a b="c">d</a>`, string(out))
	require.Equal(t, before, src)

	out, err = xmldoc.AppendAdmitted([]byte("kept"), []byte("<a>"), xmldoc.Limits{})
	require.Error(t, err)
	require.Equal(t, "kept", string(out))
}
