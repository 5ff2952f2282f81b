package schema

import (
	"fmt"
	"strings"
)

// words lists what may come next: elements, and the end of an element if that has a name.
func (s *state) words(end string) string {
	var names []string
	for _, c := range s.children {
		names = append(names, "<"+c.name+">")
	}
	if end != "" && s.final {
		names = append(names, "the end of <"+end+">")
	}
	return list(names, "or")
}

// contentWords says what an element of the type holds besides attributes.
func (s *shape) contentWords() string {
	switch s.content {
	case textContent:
		return s.value.words
	case childContent:
		return "only elements"
	case noContent:
	}
	return "nothing"
}

// list joins words. Of a long list it returns the beginning and the number of the others.
func list(words []string, last string) string {
	const maxLength = 120
	size := 0
	for i, word := range words {
		if size += len(word) + len(", "); size > maxLength && i > 0 && i < len(words)-1 {
			return fmt.Sprintf("%s %s one of %d others", strings.Join(words[:i], ", "), last, len(words)-i)
		}
	}
	switch n := len(words); n {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
}

// tagName shows an element's name, with its namespace if that is not the expected one.
func (e *docElement) tagName(expected string) string {
	local := "<" + oneLine(string(e.local)) + ">"
	switch space := string(e.space); space {
	case expected:
		return local
	case "":
		return local + " of no namespace"
	default:
		return local + " of namespace " + quote(space)
	}
}
