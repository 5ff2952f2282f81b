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

// typeWords describe the built-in types that the project's schemas use.
var typeWords = map[string]string{
	"string":             "text",
	"anyURI":             "a URI",
	"base64Binary":       "base64 data",
	"date":               "a date (YYYY-MM-DD)",
	"dateTime":           "a date and time (YYYY-MM-DDThh:mm:ss)",
	"decimal":            "a decimal number",
	"integer":            "a whole number",
	"int":                "a whole number of 32 bits",
	"nonNegativeInteger": "a whole number that is not negative",
	"positiveInteger":    "a whole number above 0",
	"NMTOKEN":            "a single word",
}

var facetWords = []struct{ facet, words string }{
	{"minInclusive", "at least %s"},
	{"minExclusive", "above %s"},
	{"maxInclusive", "at most %s"},
	{"totalDigits", "at most %s digits"},
	{"fractionDigits", "at most %s places after the point"},
	{"minLength", "minimum length %s"},
	{"maxLength", "maximum length %s"},
	{"pattern", "in the form %s"},
}

// describe says what a value has to be.
func (v *value) describe() string {
	if v == nil {
		return "a value"
	}
	if len(v.codes) > 0 {
		return list(v.codes, "or")
	}
	words := typeWords[v.base]
	if words == "" {
		words = "a value of type " + v.base
	}
	var limits []string
	for _, f := range facetWords {
		if limit, ok := v.facets[f.facet]; ok {
			limits = append(limits, fmt.Sprintf(f.words, limit))
		}
	}
	if len(limits) == 0 {
		return words
	}
	return words + ", " + list(limits, "and")
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
