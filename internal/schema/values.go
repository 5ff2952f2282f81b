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
	anyText bool // every text is valid
	// accepts reports whether another value is surely valid. Whatever it accepts consists of characters that need no
	// escaping, or are escaped. nil accepts nothing.
	accepts func(s []byte) bool
	words   string // what the value has to be
}

// maxDigits keeps numbers to a length at which no processor of XML Schema has a reason to refuse them.
const maxDigits = 18

// builtIn are the types that the project's schemas restrict, with their descriptions for findings.
var builtIn = map[string]checker{
	"string":             {anyText: true, words: "text"},
	"anyURI":             {accepts: plainURI, words: "a URI"},
	"base64Binary":       {accepts: base64Text, words: "base64 data"},
	"date":               {accepts: dateAlone, words: "a date (YYYY-MM-DD)"},
	"dateTime":           {accepts: dateTime, words: "a date and time (YYYY-MM-DDThh:mm:ss)"},
	"decimal":            {accepts: decimal.accepts, words: "a decimal number"},
	"integer":            {accepts: numbers{maxDigits, 0, true, true}.accepts, words: "a whole number"},
	"int":                {accepts: numbers{9, 0, true, true}.accepts, words: "a whole number of 32 bits"},
	"positiveInteger":    {accepts: numbers{maxDigits, 0, false, false}.accepts, words: "a whole number above 0"},
	"nonNegativeInteger": {accepts: natural.accepts, words: "a whole number that is not negative"},
	"NMTOKEN":            {words: "a single word"},
}

// numbers recognises numbers with at most the given digits, of which at most fraction are after the point.
type numbers struct {
	digits, fraction int
	negative, zero   bool // whether there are such
}

var (
	decimal = numbers{maxDigits, maxDigits, true, true}
	natural = numbers{maxDigits, 0, false, true}
)

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
// use, each with the facets that they use it with; any other combination is left to the engine.
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
		// The engine checks the codes against the base type, so those of a string or a token need no further check here.
		c = *oneOf(codes...)
	case len(facets) == 0 && len(codes) == 0:
	case base == "string" && len(codes) == 0:
		c.anyText, c.accepts = false, textChecker(facets)
	case base == "decimal" && len(codes) == 0:
		c.accepts = decimalChecker(facets)
	default:
		c.anyText, c.accepts = false, nil
	}
	switch {
	case len(codes) > 0:
		c.words = list(codes, "or")
	case len(limits) > 0:
		c.words += ", " + list(limits, "and")
	}
	return &c
}

// textChecker returns the check for a text with these facets, nil for facets other than a pattern or both lengths.
func textChecker(facets map[string]string) func(s []byte) bool {
	pattern := facets["pattern"]
	least, err := strconv.Atoi(facets["minLength"])
	most, err2 := strconv.Atoi(facets["maxLength"])
	switch {
	case len(facets) == 1 && tame.MatchString(pattern):
		if expr, err := regexp.Compile(`^(?:` + pattern + `)$`); err == nil {
			return expr.Match
		}
	case len(facets) == 2 && err == nil && err2 == nil:
		return func(s []byte) bool { return len(s) >= least && len(s) <= most && harmless(s) }
	}
	return nil
}

// decimalChecker returns the check for a decimal number with these facets, nil for facets that it does not know.
func decimalChecker(facets map[string]string) func(s []byte) bool {
	all := decimal
	for name, value := range facets {
		n, err := strconv.Atoi(value)
		switch {
		case name == "totalDigits" && err == nil:
			all.digits = min(n, all.digits)
		case name == "fractionDigits" && err == nil:
			all.fraction = min(n, all.fraction)
		case name == "minInclusive" && value == "0":
			all.negative = false
		default:
			return nil
		}
	}
	return all.accepts
}

// tame matches patterns that mean the same in XML Schema and in Go: letters, digits, plain classes of them, counts of
// one digit, groups, and question marks. XML Schema anchors patterns at both ends; Go does not.
var tame = regexp.MustCompile(`^(\(?(\[([0-9A-Za-z]-[0-9A-Za-z]|[0-9A-Za-z])+\]|[0-9A-Za-z])(\{[0-9]\})?\)?\??)+$`)

// oneOf accepts a list of values, in the usual way to write each in a document. Only that way is recognised, so an
// enumeration costs no unescaping.
func oneOf(values ...string) *checker {
	written := map[string]bool{}
	for _, value := range values {
		// In text, the normal form writes other characters differently than in attributes.
		if !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == '>' || r > '~' }) {
			written[codeEscaper.Replace(value)] = true
		}
	}
	return &checker{accepts: func(s []byte) bool { return written[string(s)] }}
}

var codeEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;")

// read reads a value up to its end, a quote or the bracket of the next tag, and returns the offset of the end, or -1.
func (c *checker) read(doc []byte, at int, end byte) int {
	n := bytes.IndexByte(doc[at:], end)
	if n < 0 || !c.anyText && (c.accepts == nil || !c.accepts(doc[at:at+n])) {
		return -1
	}
	return at + n
}
