package schema

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A checker recognises valid values, as they are written in the document. It recognises the usual way to write a value
// only: without blanks around it, without a plus sign, with a year of four digits. The rest is left to the engine.
type checker struct {
	kind      valueKind
	codes     map[string]struct{}
	pattern   *regexp.Regexp
	min, max  int    // length of a string
	digits    int    // how many a number may have
	fraction  int    // how many of them behind the point
	negative  bool   // a number may be below zero
	zero      bool   // it may be zero
	namespace string // of which a hint says where its schema is
	words     string // what the value has to be
}

type valueKind uint8

const (
	unknownValue valueKind = iota // never surely valid
	anyText                       // always
	codeValue
	patternValue
	shortValue
	numberValue
	dateValue
	dateTimeValue
	base64Value
	uriValue
	locationValue
)

// maxDigits keeps numbers to a length at which no processor of XML Schema has a reason to refuse them.
const maxDigits = 18

// builtIn are the types that the project's schemas restrict, with words for them.
var builtIn = map[string]checker{
	"string":             {kind: anyText, words: "text"},
	"anyURI":             {kind: uriValue, words: "a URI"},
	"base64Binary":       {kind: base64Value, words: "base64 data"},
	"date":               {kind: dateValue, words: "a date (YYYY-MM-DD)"},
	"dateTime":           {kind: dateTimeValue, words: "a date and time (YYYY-MM-DDThh:mm:ss)"},
	"decimal":            numbers(maxDigits, maxDigits, true, true, "a decimal number"),
	"integer":            numbers(maxDigits, 0, true, true, "a whole number"),
	"int":                numbers(9, 0, true, true, "a whole number of 32 bits"),
	"nonNegativeInteger": numbers(maxDigits, 0, false, true, "a whole number that is not negative"),
	"positiveInteger":    numbers(maxDigits, 0, false, false, "a whole number above 0"),
	"NMTOKEN":            {words: "a single word"},
}

func numbers(digits, fraction int, negative, zero bool, words string) checker {
	return checker{kind: numberValue, digits: digits, fraction: fraction, negative: negative, zero: zero, words: words}
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

// newChecker returns the checker of a built-in type with restrictions. It knows the types that the project's schemas
// use, each with the facets that they use it with; any other combination is never surely valid.
func newChecker(base string, restrictions []*node) *checker {
	c, ok := builtIn[base]
	if !ok {
		c.words = "a value of type " + base
	}
	var codes, limits []string
	facets := map[string]string{}
	for _, r := range restrictions {
		if r.kind == "enumeration" {
			codes = append(codes, r.attrs["value"])
		} else {
			facets[r.kind] = r.attrs["value"]
		}
	}
	for _, f := range facetWords {
		if limit, ok := facets[f.facet]; ok {
			limits = append(limits, fmt.Sprintf(f.words, limit))
		}
	}
	switch {
	case len(codes) > 0 && len(facets) == 0 && (base == "string" || base == "NMTOKEN"):
		// The engine holds the codes against the base, so a string or a token needs no second look.
		c = *oneOf(codes...)
	case len(facets) == 0 && len(codes) == 0:
	case base == "string" && len(codes) == 0:
		c.restrictText(facets)
	case base == "decimal" && len(codes) == 0:
		c.restrictNumber(facets)
	default:
		c.kind = unknownValue
	}
	switch {
	case len(codes) > 0:
		c.words = list(codes, "or")
	case len(limits) > 0:
		c.words += ", " + list(limits, "and")
	}
	return &c
}

func (c *checker) restrictText(facets map[string]string) {
	c.kind = unknownValue
	pattern := facets["pattern"]
	least, err := strconv.Atoi(facets["minLength"])
	most, err2 := strconv.Atoi(facets["maxLength"])
	switch {
	case len(facets) == 1 && tame.MatchString(pattern):
		if expr, err := regexp.Compile(`^(?:` + pattern + `)$`); err == nil {
			c.kind, c.pattern = patternValue, expr
		}
	case len(facets) == 2 && err == nil && err2 == nil:
		c.kind, c.min, c.max = shortValue, least, most
	}
}

func (c *checker) restrictNumber(facets map[string]string) {
	for name, value := range facets {
		n, err := strconv.Atoi(value)
		switch {
		case name == "totalDigits" && err == nil:
			c.digits = min(n, c.digits)
		case name == "fractionDigits" && err == nil:
			c.fraction = min(n, c.fraction)
		case name == "minInclusive" && value == "0":
			c.negative = false
		default:
			c.kind = unknownValue
		}
	}
}

// tame are patterns that mean the same in XML Schema and in Go: letters, digits, plain classes of them, counts of one
// digit, groups, and question marks. Unlike the former the latter are not anchored.
var tame = regexp.MustCompile(`^(\(?(\[([0-9A-Za-z]-[0-9A-Za-z]|[0-9A-Za-z])+\]|[0-9A-Za-z])(\{[0-9]\})?\)?\??)+$`)

// oneOf accepts a list of values, in the usual way to write each in a document. Only that way is recognised, so an
// enumeration costs no unescaping.
func oneOf(codes ...string) *checker {
	c := &checker{kind: codeValue, codes: map[string]struct{}{}}
	for _, code := range codes {
		// White space but the blank changes in attributes, and ">" must not always be written like that.
		if !strings.ContainsFunc(code, func(r rune) bool { return r < ' ' || r == '>' || r > '~' }) {
			c.codes[codeEscaper.Replace(code)] = struct{}{}
		}
	}
	return c
}

var codeEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;")

// read reads a value up to its end, a quote or the bracket of the next tag, and returns where that stands, or -1.
func (c *checker) read(doc []byte, at int, end byte) int {
	if c.kind == anyText {
		return skipText(doc, at, end)
	}
	n := bytes.IndexByte(doc[at:], end)
	if n < 0 || !c.accepts(doc[at:at+n]) {
		return -1
	}
	return at + n
}

// mayBeEmpty judges the value of an element of one tag.
func (c *checker) mayBeEmpty() bool { return c.kind == anyText || c.accepts(nil) }

// accepts judges a value of any kind but anyText. Whatever it accepts consists of characters that need no escaping, or
// are escaped.
func (c *checker) accepts(s []byte) bool {
	switch c.kind {
	case codeValue:
		_, ok := c.codes[string(s)]
		return ok
	case patternValue:
		return c.pattern.Match(s)
	case shortValue:
		return len(s) >= c.min && len(s) <= c.max && harmless(s)
	case numberValue:
		return c.number(s)
	case dateValue:
		return date(s) && zone(s[len("2006-01-02"):])
	case dateTimeValue:
		return dateTime(s)
	case base64Value:
		return base64Text(s)
	case uriValue:
		return plainURI(s)
	case locationValue:
		return len(s) > len(c.namespace) && string(s[:len(c.namespace)]) == c.namespace && plainURI(s[len(c.namespace):])
	case unknownValue, anyText:
	}
	return false
}
