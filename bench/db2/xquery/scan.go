package xquery

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Refused error says what is wrong with a query.
type Refused struct {
	Line    int
	Problem string
}

func (r *Refused) Error() string { return fmt.Sprintf("XQuery, line %d: %s", r.Line, r.Problem) }

// A parser reads a query from left to right. It panics with *Refused, which Parse recovers.
type parser struct {
	text     string
	at       int
	element  string            // the default namespace of elements
	prefixes map[string]string // of the other declared namespaces
	edits    []edit
}

func (p *parser) refuse(format string, args ...any) {
	panic(&Refused{Line: 1 + strings.Count(p.text[:p.at], "\n"), Problem: fmt.Sprintf(format, args...)})
}

// skip passes white space and comments.
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

// raw passes a text if it follows at once.
func (p *parser) raw(text string) bool {
	found := strings.HasPrefix(p.text[p.at:], text)
	if found {
		p.at += len(text)
	}
	return found
}

// takes passes a symbol if it is next.
func (p *parser) takes(symbol string) bool {
	p.skip()
	return p.raw(symbol)
}

// sees reports whether a symbol is next.
func (p *parser) sees(symbol string) bool {
	p.skip()
	return strings.HasPrefix(p.text[p.at:], symbol)
}

func (p *parser) want(symbol string) {
	if !p.takes(symbol) {
		p.refuse("%q expected, not %q", symbol, p.ahead())
	}
}

// ahead returns the beginning of what comes next, for messages.
func (p *parser) ahead() string {
	p.skip()
	return fmt.Sprintf("%.20s", p.text[p.at:])
}

// words passes words if they come next, each a word of its own.
func (p *parser) words(words ...string) bool {
	at := p.at
	for _, w := range words {
		p.skip()
		if p.name() != w {
			p.at = at
			return false
		}
	}
	return true
}

func (p *parser) wantWord(word string) {
	if !p.words(word) {
		p.refuse("%q expected, not %q", word, p.ahead())
	}
}

// before reports whether a word comes next, and then a symbol.
func (p *parser) before(word, symbol string) bool {
	at := p.at
	defer func() { p.at = at }()
	return p.words(word) && p.sees(symbol)
}

// name passes a name without a colon and returns it; empty if there is none.
func (p *parser) name() string {
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

// qName passes a name with or without a prefix.
func (p *parser) qName() (prefix, local string) {
	p.skip()
	local = p.name()
	if local == "" {
		p.refuse("a name expected, not %q", p.ahead())
	}
	if at := p.at; p.raw(":") {
		if second := p.name(); second != "" {
			return local, second
		}
		p.at = at // := of a variable
	}
	return "", local
}

// stringLiteral passes a string and returns its value.
func (p *parser) stringLiteral() string {
	p.skip()
	rest := p.text[p.at:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		if end := strings.IndexByte(rest[1:], rest[0]); end >= 0 {
			p.at += end + 2 // a doubled quote in it is refused as what follows
			return rest[1 : end+1]
		}
	}
	p.refuse("a string expected, not %q", p.ahead())
	return ""
}
