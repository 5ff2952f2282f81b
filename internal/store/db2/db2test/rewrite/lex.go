package rewrite

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a name in quotes, a string, a number or a symbol.
type token struct {
	kind byte // w, q, s, n or the symbol's first byte
	text string
	gap  bool // there was white space before it
}

// is reports whether a token is one of the given words, in letters of either case, or symbols.
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
		return strings.ReplaceAll(t.text[1:len(t.text)-1], `""`, `"`)
	}
	return strings.ToUpper(t.text)
}

// value returns the value of a string literal.
func (t token) value() string { return strings.ReplaceAll(t.text[1:len(t.text)-1], "''", "'") }

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// lex splits a statement, which has no comments, into tokens.
func lex(sql string) (tokens []token) {
	gap := false
	for at := 0; at < len(sql); {
		rest := sql[at:]
		r, _ := utf8.DecodeRuneInString(rest)
		length, kind := 1, rest[0]
		switch {
		case unicode.IsSpace(r):
			at, gap = at+utf8.RuneLen(r), true
			continue
		case kind == '\'' || kind == '"':
			if length = closing(rest, kind); length == 0 {
				refuse("a quote is not closed")
			}
			kind = map[byte]byte{'\'': 's', '"': 'q'}[kind]
		case r == '_' || unicode.IsLetter(r):
			length = len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool {
				return r == '_' || r == '$' || r == '#' || r == '@' || unicode.IsLetter(r) || unicode.IsDigit(r)
			}))
			kind = 'w'
		case kind >= '0' && kind <= '9':
			length = len(rest) - len(strings.TrimLeft(rest, "0123456789.eE"))
			kind = 'n'
			// 16K is a number and a word.
		default:
			for _, symbol := range []string{"<>", "<=", ">=", "||"} {
				if strings.HasPrefix(rest, symbol) {
					length = len(symbol)
				}
			}
		}
		tokens = append(tokens, token{kind, rest[:length], gap})
		at, gap = at+length, false
	}
	return tokens
}

// closing returns the length of the quoted text that s begins with (inner quotes are doubled), 0 if it does not end.
func closing(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			continue
		}
		if i+1 == len(s) || s[i+1] != quote {
			return i + 1
		}
		i++
	}
	return 0
}

// text joins tokens to a statement.
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

// inside returns the contents of the parenthesis at the beginning of tokens,
// and its number of tokens, parentheses included.
func inside(tokens []token) (content []token, taken int) {
	if len(tokens) == 0 || tokens[0].kind != '(' {
		refuse("a parenthesis is missing at %s", text(tokens))
	}
	depth := 0
	for i, t := range tokens {
		switch t.kind {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return tokens[1:i], i + 1
			}
		}
	}
	refuse("a parenthesis is not closed")
	return nil, 0
}

// cut splits tokens at the first of the given words outside of parentheses.
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

// list splits tokens at commas outside of parentheses.
func list(tokens []token) (parts [][]token) {
	for len(tokens) > 0 {
		part, rest, _ := cut(tokens, ",")
		parts = append(parts, part)
		tokens = rest
	}
	return parts
}

// starts reports whether tokens begin with the given words.
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
