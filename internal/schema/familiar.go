package schema

import (
	"slices"
	"strconv"
	"strings"
)

// vocabulary lists the elements of XML Schema that a grammar understands, with their attributes. A schema that uses
// anything else has no automaton: a key, a default or a facet that was overlooked would let invalid documents through.
var vocabulary = map[string][]string{
	"schema":         {"targetNamespace", "elementFormDefault", "attributeFormDefault"},
	"element":        {"name", "type", "ref", "minOccurs", "maxOccurs", "abstract", "substitutionGroup"},
	"complexType":    {"name", "mixed"},
	"simpleType":     {"name"},
	"sequence":       {"minOccurs", "maxOccurs"},
	"choice":         {"minOccurs", "maxOccurs"},
	"all":            {"minOccurs", "maxOccurs"},
	"attribute":      {"name", "type", "use"},
	"attributeGroup": {"name", "ref"},
	"simpleContent":  {},
	"extension":      {"base"},
	"restriction":    {"base"},
	"enumeration":    {"value"},
	"pattern":        {"value"},
	"minLength":      {"value"},
	"maxLength":      {"value"},
	"totalDigits":    {"value"},
	"fractionDigits": {"value"},
	"minInclusive":   {"value"},
	"minExclusive":   {"value"},
	"maxInclusive":   {"value"},
}

// familiar reports whether a part of a schema, and all in it, is in the vocabulary.
func (n *node) familiar(schema *node) bool {
	known, ok := vocabulary[n.kind]
	if !ok {
		return false
	}
	for name, value := range n.attrs {
		prefix, _, _ := strings.Cut(name, ":")
		if n == schema && prefix == "xmlns" {
			continue
		}
		if !slices.Contains(known, name) || !familiarValue(name, value) {
			return false
		}
	}
	switch n.kind {
	case "choice":
		// No content satisfies an empty choice; a grammar would take it for no content.
		if len(n.kids) == 0 {
			return false
		}
	case "restriction":
		// A grammar keeps one facet of each kind and forgets those of the base, so there must be no others.
		prefix, _, _ := strings.Cut(n.attrs["base"], ":")
		if schema.attrs["xmlns:"+prefix] != xsdNamespace {
			return false
		}
		kinds := map[string]bool{}
		for _, facet := range n.kids {
			if kinds[facet.kind] && facet.kind != "enumeration" {
				return false
			}
			kinds[facet.kind] = true
		}
	}
	return !slices.ContainsFunc(n.kids, func(kid *node) bool { return !kid.familiar(schema) })
}

// familiarValue reports whether a grammar understands a value. XML Schema has more ways to write the same.
func familiarValue(name, value string) bool {
	switch name {
	case "abstract", "mixed":
		return value == "true" || value == "false"
	case "attributeFormDefault":
		return value == "unqualified"
	case "use":
		return value == "required" || value == "optional"
	case "minOccurs", "maxOccurs":
		n, err := strconv.Atoi(value)
		return value == "unbounded" || err == nil && n >= 0 && n <= maxStates && isDigit(value[0])
	case "value":
		return true
	}
	return !strings.ContainsAny(value, " \t\r\n")
}
