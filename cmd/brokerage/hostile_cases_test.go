package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
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
	laughs := `<!DOCTYPE l [<!ENTITY l0 "lol">`
	for i := range 30 {
		laughs += fmt.Sprintf(`<!ENTITY l%d %q>`, i+1, strings.Repeat(fmt.Sprintf("&l%d;", i), 10))
	}
	return map[string]attack{
		// Entities, and markup that could make a parser connect to another host.
		"BillionLaughs": plain("%s]><a>&l30;</a>", laughs),
		"QuadraticBlowup": plain(`<!DOCTYPE a [<!ENTITY x "%s">]><a>%s</a>`, strings.Repeat("x", 50_000),
			strings.Repeat("&x;", 50_000)),
		"EntityLoop":      plain(`<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a>&x;</a>`),
		"ExternalEntity":  plain(`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`),
		"ExternalByHTTP":  plain(`<!DOCTYPE a [<!ENTITY x SYSTEM "http://%s/x">]><a>&x;</a>`, outside),
		"ParameterEntity": plain(`<!DOCTYPE a [<!ENTITY %% x SYSTEM "http://%s/x"> %%x;]><a/>`, outside),
		"ExternalDTD":     plain(`<!DOCTYPE a SYSTEM "http://%s/x.dtd"><a/>`, outside),
		"XInclude": plain(
			`<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="http://%s/"/></a>`, outside),
		"SchemaLocation": plain(
			`<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="u http://%s/x.xsd"/>`, outside),
		"Stylesheet": plain(`<?xml-stylesheet type="text/xsl" href="http://%s/x.xsl"?><a/>`, outside),
		// Floods; more of them are in TestAdmit_LinearCost of package xmldoc, which reads every body first.
		"SameAttributes":   plain("<a%s/>", strings.Repeat(` a=""`, 100_000)),
		"HashedAttributes": plain("<a%s/>", numbered(50_000, ` a%[1]d:b=""`)),
		"Namespaces":       plain("<a%s/>", numbered(30_000, ` xmlns:a%[1]d="u%[1]d"`)),
		"DeepWithPrefixes": plain("%s", strings.Repeat(`<p:a xmlns:p="u">`, 50_000)),
		"HugeValue":        plain(`<a b="%s"/>`, strings.Repeat("&#9;", 250_000)),
		"HugeNamespace":    plain(`<a xmlns="%s"/>`, strings.Repeat("u", 1_000_000)),
		"CDATANoEnd":       plain("<a><![CDATA[%s", strings.Repeat("]]", 500_000)),
		"Ampersands":       plain("<a>%s</a>", strings.Repeat("&", 1_000_000)),
		"Blanks":           plain("%s<a/>", strings.Repeat(" ", 1_000_000)),
		"TooLong":          plain("<a>%s</a>", strings.Repeat("x", 3<<20)),
		// Packed bodies.
		"GzipBomb":       {packed(1 << 26), "gzip"},
		"GzipTwice":      {packed(1 << 26), "gzip, gzip"},
		"GzipUndeclared": {packed(1 << 26), ""},
	}
}

// numbered returns a text n times, each with its number.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// packed returns zeros, compressed.
func packed(size int) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
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
