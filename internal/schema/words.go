package schema

import (
	"fmt"
	"slices"
	"strings"
)

// expectation lists what may come next: elements, and the end of an element where that has a name.
func expectation(rest *particle, end string) string {
	var names []string
	for _, e := range rest.next() {
		if name := "<" + e.name.Local + ">"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if end != "" && rest.optional() {
		names = append(names, "the end of <"+end+">")
	}
	return list(names, "or")
}

// list joins words. A long list tells nobody anything, so only its beginning is shown.
func list(words []string, last string) string {
	const most = 120
	size := 0
	for i, word := range words {
		if size += len(word) + len(", "); size > most && i > 0 && i < len(words)-1 {
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

// builtin describes the built-in types that the project's schemas use, for people who do not know XML Schema.
var builtin = map[string]string{
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

// describe says what a value has to be.
func (v *value) describe() string {
	if v == nil {
		return "a value"
	}
	if len(v.codes) > 0 {
		return list(v.codes, "or")
	}
	what := builtin[v.base]
	if what == "" {
		what = "a value of type " + v.base
	}
	var limits []string
	bound := func(facet, words string) {
		if limit, ok := v.facets[facet]; ok {
			limits = append(limits, fmt.Sprintf(words, limit))
		}
	}
	bound("minInclusive", "at least %s")
	bound("minExclusive", "above %s")
	bound("maxInclusive", "at most %s")
	bound("maxExclusive", "below %s")
	bound("totalDigits", "at most %s digits")
	bound("fractionDigits", "at most %s places after the point")
	bound("length", "%s characters long")
	if shortest, ok := v.facets["minLength"]; ok && v.facets["maxLength"] != "" {
		limits = append(limits, fmt.Sprintf("%s to %s characters long", shortest, v.facets["maxLength"]))
	} else {
		bound("minLength", "%s or more characters long")
		bound("maxLength", "%s or fewer characters long")
	}
	bound("pattern", "in the form %s")
	if len(limits) == 0 {
		return what
	}
	return what + ", " + list(limits, "and")
}

func (t *contentType) attribute(name string) *attribute {
	for i := range t.attributes {
		if t.attributes[i].name == name {
			return &t.attributes[i]
		}
	}
	return nil
}

func (t *contentType) attributeNames() string {
	if len(t.attributes) == 0 {
		return "no attributes"
	}
	var names []string
	for _, a := range t.attributes {
		names = append(names, a.name)
	}
	return list(names, "or")
}
