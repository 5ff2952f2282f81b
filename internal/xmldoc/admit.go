package xmldoc

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Limits bound what Admit accepts. Zero means the default.
type Limits struct {
	Bytes int // of the document before and after admission; default 1 MiB
	Nodes int // elements, attributes and runs of text; default 65,536
}

// MaxAttributes is the limit of attributes of one element, declarations of namespaces counted: far more than any schema
// of the service allows. Parsers in databases compare each attribute of an element with all others, and libxml2 takes 2
// seconds for 16,000 attributes.
const MaxAttributes = 256

// MaxDepth is the largest depth of nested elements; the root is at depth 1.
const MaxDepth = 64

// maxScope bounds the namespace declarations in scope at once: prefixes are resolved by a search through them, and its
// cost must stay bounded.
const maxScope = 64

// maxName bounds names, and names of namespaces, in bytes. It is the longest that Db2 stores; other databases store
// longer ones.
const maxName = 1000

const (
	xmlURI   = "http://www.w3.org/XML/1998/namespace"
	xmlnsURI = "http://www.w3.org/2000/xmlns/"
)

// Admit checks a document from outside strictly (XML 1.0 with namespaces) and returns it in the normal form, in memory
// of its own. A refusal is an *Error with the position. Time and memory are linear in the size of the document,
// whatever it contains. Admitting the normal form changes nothing.
func Admit(src []byte, limits Limits) ([]byte, error) {
	return AppendAdmitted(make([]byte, 0, len(src)+len(src)/16), src, limits)
}

// AppendAdmitted appends the result of Admit to dst.
func AppendAdmitted(dst, src []byte, limits Limits) (out []byte, err error) {
	a := admitters.Get().(*admitter)
	a.out, a.base = dst, len(dst)
	a.limits.Bytes = cmp.Or(limits.Bytes, 1<<20)
	a.limits.Nodes = cmp.Or(limits.Nodes, 1<<16)
	a.pos, a.nodes, a.numbers = 0, 0, 0
	a.open, a.scope, a.attrs = a.open[:0], a.scope[:0], a.attrs[:0]
	defer func() {
		switch refusal := recover().(type) {
		case nil:
		case *Error:
			out, err = dst, refusal
		default:
			panic(refusal)
		}
		a.src, a.out, a.ids = nil, nil, nil // a pooled admitter must not keep documents alive
		admitters.Put(a)
	}()
	if a.src = src; len(src) > a.limits.Bytes {
		a.refuse(a.limits.Bytes, TooLarge, "larger than %d bytes", a.limits.Bytes)
	}
	a.decode()
	a.document()
	return a.out, nil
}

var admitters = sync.Pool{New: func() any { return &admitter{seed: maphash.MakeSeed()} }}

// An admitter reads src once, from left to right, and writes the normal form. To refuse the document its methods panic
// with an *Error, which AppendAdmitted recovers.
type admitter struct {
	src    []byte // UTF-8
	pos    int
	out    []byte
	base   int // where the document begins in out
	limits Limits
	nodes  int

	open    []openElement
	scope   []declared
	numbers int             // of namespaces so far
	attrs   []attribute     // of the start tag being read
	ids     map[string]bool // the values of xml:id

	seed  maphash.Seed             // so that clients cannot make names collide
	table [2 * MaxAttributes]int32 // for finding duplicates among many attributes
}

type openElement struct {
	name  span // in src, with prefix
	scope int  // declarations in scope outside the element
}

type declared struct {
	prefix span // in src; empty for the default namespace
	uri    span // in out, escaped
	number int  // the same for the same uri
}

type attribute struct {
	name, prefix, local span // in src
	value               span // in src, between the quotes
	uri                 int  // the number of the namespace, once resolved; 0 for none or xml
	plain               bool // the value is in the normal form already
	decl                bool // a namespace declaration
}

type span struct{ from, to int }

func (s span) of(b []byte) []byte { return b[s.from:s.to] }
func (s span) empty() bool        { return s.from == s.to }

// at returns src[i], or 0 after the end: no XML document contains that byte, so every look-ahead fails there.
func (a *admitter) at(i int) byte {
	if i < len(a.src) {
		return a.src[i]
	}
	return 0
}

func (a *admitter) starts(i int, s string) bool {
	return len(a.src)-i >= len(s) && string(a.src[i:i+len(s)]) == s
}

// spaces returns the offset of what follows the white space at i.
func (a *admitter) spaces(i int) int {
	for isSpace(a.at(i)) {
		i++
	}
	return i
}

func (a *admitter) document() {
	for rootSeen := false; ; {
		at, outside := a.pos, len(a.open) == 0
		switch {
		case at == len(a.src) && !outside:
			a.fail(at, "the document ends inside element %s", excerpt(a.open[len(a.open)-1].name.of(a.src)))
		case at == len(a.src) && !rootSeen:
			a.fail(at, "no root element")
		case at == len(a.src):
			return
		case a.src[at] != '<' && outside:
			if a.pos = a.spaces(at); a.pos == at {
				a.fail(at, "text outside the root element")
			}
		case a.src[at] != '<':
			a.text()
		case a.at(at+1) == '/':
			a.endTag()
		case a.starts(at, "<!--"):
			a.comment()
		case a.starts(at, "<![CDATA[") && !outside:
			a.cdata()
		case a.starts(at, "<!DOCTYPE"):
			a.refuse(at, Forbidden, "document type declarations are not allowed")
		case a.at(at+1) == '!':
			a.fail(at, "markup is malformed")
		case a.at(at+1) == '?':
			a.instruction()
		case outside && rootSeen:
			a.fail(at, "a second root element")
		default:
			rootSeen = true
			a.startTag()
		}
		switch {
		case len(a.out)-a.base > a.limits.Bytes:
			a.refuse(at, TooLarge, "larger than %d bytes in the normal form", a.limits.Bytes)
		case a.nodes > a.limits.Nodes:
			a.refuse(at, TooLarge, "more than %d elements, attributes and texts", a.limits.Nodes)
		}
	}
}

// text reads up to the next markup.
func (a *admitter) text() {
	a.nodes++
	first, run := a.pos, a.pos // run is the beginning of the bytes not yet written
	for i := run; ; {
		for i < len(a.src) && class[a.src[i]]&inText != 0 {
			i++
		}
		c := a.at(i)
		if c >= utf8.RuneSelf {
			i += a.character(i)
			continue
		}
		a.out = append(a.out, a.src[run:i]...)
		switch {
		case c == '<' || i == len(a.src): // document reports what is missing
			a.pos = i
			return
		case c == '>':
			if i-first >= 2 && a.src[i-1] == ']' && a.src[i-2] == ']' {
				a.fail(i-2, "]]> in text")
			}
			a.out = append(a.out, "&gt;"...)
			i++
		case c == '\r':
			i = a.lineEnd(i, '\n')
		case c == '&':
			i = a.reference(i, false)
		default:
			a.badCharacter(i)
		}
		run = i
	}
}

// lineEnd writes one character for CR or CR LF.
func (a *admitter) lineEnd(i int, as byte) int {
	a.out = append(a.out, as)
	if a.at(i+1) == '\n' {
		i++
	}
	return i + 1
}

// character checks the character beyond ASCII at i and returns its size.
func (a *admitter) character(i int) int {
	r, size := utf8.DecodeRune(a.src[i:])
	if r == utf8.RuneError && size == 1 || !isChar(r) {
		a.badCharacter(i)
	}
	return size
}

func (a *admitter) badCharacter(i int) {
	r, size := utf8.DecodeRune(a.src[min(i, len(a.src)):])
	switch {
	case size == 0:
		a.fail(i, "the document ends in the middle of markup")
	case size == 1 && r == utf8.RuneError:
		a.refuse(i, Encoding, "byte 0x%02X is not UTF-8", a.src[i])
	}
	a.fail(i, "character U+%04X is not allowed here", r)
}

// entities are the names that XML defines.
var entities = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// reference writes the character that &name; or &#number; at i means, escaped for a value or for text.
func (a *admitter) reference(i int, value bool) (end int) {
	end = i + 1
	for a.at(end) == '#' || class[a.at(end)]&namePart != 0 {
		end++
	}
	if a.at(end) != ';' {
		a.fail(i, "& does not begin a reference")
	}
	name := a.src[i+1 : end]
	end++
	r, known := entities[string(name)]
	if !known {
		digits, isNumber := bytes.CutPrefix(name, []byte("#"))
		if len(name) < 2 || !isNumber {
			a.fail(i, "entity %s is not known", excerpt(a.src[i:end]))
		}
		base := 10
		if digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		if len(digits) == 0 || digits[0] == '-' {
			a.fail(i, "reference %s is malformed", excerpt(a.src[i:end]))
		}
		n, err := strconv.ParseInt(string(digits), base, 32)
		if r = rune(n); err != nil || !isChar(r) {
			a.fail(i, "reference %s is not a character", excerpt(a.src[i:end]))
		}
	}
	if r < utf8.RuneSelf {
		if e := escape(byte(r), value); e != "" {
			a.out = append(a.out, e...)
			return end
		}
	}
	a.out = utf8.AppendRune(a.out, r)
	return end
}

// find returns the offset, from i on, of the mark that ends the markup at a.pos.
func (a *admitter) find(i int, mark, what string) int {
	n := bytes.Index(a.src[i:], []byte(mark))
	if n < 0 {
		a.fail(a.pos, "%s does not end", what)
	}
	return i + n
}

func (a *admitter) cdata() {
	const start, mark = "<![CDATA[", "]]>"
	a.nodes++
	i := a.pos + len(start)
	end := a.find(i, mark, "a CDATA section")
	a.check(i, end)
	for i < end {
		if a.src[i] == '\r' {
			i = a.lineEnd(i, '\n')
			continue
		}
		a.out = appendEscaped(a.out, a.src[i:i+1], false)
		i++
	}
	a.pos = end + len(mark)
}

// check refuses characters in src[i:end] that XML does not allow.
func (a *admitter) check(i, end int) {
	for i < end {
		switch c := a.src[i]; {
		case c >= utf8.RuneSelf:
			i += a.character(i)
		case !isChar(rune(c)):
			a.badCharacter(i)
		default:
			i++
		}
	}
}

func (a *admitter) comment() {
	i := a.pos + len("<!--")
	end := a.find(i, "--", "a comment")
	if a.at(end+2) != '>' {
		a.fail(end, "-- in a comment")
	}
	a.check(i, end)
	a.pos = end + len("-->")
}

func (a *admitter) instruction() {
	name := a.name(a.pos + 2)
	if bytes.EqualFold(name.of(a.src), []byte("xml")) {
		a.fail(a.pos, "an XML declaration is allowed only at the very beginning")
	}
	if a.at(name.to) == ':' {
		a.fail(name.to, "the target of a processing instruction has a colon")
	}
	end := a.find(name.to, "?>", "a processing instruction")
	if end > name.to && !isSpace(a.src[name.to]) {
		a.badCharacter(name.to)
	}
	a.check(name.to, end)
	a.pos = end + len("?>")
}

// name reads a name without a colon.
func (a *admitter) name(i int) span {
	c := a.at(i)
	switch {
	case class[c]&nameStart != 0:
	case c == 0 || isSpace(c):
		a.fail(i, "a name is missing")
	default:
		a.fail(i, "a name does not begin with %s", excerpt(a.src[i:i+1]))
	}
	name, foreign := span{i, i}, byte(0)
	for ; class[a.at(name.to)]&namePart != 0; name.to++ {
		foreign |= a.src[name.to]
	}
	if foreign >= utf8.RuneSelf {
		a.check(name.from, name.to)
		if !isForeignName(name.of(a.src)) {
			a.fail(i, "%s is not a name", excerpt(name.of(a.src)))
		}
	}
	if name.to-name.from > maxName {
		a.refuse(i, TooLarge, "a name of more than %d bytes", maxName)
	}
	return name
}

// qualified reads a name that may have a prefix.
func (a *admitter) qualified(i int) (name, prefix, local span) {
	local = a.name(i)
	if a.at(local.to) != ':' {
		return local, span{}, local
	}
	prefix, local = local, a.name(local.to+1)
	if a.at(local.to) == ':' {
		a.fail(local.to, "a name with two colons")
	}
	return span{prefix.from, local.to}, prefix, local
}

func (a *admitter) startTag() {
	at := a.pos
	if len(a.open) == MaxDepth {
		a.refuse(at, TooLarge, "elements are nested deeper than %d", MaxDepth)
	}
	name, prefix, _ := a.qualified(at + 1)
	empty := a.attributes(name.to)
	a.nodes += 1 + len(a.attrs)

	outer := len(a.scope)
	a.out = append(append(a.out, '<'), name.of(a.src)...)
	a.declare(outer)
	a.resolve(prefix, at+1)
	a.unique()
	for i := range a.attrs {
		if attr := &a.attrs[i]; !attr.decl {
			value := a.writeAttribute(attr)
			if string(attr.name.of(a.src)) != "xml:id" {
				continue
			}
			// An xml:id must be a name without surrounding white space, and unique: XML parsers in databases refuse or change
			// other values.
			switch id := string(value.of(a.out)); {
			case !isName(id):
				a.fail(attr.name.from, "xml:id %s is not a name", excerpt([]byte(id)))
			case a.ids[id]:
				a.fail(attr.name.from, "xml:id %s is used twice", excerpt([]byte(id)))
			case a.ids == nil:
				a.ids = map[string]bool{id: true}
			default:
				a.ids[id] = true
			}
		}
	}
	a.out = append(a.out, '>')
	if empty {
		a.writeEnd(name, outer)
	} else {
		a.open = append(a.open, openElement{name, outer})
	}
}

func (a *admitter) endTag() {
	n := len(a.open) - 1
	if n < 0 {
		a.fail(a.pos, "an end tag without a start tag")
	}
	top := a.open[n]
	from := a.pos + len("</")
	end := from + top.name.to - top.name.from
	if end > len(a.src) || !bytes.Equal(a.src[from:end], top.name.of(a.src)) || class[a.at(end)]&namePart != 0 {
		name, _, _ := a.qualified(from)
		a.fail(a.pos, "end tag %s where %s is open", excerpt(name.of(a.src)), excerpt(top.name.of(a.src)))
	}
	if end = a.spaces(end); a.at(end) != '>' {
		a.badCharacter(end)
	}
	a.pos = end + 1
	a.open = a.open[:n]
	a.writeEnd(top.name, top.scope)
}

func (a *admitter) writeEnd(name span, scope int) {
	a.out = append(append(append(a.out, "</"...), name.of(a.src)...), '>')
	a.scope = a.scope[:scope]
}

// attributes reads the rest of a start tag into a.attrs.
func (a *admitter) attributes(i int) (empty bool) {
	a.attrs = a.attrs[:0]
	for {
		start := i
		i = a.spaces(i)
		switch c := a.at(i); {
		case c == '>':
			a.pos = i + 1
			return false
		case c == '/' && a.at(i+1) == '>':
			a.pos = i + 2
			return true
		case c == '/':
			a.badCharacter(i + 1)
		case i == start:
			a.badCharacter(i)
		case len(a.attrs) == MaxAttributes:
			a.refuse(i, TooLarge, "more than %d attributes of one element", MaxAttributes)
		}
		var attr attribute
		attr.name, attr.prefix, attr.local = a.qualified(i)
		if i = a.spaces(attr.name.to); a.at(i) != '=' {
			a.fail(i, "attribute %s has no value", excerpt(attr.name.of(a.src)))
		}
		attr.value, attr.plain = a.value(a.spaces(i + 1))
		attr.decl = isXMLNS(attr.prefix.of(a.src)) || attr.prefix.empty() && isXMLNS(attr.local.of(a.src))
		a.attrs = append(a.attrs, attr)
		i = attr.value.to + 1
	}
}

func isXMLNS(name []byte) bool { return string(name) == "xmlns" }

// value finds the end of a quoted value and checks its characters; references are left for writeAttribute.
func (a *admitter) value(i int) (value span, plain bool) {
	quote := a.at(i)
	if quote != '"' && quote != '\'' {
		a.fail(i, "a value is not in quotes")
	}
	plain = true
	i++
	for from := i; ; {
		for i < len(a.src) && class[a.src[i]]&inValue != 0 {
			i++
		}
		switch c := a.at(i); {
		case c == quote:
			return span{from, i}, plain
		case c == '<':
			a.fail(i, "< in the value of an attribute")
		case c >= utf8.RuneSelf:
			i += a.character(i)
		case c == '\'':
			i++
		case c == '"', c == '&', c == '>', isSpace(c):
			plain = false
			i++
		default:
			a.badCharacter(i)
		}
	}
}

// writeAttribute writes name and value in the normal form, and returns where the value is in out.
func (a *admitter) writeAttribute(attr *attribute) (value span) {
	a.out = append(append(append(a.out, ' '), attr.name.of(a.src)...), `="`...)
	value.from = len(a.out)
	i := attr.value.from
	if attr.plain {
		a.out, i = append(a.out, attr.value.of(a.src)...), attr.value.to
	}
	for i < attr.value.to {
		switch c := a.src[i]; {
		case c == '&':
			i = a.reference(i, true)
		case c == '\r':
			i = a.lineEnd(i, ' ')
		case isSpace(c):
			a.out = append(a.out, ' ') // only a reference keeps a tab or a line feed
			i++
		default:
			a.out = appendEscaped(a.out, a.src[i:i+1], true)
			i++
		}
	}
	value.to = len(a.out)
	a.out = append(a.out, '"')
	return value
}

// declare writes the namespace declarations of a start tag, before its other attributes, and brings them into scope.
func (a *admitter) declare(outer int) {
	for i := range a.attrs {
		attr := &a.attrs[i]
		if !attr.decl {
			continue
		}
		at := attr.name.from
		prefix := span{}
		if !attr.prefix.empty() {
			prefix = attr.local
		}
		p := prefix.of(a.src)
		for _, d := range a.scope[outer:] {
			if bytes.Equal(d.prefix.of(a.src), p) {
				a.duplicate(attr)
			}
		}
		if len(a.scope) == maxScope {
			a.refuse(at, TooLarge, "more than %d namespace declarations in scope", maxScope)
		}
		uri := a.writeAttribute(attr)
		u := uri.of(a.out)
		switch {
		case isXMLNS(p), string(u) == xmlnsURI, (string(p) == "xml") != (string(u) == xmlURI):
			a.fail(at, "prefix %s cannot be bound to %s", excerpt(p), excerpt(u))
		case len(p) > 0 && len(u) == 0:
			a.fail(at, "prefix %s is bound to nothing", excerpt(p))
		case len(u) > maxName:
			a.refuse(at, TooLarge, "a namespace with a name of more than %d bytes", maxName)
		case !isURI(unescaped(u)):
			a.fail(at, "the name of a namespace, %s, is not a URI", excerpt(u))
		}
		// Namespaces are compared and numbered here, so that attributes are compared by number: the names may be long.
		known := slices.IndexFunc(a.scope, func(d declared) bool { return bytes.Equal(d.uri.of(a.out), u) })
		if known >= 0 {
			a.scope = append(a.scope, declared{prefix, uri, a.scope[known].number})
			continue
		}
		a.numbers++
		a.scope = append(a.scope, declared{prefix, uri, a.numbers})
	}
}

// resolve returns the number of the namespace that a prefix is bound to.
func (a *admitter) resolve(prefix span, at int) (uri int) {
	p := prefix.of(a.src)
	if len(p) == 0 {
		return 0 // a name without a prefix needs no declaration
	}
	for _, d := range slices.Backward(a.scope) {
		if bytes.Equal(d.prefix.of(a.src), p) {
			return d.number
		}
	}
	if string(p) != "xml" {
		a.fail(at, "prefix %s is not declared", excerpt(p))
	}
	return 0 // bound by definition; a.compare compares the prefix
}

// unique refuses two attributes with the same expanded name.
func (a *admitter) unique() {
	for i := range a.attrs {
		if attr := &a.attrs[i]; !attr.decl {
			attr.uri = a.resolve(attr.prefix, attr.name.from)
		}
	}
	const few = 8
	if len(a.attrs) <= few {
		for i := range a.attrs {
			for j := range i {
				a.compare(i, j)
			}
		}
		return
	}
	size := 4 * few
	for size < 2*len(a.attrs) {
		size *= 2
	}
	table := a.table[:size]
	clear(table)
	for i := range a.attrs {
		// Attributes with the same local name in several namespaces have one hash; maxScope bounds their number.
		h := maphash.Bytes(a.seed, a.attrs[i].local.of(a.src))
		slot := &table[h&uint64(size-1)]
		for ; *slot != 0; slot = &table[h&uint64(size-1)] {
			a.compare(i, int(*slot-1))
			h++
		}
		*slot = int32(i + 1)
	}
}

// compare refuses attribute i if it has the expanded name of attribute j.
func (a *admitter) compare(i, j int) {
	x, y := &a.attrs[i], &a.attrs[j]
	if x.decl || y.decl || !bytes.Equal(x.local.of(a.src), y.local.of(a.src)) {
		return
	}
	if x.uri == 0 || y.uri == 0 { // no namespace, or that of the prefix xml
		if bytes.Equal(x.prefix.of(a.src), y.prefix.of(a.src)) {
			a.duplicate(x)
		}
	} else if x.uri == y.uri {
		a.duplicate(x)
	}
}

func (a *admitter) duplicate(attr *attribute) {
	a.fail(attr.name.from, "attribute %s occurs twice", excerpt(attr.name.of(a.src)))
}
