package xmldoc

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Limits bound what Admit accepts. Zero means the default.
type Limits struct {
	Bytes      int // of the document as it came and as it is kept; default 1 MiB
	Nodes      int // elements, attributes and runs of text; default 65,536
	Attributes int // of one element, declarations of namespaces counted; default MaxAttributes
}

// MaxAttributes is the default limit of attributes of one element: far more than any schema of the service allows.
// Parsers in databases compare each attribute of an element with all others, and libxml2 takes 2 seconds for 16,000.
const MaxAttributes = 256

// MaxDepth is the largest depth of nested elements; the root is at depth 1.
const MaxDepth = 64

// maxScope bounds the namespace declarations in scope at once: prefixes are resolved by a search through them, and its
// cost must stay bounded.
const maxScope = 64

// maxName bounds names, and names of namespaces, in bytes: no database has room for longer ones than Db2.
const maxName = 1000

const (
	xmlURI   = "http://www.w3.org/XML/1998/namespace"
	xmlnsURI = "http://www.w3.org/2000/xmlns/"
)

// Admit checks a document from outside strictly (XML 1.0 with namespaces) and returns it in the normal form, in memory
// of its own. A refusal is an *Error with the position. The cost is linear in the size of the document, whatever is in
// it, and so is the memory. Admitting the normal form changes nothing.
func Admit(src []byte, limits Limits) ([]byte, error) {
	return AppendAdmitted(make([]byte, 0, len(src)+len(src)/16), src, limits)
}

// AppendAdmitted appends the result of Admit to dst.
func AppendAdmitted(dst, src []byte, limits Limits) ([]byte, error) {
	if limits.Bytes <= 0 {
		limits.Bytes = 1 << 20
	}
	if limits.Nodes <= 0 {
		limits.Nodes = 1 << 16
	}
	if limits.Attributes <= 0 {
		limits.Attributes = MaxAttributes
	}
	if len(src) > limits.Bytes {
		return dst, newError(src, limits.Bytes, TooLarge, "larger than %d bytes", limits.Bytes)
	}
	text, body, err := toUTF8(src)
	if err != nil {
		return dst, err
	}

	a := admitters.Get().(*admitter)
	defer admitters.Put(a)
	a.src, a.pos = text, body
	a.out, a.base = dst, len(dst)
	a.limits, a.nodes, a.numbers = limits, 0, 0
	a.open, a.scope, a.attrs = a.open[:0], a.scope[:0], a.attrs[:0]
	err = a.document()
	out := a.out
	a.src, a.out, a.ids = nil, nil, nil // a pooled admitter must not keep documents alive
	if cap(a.attrs) > keep {
		a.attrs, a.table = nil, nil
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

// keep is the largest number of attributes of a start tag for which a pooled admitter keeps memory.
const keep = 256

var admitters = sync.Pool{New: func() any { return &admitter{seed: maphash.MakeSeed()} }}

// An admitter reads src once, from left to right, and writes the normal form.
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

	seed  maphash.Seed // so that clients cannot make names collide
	table []int32      // for finding duplicates among many attributes
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
	uri                 int  // the number of the namespace, once resolved; 0 for none
	plain               bool // the value is in the normal form as it stands
	decl                bool // a namespace declaration
}

type span struct{ from, to int }

func (s span) of(b []byte) []byte { return b[s.from:s.to] }
func (s span) empty() bool        { return s.from == s.to }

func (a *admitter) fail(offset int, format string, args ...any) error {
	return newError(a.src, offset, Malformed, format, args...)
}

// at returns src[i], or 0 behind the end: no XML document holds that byte, so every look-ahead fails there.
func (a *admitter) at(i int) byte {
	if i < len(a.src) {
		return a.src[i]
	}
	return 0
}

func (a *admitter) starts(s string) bool {
	return len(a.src)-a.pos >= len(s) && string(a.src[a.pos:a.pos+len(s)]) == s
}

func (a *admitter) spaces(i int) int {
	for class[a.at(i)]&space != 0 {
		i++
	}
	return i
}

func (a *admitter) document() error {
	rootSeen := false
	for a.pos < len(a.src) {
		at, outside := a.pos, len(a.open) == 0
		var err error
		switch {
		case a.src[at] != '<' && outside:
			if a.pos = a.spaces(at); a.pos == at {
				err = a.fail(at, "text outside the root element")
			}
		case a.src[at] != '<':
			err = a.text()
		case a.at(at+1) == '/':
			err = a.endTag()
		case a.at(at+1) == '!':
			err = a.declaration(outside)
		case a.at(at+1) == '?':
			err = a.instruction()
		case outside && rootSeen:
			err = a.fail(at, "a second root element")
		default:
			rootSeen = true
			err = a.startTag()
		}
		switch {
		case err != nil:
			return err
		case len(a.out)-a.base > a.limits.Bytes:
			return newError(a.src, at, TooLarge, "larger than %d bytes in the normal form", a.limits.Bytes)
		case a.nodes > a.limits.Nodes:
			return newError(a.src, at, TooLarge, "more than %d elements, attributes and texts", a.limits.Nodes)
		}
	}
	if n := len(a.open); n > 0 {
		return a.fail(len(a.src), "the document ends inside element %s", excerpt(a.open[n-1].name.of(a.src)))
	}
	if !rootSeen {
		return a.fail(len(a.src), "no root element")
	}
	return nil
}

// declaration reads what begins with <!.
func (a *admitter) declaration(outside bool) error {
	switch {
	case a.starts("<!--"):
		return a.comment()
	case a.starts("<![CDATA[") && !outside:
		return a.cdata()
	case a.starts("<!DOCTYPE"):
		return newError(a.src, a.pos, Forbidden, "document type declarations are not allowed")
	}
	return a.fail(a.pos, "markup is malformed")
}

// text reads up to the next markup.
func (a *admitter) text() error {
	a.nodes++
	first, run := a.pos, a.pos // run: what is not yet written
	for i := run; ; {
		for i < len(a.src) && class[a.src[i]]&inText != 0 {
			i++
		}
		c := a.at(i)
		if c >= utf8.RuneSelf {
			size, err := a.character(i)
			if err != nil {
				return err
			}
			i += size
			continue
		}
		a.out = append(a.out, a.src[run:i]...)
		switch c {
		case '<':
			a.pos = i
			return nil
		case '>':
			if i-first >= 2 && a.src[i-1] == ']' && a.src[i-2] == ']' {
				return a.fail(i-2, "]]> in text")
			}
			a.out = append(a.out, "&gt;"...)
			i++
		case '\r':
			i = a.lineEnd(i, '\n')
		case '&':
			r, end, err := a.reference(i)
			if err != nil {
				return err
			}
			a.out = appendRune(a.out, r, false)
			i = end
		default:
			if i == len(a.src) {
				a.pos = i
				return nil // document reports what is missing
			}
			return a.badCharacter(i)
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
func (a *admitter) character(i int) (int, error) {
	r, size := utf8.DecodeRune(a.src[i:])
	if r == utf8.RuneError && size == 1 || !isChar(r) {
		return 0, a.badCharacter(i)
	}
	return size, nil
}

func (a *admitter) badCharacter(i int) error {
	if i >= len(a.src) {
		return a.fail(i, "the document ends in the middle of markup")
	}
	r, size := utf8.DecodeRune(a.src[i:])
	if r == utf8.RuneError && size == 1 {
		return newError(a.src, i, Encoding, "byte 0x%02X is not UTF-8", a.src[i])
	}
	return a.fail(i, "character U+%04X is not allowed here", r)
}

// reference reads &name; or &#number; at i.
func (a *admitter) reference(i int) (r rune, end int, err error) {
	end = i + 1
	for a.at(end) == '#' || class[a.at(end)]&namePart != 0 {
		end++
	}
	if a.at(end) != ';' {
		return 0, 0, a.fail(i, "& does not begin a reference")
	}
	name := a.src[i+1 : end]
	end++
	switch string(name) {
	case "amp":
		return '&', end, nil
	case "lt":
		return '<', end, nil
	case "gt":
		return '>', end, nil
	case "quot":
		return '"', end, nil
	case "apos":
		return '\'', end, nil
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, 0, a.fail(i, "entity %s is not known", excerpt(a.src[i:end]))
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	if len(digits) == 0 || digits[0] == '+' || digits[0] == '-' {
		return 0, 0, a.fail(i, "reference %s is malformed", excerpt(a.src[i:end]))
	}
	n, err := strconv.ParseInt(string(digits), base, 32)
	if err != nil || !isChar(rune(n)) {
		return 0, 0, a.fail(i, "reference %s is not a character", excerpt(a.src[i:end]))
	}
	return rune(n), end, nil
}

func (a *admitter) cdata() error {
	a.nodes++
	const start, end = "<![CDATA[", "]]>"
	i := a.pos + len(start)
	length := bytes.Index(a.src[i:], []byte(end))
	if length < 0 {
		return a.fail(a.pos, "a CDATA section does not end")
	}
	if err := a.skippable(i, i+length); err != nil {
		return err
	}
	for stop := i + length; i < stop; {
		if a.src[i] == '\r' {
			i = a.lineEnd(i, '\n')
			continue
		}
		a.out = appendEscaped(a.out, a.src[i:i+1], false)
		i++
	}
	a.pos = i + len(end)
	return nil
}

// skippable checks that src[i:end], which is not copied to the output or only later, holds only valid XML characters.
func (a *admitter) skippable(i, end int) error {
	for i < end {
		switch c := a.src[i]; {
		case c >= utf8.RuneSelf:
			size, err := a.character(i)
			if err != nil {
				return err
			}
			i += size
		case !isChar(rune(c)):
			return a.badCharacter(i)
		default:
			i++
		}
	}
	return nil
}

func (a *admitter) comment() error {
	i := a.pos + len("<!--")
	length := bytes.Index(a.src[i:], []byte("--"))
	switch {
	case length < 0:
		return a.fail(a.pos, "a comment does not end")
	case a.at(i+length+2) != '>':
		return a.fail(i+length, "-- in a comment")
	}
	a.pos = i + length + 3
	return a.skippable(i, i+length)
}

func (a *admitter) instruction() error {
	name, err := a.name(a.pos + 2)
	if err != nil {
		return err
	}
	target := name.of(a.src)
	if bytes.EqualFold(target, []byte("xml")) {
		return a.fail(a.pos, "an XML declaration is allowed only at the very beginning")
	}
	if a.at(name.to) == ':' {
		return a.fail(name.to, "the target of a processing instruction has no prefix")
	}
	length := bytes.Index(a.src[name.to:], []byte("?>"))
	if length < 0 {
		return a.fail(a.pos, "a processing instruction does not end")
	}
	if length > 0 && class[a.src[name.to]]&space == 0 {
		return a.badCharacter(name.to)
	}
	a.pos = name.to + length + 2
	return a.skippable(name.to, name.to+length)
}

// name reads a name without a colon.
func (a *admitter) name(i int) (span, error) {
	name, foreign := span{i, i}, false
	if class[a.at(i)]&nameStart == 0 {
		if c := a.at(i); c == 0 || class[c]&space != 0 {
			return name, a.fail(i, "a name is missing")
		}
		return name, a.fail(i, "a name does not begin with %s", excerpt(a.src[i:i+1]))
	}
	for ; class[a.at(i)]&namePart != 0; i++ {
		foreign = foreign || a.src[i] >= utf8.RuneSelf
	}
	name.to = i
	if foreign {
		if err := a.skippable(name.from, name.to); err != nil {
			return name, err
		}
		if !isForeignName(name.of(a.src)) {
			return name, a.fail(name.from, "%s is not a name", excerpt(name.of(a.src)))
		}
	}
	if name.to-name.from > maxName {
		return name, newError(a.src, name.from, TooLarge, "a name of more than %d bytes", maxName)
	}
	return name, nil
}

// qualified reads a name that may have a prefix.
func (a *admitter) qualified(i int) (name, prefix, local span, err error) {
	if local, err = a.name(i); err != nil || a.at(local.to) != ':' {
		return local, span{}, local, err
	}
	prefix = local
	if local, err = a.name(prefix.to + 1); err != nil {
		return
	}
	if a.at(local.to) == ':' {
		err = a.fail(local.to, "a name with two colons")
	}
	return span{prefix.from, local.to}, prefix, local, err
}

func (a *admitter) startTag() error {
	at := a.pos
	if len(a.open) == MaxDepth {
		return newError(a.src, at, TooLarge, "elements are nested deeper than %d", MaxDepth)
	}
	name, prefix, _, err := a.qualified(at + 1)
	if err != nil {
		return err
	}
	empty, err := a.attributes(name.to)
	if err != nil {
		return err
	}
	a.nodes += 1 + len(a.attrs)

	outer := len(a.scope)
	a.out = append(append(a.out, '<'), name.of(a.src)...)
	if err := a.declare(outer); err != nil {
		return err
	}
	if _, err := a.resolve(prefix, at+1); err != nil {
		return err
	}
	if err := a.unique(); err != nil {
		return err
	}
	for i := range a.attrs {
		attr := &a.attrs[i]
		if attr.decl {
			continue
		}
		before := len(a.out)
		if err := a.writeAttribute(attr); err != nil {
			return err
		}
		if string(attr.prefix.of(a.src)) == "xml" && string(attr.local.of(a.src)) == "id" {
			if err := a.identify(attr, a.out[before+len(` xml:id="`):len(a.out)-len(`"`)]); err != nil {
				return err
			}
		}
	}
	a.out = append(a.out, '>')
	if empty {
		a.writeEnd(name, outer)
	} else {
		a.open = append(a.open, openElement{name, outer})
	}
	return nil
}

func (a *admitter) endTag() error {
	n := len(a.open) - 1
	if n < 0 {
		return a.fail(a.pos, "an end tag without a start tag")
	}
	top := a.open[n]
	from := a.pos + len("</")
	end := from + top.name.to - top.name.from
	if end > len(a.src) || !bytes.Equal(a.src[from:end], top.name.of(a.src)) || class[a.at(end)]&namePart != 0 {
		name, _, _, err := a.qualified(from)
		if err != nil {
			return err
		}
		return a.fail(a.pos, "end tag %s where %s is open", excerpt(name.of(a.src)), excerpt(top.name.of(a.src)))
	}
	if end = a.spaces(end); a.at(end) != '>' {
		return a.badCharacter(end)
	}
	a.pos = end + 1
	a.open = a.open[:n]
	a.writeEnd(top.name, top.scope)
	return nil
}

func (a *admitter) writeEnd(name span, scope int) {
	a.out = append(append(append(a.out, "</"...), name.of(a.src)...), '>')
	a.scope = a.scope[:scope]
}

// identify checks an xml:id, which has to be a name, without white space, and of one element alone: parsers of
// databases refuse others, or change them.
func (a *admitter) identify(attr *attribute, id []byte) error {
	switch name := string(id); {
	case !isName(name):
		return a.fail(attr.name.from, "xml:id %s is not a name", excerpt(id))
	case a.ids[name]:
		return a.fail(attr.name.from, "xml:id %s is used twice", excerpt(id))
	case a.ids == nil:
		a.ids = map[string]bool{name: true}
	default:
		a.ids[name] = true
	}
	return nil
}

// attributes reads the rest of a start tag into a.attrs.
func (a *admitter) attributes(i int) (empty bool, err error) {
	a.attrs = a.attrs[:0]
	for {
		start := i
		i = a.spaces(i)
		switch a.at(i) {
		case '>':
			a.pos = i + 1
			return false, nil
		case '/':
			if a.at(i+1) != '>' {
				return false, a.badCharacter(i + 1)
			}
			a.pos = i + 2
			return true, nil
		}
		if i == start {
			return false, a.badCharacter(i)
		}
		if a.nodes+len(a.attrs) >= a.limits.Nodes {
			return false, newError(a.src, i, TooLarge, "more than %d elements, attributes and texts", a.limits.Nodes)
		}
		if len(a.attrs) == a.limits.Attributes {
			return false, newError(a.src, i, TooLarge, "more than %d attributes of one element", a.limits.Attributes)
		}
		var attr attribute
		if attr.name, attr.prefix, attr.local, err = a.qualified(i); err != nil {
			return false, err
		}
		if i = a.spaces(attr.name.to); a.at(i) != '=' {
			return false, a.fail(i, "attribute %s has no value", excerpt(attr.name.of(a.src)))
		}
		i = a.spaces(i + 1)
		if attr.value, attr.plain, err = a.value(i); err != nil {
			return false, err
		}
		i = attr.value.to + 1
		attr.decl = isXMLNS(attr.prefix.of(a.src)) || attr.prefix.empty() && isXMLNS(attr.local.of(a.src))
		a.attrs = append(a.attrs, attr)
	}
}

func isXMLNS(name []byte) bool { return string(name) == "xmlns" }

// value finds the end of a quoted value and checks its characters; references are left for appendValue.
func (a *admitter) value(i int) (value span, plain bool, err error) {
	quote := a.at(i)
	if quote != '"' && quote != '\'' {
		return value, false, a.fail(i, "a value is not in quotes")
	}
	value, plain = span{i + 1, i + 1}, true
	for i++; ; {
		for i < len(a.src) && class[a.src[i]]&inValue != 0 {
			i++
		}
		switch c := a.at(i); {
		case c == quote:
			value.to = i
			return value, plain, nil
		case c == '<':
			return value, false, a.fail(i, "< in the value of an attribute")
		case c >= utf8.RuneSelf:
			size, err := a.character(i)
			if err != nil {
				return value, false, err
			}
			i += size
		case c == '\'':
			i++
		case c == '"', c == '&', c == '>', class[c]&space != 0:
			plain = false
			i++
		default:
			return value, false, a.badCharacter(i)
		}
	}
}

// writeAttribute writes name and value in the normal form.
func (a *admitter) writeAttribute(attr *attribute) error {
	a.out = append(append(append(a.out, ' '), attr.name.of(a.src)...), `="`...)
	if attr.plain {
		a.out = append(append(a.out, attr.value.of(a.src)...), '"')
		return nil
	}
	for i := attr.value.from; i < attr.value.to; {
		switch c := a.src[i]; {
		case c == '&':
			r, end, err := a.reference(i)
			if err != nil {
				return err
			}
			a.out = appendRune(a.out, r, true)
			i = end
		case c == '\r':
			i = a.lineEnd(i, ' ')
		case class[c]&space != 0:
			a.out = append(a.out, ' ') // only a reference keeps a tab or a line feed
			i++
		default:
			a.out = appendEscaped(a.out, a.src[i:i+1], true)
			i++
		}
	}
	a.out = append(a.out, '"')
	return nil
}

// declare writes the namespace declarations of a start tag, before its other attributes, and brings them into scope.
func (a *admitter) declare(outer int) error {
	for i := range a.attrs {
		attr := &a.attrs[i]
		if !attr.decl {
			continue
		}
		prefix := span{}
		if !attr.prefix.empty() {
			prefix = attr.local
		}
		for _, d := range a.scope[outer:] {
			if bytes.Equal(d.prefix.of(a.src), prefix.of(a.src)) {
				return a.fail(attr.name.from, "attribute %s occurs twice", excerpt(attr.name.of(a.src)))
			}
		}
		if len(a.scope) == maxScope {
			return newError(a.src, attr.name.from, TooLarge, "more than %d namespace declarations in scope", maxScope)
		}
		before := len(a.out)
		if err := a.writeAttribute(attr); err != nil {
			return err
		}
		uri := span{before + len(` `) + len(attr.name.of(a.src)) + len(`="`), len(a.out) - len(`"`)}
		p, u := prefix.of(a.src), uri.of(a.out)
		switch {
		case isXMLNS(p), string(u) == xmlnsURI, (string(p) == "xml") != (string(u) == xmlURI):
			return a.fail(attr.name.from, "prefix %s cannot be bound to %s", excerpt(p), excerpt(u))
		case len(p) > 0 && len(u) == 0:
			return a.fail(attr.name.from, "prefix %s is bound to nothing", excerpt(p))
		case len(u) > maxName:
			return newError(a.src, attr.name.from, TooLarge, "a namespace with a name of more than %d bytes", maxName)
		case !isURI(unescaped(u)):
			return a.fail(attr.name.from, "the name of a namespace, %s, is not a URI", excerpt(u))
		}
		// Compared once here, so that attributes need not compare names of namespaces, which may be long.
		number := 0
		for _, d := range a.scope {
			if bytes.Equal(d.uri.of(a.out), u) {
				number = d.number
				break
			}
		}
		if number == 0 {
			a.numbers++
			number = a.numbers
		}
		a.scope = append(a.scope, declared{prefix, uri, number})
	}
	return nil
}

// resolve returns the number of the namespace that a prefix is bound to.
func (a *admitter) resolve(prefix span, at int) (uri int, err error) {
	p := prefix.of(a.src)
	if len(p) == 0 {
		return 0, nil // the default namespace needs no declaration
	}
	for i := len(a.scope) - 1; i >= 0; i-- {
		if bytes.Equal(a.scope[i].prefix.of(a.src), p) {
			return a.scope[i].number, nil
		}
	}
	if string(p) == "xml" {
		return 0, nil // bound by definition; a.same compares its prefix
	}
	return 0, a.fail(at, "prefix %s is not declared", excerpt(p))
}

// unique refuses two attributes with one expanded name.
func (a *admitter) unique() error {
	for i := range a.attrs {
		attr := &a.attrs[i]
		if attr.decl || attr.prefix.empty() {
			continue
		}
		var err error
		if attr.uri, err = a.resolve(attr.prefix, attr.name.from); err != nil {
			return err
		}
	}
	const few = 8
	if len(a.attrs) <= few {
		for i := range a.attrs {
			for j := range i {
				if a.same(i, j) {
					return a.duplicate(i)
				}
			}
		}
		return nil
	}
	size := 4 * few
	for size < 2*len(a.attrs) {
		size *= 2
	}
	if size > cap(a.table) {
		a.table = make([]int32, size)
	}
	table := a.table[:size]
	clear(table)
	for i := range a.attrs {
		// Attributes of one local name in several namespaces share a place; maxScope bounds how many can.
		h := maphash.Bytes(a.seed, a.attrs[i].local.of(a.src))
		for ; ; h++ {
			slot := &table[h&uint64(size-1)]
			if *slot == 0 {
				*slot = int32(i + 1)
				break
			}
			if a.same(i, int(*slot-1)) {
				return a.duplicate(i)
			}
		}
	}
	return nil
}

func (a *admitter) same(i, j int) bool {
	x, y := &a.attrs[i], &a.attrs[j]
	if x.decl || y.decl || !bytes.Equal(x.local.of(a.src), y.local.of(a.src)) {
		return false
	}
	if x.uri == 0 || y.uri == 0 { // none, or the one of the prefix xml
		return bytes.Equal(x.prefix.of(a.src), y.prefix.of(a.src))
	}
	return x.uri == y.uri
}

func (a *admitter) duplicate(i int) error {
	name := a.attrs[i].name
	return a.fail(name.from, "attribute %s occurs twice", excerpt(name.of(a.src)))
}
