package xquery

import (
	"fmt"
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

// parser reads a query from left to right. It panics with a *Refused, which Parse recovers.
type parser struct {
	text     string
	at       int
	element  string            // the default namespace of elements
	prefixes map[string]string // the namespaces of prefixes
	edits    []edit
}

func (p *parser) refuse(format string, args ...any) {
	line := 1 + strings.Count(p.text[:p.at], "\n")
	panic(&Refused{Line: line, Problem: fmt.Sprintf(format, args...)})
}

// skip consumes white space and comments.
func (p *parser) skip() {
	for {
		p.space()
		if !p.raw("(:") {
			return
		}
		if !p.rawUntil(":)") {
			p.refuse("a comment does not end")
		}
	}
}

func (p *parser) space() {
	p.at += len(p.text[p.at:]) - len(strings.TrimLeft(p.text[p.at:], " \t\r\n"))
}

// raw consumes a text, without skipping white space before it.
func (p *parser) raw(text string) bool {
	if !strings.HasPrefix(p.text[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

// rawUntil consumes everything up to a text, and the text.
func (p *parser) rawUntil(end string) bool {
	length := strings.Index(p.text[p.at:], end)
	if length < 0 {
		return false
	}
	p.at += length + len(end)
	return true
}

// sees reports whether the next token begins with the given text.
func (p *parser) sees(text string) bool {
	p.skip()
	return strings.HasPrefix(p.text[p.at:], text)
}

// takes consumes a symbol if it is next.
func (p *parser) takes(symbol string) bool {
	p.skip()
	return p.raw(symbol)
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

// takesWords consumes words if they come next, each as a whole word.
func (p *parser) takesWords(words ...string) bool {
	at := p.at
	for _, w := range words {
		if p.skip(); p.ncName() != w {
			p.at = at
			return false
		}
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

// ncName consumes a name without a colon, and returns it; empty if there is none.
func (p *parser) ncName() string {
	from := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		inside := p.at > from && (r == '-' || r == '.' || unicode.IsDigit(r))
		if r != '_' && !unicode.IsLetter(r) && !inside {
			break
		}
		p.at += size
	}
	return p.text[from:p.at]
}

// qName consumes a name, and returns the namespace of its prefix, or its argument if there is no prefix, and the rest.
func (p *parser) qName(without string) (uri, local string) {
	local = p.ncName()
	if local == "" {
		p.refuse("a name expected, not %q", p.ahead())
	}
	if !p.raw(":") {
		return without, local
	}
	uri, ok := p.prefixes[local]
	if local = p.ncName(); !ok || local == "" {
		p.refuse("a prefix that is not declared, or no name after it")
	}
	return uri, local
}

// stringLiteral consumes a string and returns its value, without resolving entities.
func (p *parser) stringLiteral() string {
	p.skip()
	from := p.at
	for _, quote := range []string{`"`, "'"} {
		for p.raw(quote) { // a doubled quote is a character of the string
			if !p.rawUntil(quote) {
				p.refuse("a string does not end")
			}
		}
		if p.at > from {
			return strings.ReplaceAll(p.text[from+1:p.at-1], quote+quote, quote)
		}
	}
	p.refuse("a string expected, not %q", p.ahead())
	return ""
}
