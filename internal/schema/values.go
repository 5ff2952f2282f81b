package schema

import (
	"bytes"
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

func newChecker(v *value) *checker {
	c := compileChecker(v)
	c.words = v.describe()
	return c
}

// compileChecker knows the types that the project's schemas use, each with the facets that they use it with. Any other
// combination is unknown to it.
func compileChecker(v *value) *checker {
	unknown := &checker{}
	if v == nil {
		return unknown
	}
	if v.codes != nil {
		// The engine holds the codes against the base, so a string or a token needs no second look.
		if len(v.facets) > 0 || v.base != "string" && v.base != "NMTOKEN" {
			return unknown
		}
		return oneOf(v.codes...)
	}
	c := &checker{kind: numberValue, digits: maxDigits, negative: true, zero: true}
	facets := len(v.facets)
	switch v.base {
	case "string":
		return newStringChecker(v.facets)
	case "decimal":
		c.fraction = maxDigits
		for name, limit := range map[string]*int{"totalDigits": &c.digits, "fractionDigits": &c.fraction} {
			if facet, ok := v.facets[name]; ok {
				n, err := strconv.Atoi(facet)
				if err != nil {
					return unknown
				}
				*limit = min(n, *limit)
				facets--
			}
		}
		if v.facets["minInclusive"] == "0" {
			c.negative = false
			facets--
		}
	case "integer":
	case "int":
		c.digits = 9
	case "nonNegativeInteger":
		c.negative = false
	case "positiveInteger":
		c.negative, c.zero = false, false
	default:
		kinds := map[string]valueKind{
			"date": dateValue, "dateTime": dateTimeValue, "base64Binary": base64Value, "anyURI": uriValue,
		}
		c = &checker{kind: kinds[v.base]}
	}
	if facets > 0 {
		return unknown
	}
	return c
}

func newStringChecker(facets map[string]string) *checker {
	unknown := &checker{}
	switch pattern := facets["pattern"]; {
	case len(facets) == 0:
		return &checker{kind: anyText}
	case len(facets) == 1 && tame.MatchString(pattern):
		if expr, err := regexp.Compile(`^(?:` + pattern + `)$`); err == nil {
			return &checker{kind: patternValue, pattern: expr}
		}
		return unknown
	case len(facets) == 2:
		least, err := strconv.Atoi(facets["minLength"])
		most, err2 := strconv.Atoi(facets["maxLength"])
		if err == nil && err2 == nil {
			return &checker{kind: shortValue, min: least, max: most}
		}
	}
	return unknown
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
