package xquery

import (
	"fmt"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Refused says what is wrong with a query.
type Refused struct {
	Line    int
	Problem string
}

func (r *Refused) Error() string { return fmt.Sprintf("XQuery, line %d: %s", r.Line, r.Problem) }

// parser reads a query from left to right. It panics with a *Refused, which
// Parse recovers.
type parser struct {
	text  string
	at    int
	scope *scope
	edits []edit
}

// scope is the namespaces of an expression: an element constructor has its own.
type scope struct {
	element  string // the default namespace of elements
	function string
	prefixes map[string]string
}

func (s *scope) with(prefix, uri string) *scope {
	inner := &scope{element: s.element, function: s.function, prefixes: map[string]string{}}
	maps.Copy(inner.prefixes, s.prefixes)
	if prefix == "" {
		inner.element = uri
	} else {
		inner.prefixes[prefix] = uri
	}
	return inner
}

func (p *parser) refuse(format string, args ...any) {
	panic(&Refused{Line: 1 + strings.Count(p.text[:min(p.at, len(p.text))], "\n"), Problem: fmt.Sprintf(format, args...)})
}

// skip consumes white space and comments, which nest.
func (p *parser) skip() {
	for depth := 0; p.at < len(p.text); {
		rest := p.text[p.at:]
		switch {
		case strings.HasPrefix(rest, "(:"):
			depth++
			p.at += 2
		case depth > 0 && strings.HasPrefix(rest, ":)"):
			depth--
			p.at += 2
		case depth > 0 || strings.ContainsRune(" \t\r\n", rune(rest[0])):
			p.at++
		default:
			return
		}
	}
}

// sees reports whether the next token begins with the given text.
func (p *parser) sees(text string) bool {
	p.skip()
	return strings.HasPrefix(p.text[p.at:], text)
}

// takes consumes a symbol if it is next.
func (p *parser) takes(symbol string) bool {
	if !p.sees(symbol) {
		return false
	}
	p.at += len(symbol)
	return true
}

func (p *parser) want(symbol string) {
	if !p.takes(symbol) {
		p.refuse("%q expected, not %q", symbol, p.ahead())
	}
}

// ahead returns what comes next, for messages.
func (p *parser) ahead() string {
	p.skip()
	rest := p.text[p.at:]
	if len(rest) > 20 {
		rest = rest[:20] + "…"
	}
	return rest
}

// words reports whether these words come next, each as a whole word.
func (p *parser) words(words ...string) bool {
	at := p.at
	defer func() { p.at = at }()
	for _, w := range words {
		p.skip()
		if p.ncName() != w {
			return false
		}
	}
	return true
}

// takesWords consumes words if they come next.
func (p *parser) takesWords(words ...string) bool {
	if !p.words(words...) {
		return false
	}
	for range words {
		p.skip()
		p.ncName()
	}
	return true
}

func (p *parser) wantWord(word string) {
	if !p.takesWords(word) {
		p.refuse("%q expected, not %q", word, p.ahead())
	}
}

// before reports whether a word and then a symbol come next.
func (p *parser) before(word, symbol string) bool {
	at := p.at
	defer func() { p.at = at }()
	return p.takesWords(word) && p.sees(symbol)
}

// ncName consumes a name without a colon, and returns it; empty if there is
// none.
func (p *parser) ncName() string {
	from := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		inside := p.at > from && (r == '-' || r == '.' || unicode.IsDigit(r) || r == '\u00b7' || unicode.Is(unicode.M, r))
		if r != '_' && !unicode.IsLetter(r) && !inside {
			break
		}
		p.at += size
	}
	return p.text[from:p.at]
}

// qName consumes a name with or without a prefix.
func (p *parser) qName() (prefix, local string) {
	p.skip()
	local = p.ncName()
	if local == "" {
		p.refuse("a name expected, not %q", p.ahead())
	}
	if p.at+1 < len(p.text) && p.text[p.at] == ':' && p.text[p.at+1] != ':' && p.text[p.at+1] != '=' {
		at := p.at
		p.at++
		if second := p.ncName(); second != "" {
			return local, second
		}
		p.at = at
	}
	return "", local
}

// uri returns the namespace of a prefix.
func (p *parser) uri(prefix string) string {
	uri, ok := p.scope.prefixes[prefix]
	if !ok {
		p.refuse("the prefix %s is not declared", prefix)
	}
	return uri
}

// elementName resolves the name of an element.
func (p *parser) elementName(prefix, local string) Name {
	if prefix == "" {
		return Name{p.scope.element, local}
	}
	return Name{p.uri(prefix), local}
}

// attributeName resolves the name of an attribute, for which there is no
// default.
func (p *parser) attributeName(prefix, local string) Name {
	if prefix == "" {
		return Name{"", local}
	}
	return Name{p.uri(prefix), local}
}

// stringLiteral consumes a string and returns its value, without resolving
// entities.
func (p *parser) stringLiteral() string {
	p.skip()
	if p.at >= len(p.text) || p.text[p.at] != '"' && p.text[p.at] != '\'' {
		p.refuse("a string expected, not %q", p.ahead())
	}
	quote := p.text[p.at : p.at+1]
	var b strings.Builder
	for p.at++; ; {
		end := strings.Index(p.text[p.at:], quote)
		if end < 0 {
			p.refuse("a string does not end")
		}
		b.WriteString(p.text[p.at : p.at+end])
		p.at += end + 1
		if !strings.HasPrefix(p.text[p.at:], quote) {
			return b.String()
		}
		b.WriteString(quote)
		p.at++
	}
}
