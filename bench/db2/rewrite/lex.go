package rewrite

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word, a name in quotes, a string, a number or a symbol.
type token struct {
	kind byte // w, q, s, n or the symbol's first byte
	text string
	gap  bool // there was white space or a comment before it
}

// is reports whether a token is one of some words, in letters of either case, or symbols.
func (t token) is(words ...string) bool {
	for _, w := range words {
		if t.kind != 's' && t.kind != 'q' && strings.EqualFold(t.text, w) {
			return true
		}
	}
	return false
}

// name returns a token as an identifier: words fold to upper case.
func (t token) name() string {
	if t.kind == 'q' {
		return t.text[1 : len(t.text)-1]
	}
	return strings.ToUpper(t.text)
}

// value returns what a string says.
func (t token) value() string { return strings.ReplaceAll(t.text[1:len(t.text)-1], "''", "'") }

// lex takes a statement apart. Comments go.
func lex(sql string) (tokens []token) {
	gap := false
	for at := 0; at < len(sql); {
		rest := sql[at:]
		r, size := utf8.DecodeRuneInString(rest)
		length, kind := 1, rest[0]
		switch {
		case unicode.IsSpace(r):
			at, gap = at+size, true
			continue
		case strings.HasPrefix(rest, "--"):
			at, gap = at+strings.IndexByte(rest+"\n", '\n'), true
			continue
		case kind == '\'':
			length, kind = closing(rest), 's'
		case kind == '"':
			length, kind = closing(rest), 'q'
		case r == '_' || unicode.IsLetter(r):
			length = len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool {
				return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
			}))
			kind = 'w'
		case kind >= '0' && kind <= '9': // 16K is a number and a word
			length = len(rest) - len(strings.TrimLeft(rest, "0123456789."))
			kind = 'n'
		}
		tokens = append(tokens, token{kind, rest[:length], gap})
		at, gap = at+length, false
	}
	return tokens
}

// closing returns the length of a quoted text, with quotes doubled within it.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] != s[0] {
			continue
		}
		if i+1 == len(s) || s[i+1] != s[0] {
			return i + 1
		}
		i++
	}
	refuse("a quote without its other")
	return 0
}

// text returns tokens as a statement again.
func text(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.gap {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// inside returns what the parenthesis at the beginning of tokens holds, and what follows it.
func inside(tokens []token) (content, rest []token) {
	depth := 0
	for i, t := range tokens {
		switch t.kind {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			if i == 0 {
				break
			}
			return tokens[1:i], tokens[i+1:]
		}
	}
	refuse("a parenthesis is missing at %s", text(tokens))
	return nil, nil
}

// cut splits tokens at the first of some words that is in no parenthesis.
func cut(tokens []token, words ...string) (before, after []token, found bool) {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.kind == '(':
			depth++
		case t.kind == ')':
			depth--
		case depth == 0 && t.is(words...):
			return tokens[:i], tokens[i+1:], true
		}
	}
	return tokens, nil, false
}

// typed splits tokens at AS.
func typed(tokens []token) (value, as []token) {
	value, as, found := cut(tokens, "AS")
	if !found || len(value) == 0 || len(as) == 0 {
		refuse("%s, without AS", text(tokens))
	}
	return value, as
}

// list splits tokens at commas that are in no parenthesis.
func list(tokens []token) (parts [][]token) {
	for len(tokens) > 0 {
		part, rest, _ := cut(tokens, ",")
		parts = append(parts, part)
		tokens = rest
	}
	return parts
}

// starts reports whether tokens begin with some words.
func starts(tokens []token, words ...string) bool {
	if len(tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if !tokens[i].is(w) {
			return false
		}
	}
	return true
}
