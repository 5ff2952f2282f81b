package httpapi

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf16"
)

// node is an element of a document in the normal form, unparsed: names with their prefixes, values and texts escaped.
type node struct {
	name    string
	attrs   [][2]string
	content []any // *node or string
}

// parseNode reads a document in the normal form.
func parseNode(doc string) *node {
	var open []*node
	root := &node{}
	open = append(open, root)
	for doc != "" {
		top := open[len(open)-1]
		text, rest, _ := strings.Cut(doc, "<")
		if text != "" {
			top.content = append(top.content, text)
		}
		tag, after, _ := strings.Cut(rest, ">")
		doc = after
		switch {
		case tag == "":
		case tag[0] == '/':
			open = open[:max(1, len(open)-1)]
		default:
			name, attrs, _ := strings.Cut(tag, " ")
			n := &node{name: name}
			for attrs != "" {
				key, value, _ := strings.Cut(attrs, `="`)
				value, attrs, _ = strings.Cut(value, `"`)
				attrs = strings.TrimPrefix(attrs, " ")
				n.attrs = append(n.attrs, [2]string{key, value})
			}
			top.content = append(top.content, n)
			open = append(open, n)
		}
	}
	for _, c := range root.content {
		if n, ok := c.(*node); ok {
			return n
		}
	}
	return &node{name: "none"}
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	b.WriteString("<" + n.name)
	for _, a := range n.attrs {
		b.WriteString(" " + a[0] + `="` + a[1] + `"`)
	}
	b.WriteString(">")
	for _, c := range n.content {
		switch c := c.(type) {
		case *node:
			c.write(b)
		case string:
			b.WriteString(c)
		}
	}
	b.WriteString("</" + n.name + ">")
}

// all returns n and the elements in it.
func (n *node) all() (list []*node) {
	list = append(list, n)
	for _, c := range n.content {
		if e, ok := c.(*node); ok {
			list = append(list, e.all()...)
		}
	}
	return list
}

func (n *node) clone() *node {
	c := &node{name: n.name, attrs: slices.Clone(n.attrs)}
	for _, x := range n.content {
		if e, ok := x.(*node); ok {
			x = e.clone()
		}
		c.content = append(c.content, x)
	}
	return c
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// Values that stores may read in different ways.
var (
	oddNumbers = []string{"0", "-0", "+1.5", " 7 ", "\n3\t", "1.", ".5", "1e3", "NaN", "INF", "-1", "007", "1,5", "0x10",
		"", " ", "99999999999999999999.99",
		"0.00000000000000000001", "-12.345", "1.00001", "12345678901234567890123456789012345678901234567890", "9999999999999",
		"1٣", "10000000000000"}
	oddTexts = []string{"", " ", "\n", "a&amp;b", "&lt;x&gt;", "&#13;", "&#10;&#9;", "]]&gt;", "é", "株式 \U0001F600",
		"  two  blanks ", "&quot;'", "e\u0301", "\u00a0\u2028", "a\tb",
		"0", "-1", "x", strings.Repeat("long ", 700), "\U0010FFFF"}
	oddSpaces = []string{"urn:x", "relative", "a b", "", "é", "http://x/é", "http://[", "http://[::1]:80/a", "%zz",
		"%41", "#", "##", "a#b?c", "?", ":", "1:", "x:", "http://a:99999999999/",
		"http://a:x/", "//a", "{}", "a|b", "a\\b", "^", "`", "&lt;a&gt;", "&quot;", "http://a b/", " http://a",
		"http://a?b[c]", "http://a/[x]", "http://user@h:1/p;q=1?r#s", "mailto:a@b",
		"http://tpox-benchmark.com/custacc", "http://tpox-benchmark.com/security", "http://www.fixprotocol.org/FIXML-4-4",
		"http://www.w3.org/2001/XMLSchema-instance", "file:///c|/x",
		"http://%41/", "http://a/%", "urn:", "a:b:c", "1a:b", "+:x", "a+b:c", "http://::1/", "http://[v1.x]/", "http://[zz]/",
		"http://a/b/../c", "\u00e0:b", "http://a:/b", "http://@/", "http://a@b@c/"}
	oddAttributes = []string{`xml:lang="de"`, `xml:lang="not a language"`, `xml:lang=""`, `xml:space="preserve"`,
		`xml:space="odd"`, `xml:base="http://a b"`, `xml:id="a"`, `xml:id="a"`, `xml:id="1"`, `xml:id="a b"`,
		`xml:id=" a "`, `xml:id=""`, `xml:id="é"`, `xml:id="a:b"`, `odd="1"`, `id="1"`, `Cash="5"`, `Stat="2"`, `ID="1"`,
		`Acct="1"`, `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="a"`,
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b"`,
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="x"`,
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"`,
		`xmlns:p="urn:p" p:a="1"`, `xmlns:p="urn:p" xmlns:q="urn:p" p:a="1" q:b="2"`, `xmlns:unused="urn:u"`, `é="1"`,
		`a-b.c="1"`, `xmlns:c="urn:c"`, `xmlns:p="urn:p" p:id="3"`}
	oddChildren = []string{`<odd></odd>`, `<odd xmlns=""></odd>`, `<p:odd xmlns:p="urn:p" p:a="1"><p:b></p:b></p:odd>`,
		`<Name>Odd</Name>`, `<Name></Name>`, `<Symbol>ODD</Symbol>`, `<OrdQty Qty="1"></OrdQty>`,
		`<OrdQty Cash="77777777"></OrdQty>`, `<Price><LastTrade>1</LastTrade></Price>`,
		`<Balance><OnlineActualBal>5</OnlineActualBal></Balance>`, `<Currency>XXX</Currency>`, `<Sector>Energy</Sector>`,
		`<PE>3</PE>`, `<gValueDate><mValueDate></mValueDate></gValueDate>`, `<mValueDate></mValueDate>`,
		`<Holdings><Position></Position></Holdings>`, `<Position><Symbol></Symbol><Quantity>1</Quantity></Position>`,
		`<Accounts></Accounts>`, `<Addresses><Address></Address></Addresses>`,
		`<SecurityInformation><FundInformation><Sector>Energy</Sector></FundInformation></SecurityInformation>`}
)

// lookedAt are the elements that stores use as keys, or return.
var lookedAt = map[string]bool{
	"Order": true, "OrdQty": true, "Customer": true, "Name": true, "DateOfBirth": true, "Languages": true,
	"Addresses": true, "Address": true, "EmailAddresses": true, "Accounts": true, "Account": true,
	"Balance": true, "OnlineActualBal": true, "WorkingBalance": true, "Currency": true, "Holdings": true, "Position": true,
	"Symbol": true, "Quantity": true, "gValueDate": true, "mValueDate": true,
	"Security": true, "SecurityType": true, "SecurityInformation": true, "Sector": true, "PE": true, "Yield": true,
	"Price": true, "LastTrade": true, "Ask": true, "Bid": true, "PriceToday": true, "Open": true, "High": true,
}

// mutate makes an odd document of one in the normal form: mostly well-formed,
// mostly not valid.
func mutate(r *rand.Rand, doc string) string {
	root := parseNode(doc)
	for range 1 + r.IntN(4) {
		mutateTree(r, root)
	}
	return root.String()
}

func mutateTree(r *rand.Rand, root *node) {
	all := root.all()
	n, other := all[r.IntN(len(all))], all[r.IntN(len(all))]
	if r.IntN(3) > 0 {
		if looked := slices.DeleteFunc(slices.Clone(all),
			func(n *node) bool { return !lookedAt[n.name[strings.IndexByte(n.name, ':')+1:]] }); len(looked) > 0 {
			n = one(r, looked...)
		}
	}
	child := func() (int, bool) {
		if len(n.content) == 0 {
			return 0, false
		}
		return r.IntN(len(n.content)), true
	}
	switch r.IntN(20) {
	case 0: // without a child
		if i, ok := child(); ok {
			n.content = slices.Delete(n.content, i, i+1)
		}
	case 1: // with a child twice
		if i, ok := child(); ok {
			c := n.content[i]
			if e, isElement := c.(*node); isElement {
				c = e.clone()
			}
			n.content = slices.Insert(n.content, r.IntN(len(n.content)+1), c)
		}
	case 2: // in another order
		r.Shuffle(len(n.content), func(i, j int) { n.content[i], n.content[j] = n.content[j], n.content[i] })
	case 3: // a child elsewhere
		if other != n && !slices.Contains(n.all(), other) {
			other.content = slices.Insert(other.content, r.IntN(len(other.content)+1), any(n.clone()))
		}
	case 4, 5:
		n.content = []any{one(r, oddTexts...)}
	case 6, 7:
		n.content = []any{one(r, oddNumbers...)}
	case 8, 9, 16, 17, 18, 19:
		addAttribute(n, one(r, oddAttributes...))
	case 10:
		n.content = slices.Insert(n.content, r.IntN(len(n.content)+1), any(parseNode(one(r, oddChildren...))))
	case 11:
		addAttribute(n, one(r, `xmlns:s="`, `xmlns:t="`)+one(r, oddSpaces...)+`"`)
	case 12:
		if len(n.attrs) > 0 {
			i := r.IntN(len(n.attrs))
			switch r.IntN(4) {
			case 0:
				n.attrs = slices.Delete(n.attrs, i, i+1)
			case 1:
				n.attrs[i][1] = one(r, oddNumbers...)
			case 2:
				n.attrs[i][1] = one(r, oddTexts...)
			default:
				r.Shuffle(len(n.attrs), func(i, j int) { n.attrs[i], n.attrs[j] = n.attrs[j], n.attrs[i] })
			}
		}
	case 13: // another spelling of the namespace
		for i, a := range root.attrs {
			if a[0] == "xmlns" {
				root.attrs[i][0] = "xmlns:odd"
				for _, e := range all {
					if !strings.Contains(e.name, ":") {
						e.name = "odd:" + e.name
					}
				}
			}
		}
	case 14: // text where there was none
		n.content = slices.Insert(n.content, r.IntN(len(n.content)+1), any(one(r, oddTexts...)))
	default:
		n.content = nil
	}
}

func addAttribute(n *node, attribute string) {
	for _, a := range parseNode("<a " + attribute + "></a>").attrs {
		if !slices.ContainsFunc(n.attrs, func(b [2]string) bool { return a[0] == b[0] }) {
			n.attrs = append(n.attrs, a)
		}
	}
}

// misspell writes a document in another way, or breaks it.
func misspell(r *rand.Rand, doc string) string {
	at := r.IntN(len(doc) + 1)
	tags := strings.ReplaceAll(doc, "><", one(r, ">\r\n\t <", "><!-- c --><", "><?pi x?><", ">\n<"))
	switch r.IntN(18) {
	case 0:
		return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + doc
	case 1:
		return "\ufeff" + doc
	case 2:
		return latin1(`<?xml version="1.0" encoding="ISO-8859-1"?>` + doc)
	case 3:
		return wide(`<?xml version="1.0" encoding="UTF-16"?>`+doc, binary.LittleEndian)
	case 4:
		return wide(doc, binary.BigEndian)
	case 5:
		return `<?xml version='1.0' encoding='` + one(r, "US-ASCII", "utf-8", "x", "windows-1252") + `'?>` + doc
	case 6, 7:
		return tags
	case 8:
		return one(r, `<!DOCTYPE a>`, `<!DOCTYPE a [<!ENTITY b "c">]>`) + doc
	case 9:
		return doc[:at]
	case 10:
		return doc[:at] + one(r, "&amp;", "&x;", "&#0;", "&#xD800;", "<", ">", `"`, "\x00", "\x01", "\xff", "<![CDATA[<&]]>",
			"\uFFFE", "&#x1F600;", "é") + doc[at:]
	case 11:
		return doc + one(r, " ", "<a/>", "x", "<!-- c -->", "\n")
	case 12:
		return strings.Replace(doc, `="`, "  =\n '", 1)
	case 13:
		return strings.NewReplacer("<Name>", "<Name><![CDATA[", "</Name>", "]]></Name>").Replace(doc)
	case 14:
		return strings.Replace(doc, "<", "<no:", 1)
	case 15:
		i := strings.IndexByte(doc[at:], '<')
		if i < 0 {
			return doc
		}
		return doc[:at+i] + one(r, "<odd/>", "<odd></odd>", "<odd", "</odd>",
			strings.Repeat("<a>", 70)+strings.Repeat("</a>", 70)) + doc[at+i:]
	case 16:
		return strings.ReplaceAll(doc, "http://", "https://")
	default:
		name := strings.Repeat("n", one(r, 900, 1001, 60_000))
		return strings.Replace(doc, ">", "><"+name+"/>", 1)
	}
}

func latin1(s string) string {
	var b []byte
	for _, c := range s {
		if c > 0xff {
			c = '?'
		}
		b = append(b, byte(c))
	}
	return string(b)
}

func wide(s string, order binary.AppendByteOrder) string {
	b := order.AppendUint16(nil, 0xFEFF)
	for _, c := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, c)
	}
	return string(b)
}
