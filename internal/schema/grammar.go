package schema

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

const xsdNamespace = "http://www.w3.org/2001/XMLSchema"

// A grammar is a schema as it is written.
type grammar struct {
	namespace string
	qualified bool // local elements are in the namespace
	prefixes  map[string]string
	parts     map[string]*node // what is declared at the top, by kind and name
	familiar  bool             // the schema uses only what is understood here
}

// node is an element of a schema file, without annotations. Its attributes keep their prefixes.
type node struct {
	kind    string
	attrs   map[string]string
	kids    []*node
	members []*node // of an element: those of its substitution group
}

// parseGrammar reads a schema that the engine has compiled.
func parseGrammar(source []byte) *grammar {
	root, err := parseNodes(source)
	g := &grammar{
		namespace: root.attrs["targetNamespace"],
		qualified: root.attrs["elementFormDefault"] == "qualified",
		prefixes:  map[string]string{"": root.attrs["xmlns"]},
		parts:     map[string]*node{},
	}
	for name, uri := range root.attrs {
		if prefix, ok := strings.CutPrefix(name, "xmlns:"); ok {
			g.prefixes[prefix] = uri
		}
	}
	for _, kid := range root.kids {
		g.parts[kid.kind+" "+kid.attrs["name"]] = kid
	}
	for _, kid := range root.kids {
		if head := g.part("element", kid.attrs["substitutionGroup"]); head != nil {
			head.members = append(head.members, kid)
		}
	}
	g.familiar = errors.Is(err, io.EOF) && g.understands(root, root)
	return g
}

// parseNodes returns the root of a schema, and the error that ended reading, which at the end is io.EOF.
func parseNodes(source []byte) (*node, error) {
	root := &node{}
	open := []*node{{}}
	dec := xml.NewDecoder(bytes.NewReader(source))
	for {
		token, err := dec.Token()
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "annotation" {
			token, err = nil, dec.Skip()
		}
		if err != nil {
			return root, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			n := &node{kind: t.Name.Local, attrs: map[string]string{}}
			for _, a := range t.Attr {
				n.attrs[strings.TrimPrefix(a.Name.Space+":"+a.Name.Local, ":")] = a.Value
			}
			parent := open[len(open)-1]
			parent.kids = append(parent.kids, n)
			if open = append(open, n); len(open) == 2 {
				root = n
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

// name resolves a name that an attribute of the schema holds.
func (g *grammar) name(qname string) xml.Name {
	prefix, local, ok := strings.Cut(qname, ":")
	if !ok {
		prefix, local = "", qname
	}
	return xml.Name{Space: g.prefixes[prefix], Local: local}
}

// part returns the declaration of a kind that a name refers to, nil for none.
func (g *grammar) part(kind, ref string) *node {
	if name := g.name(ref); name.Space == g.namespace {
		return g.parts[kind+" "+name.Local]
	}
	return nil
}

// substitutes lists the elements that may appear for a declaration.
func (n *node) substitutes() []*node {
	var all []*node
	if n.attrs["abstract"] != "true" {
		all = append(all, n)
	}
	for _, member := range n.members {
		all = append(all, member.substitutes()...)
	}
	return all
}

// vocabulary lists the elements of XML Schema that are understood here, with their attributes. A schema that uses
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

// understands reports whether a part of a schema, and all in it, is in the vocabulary.
func (g *grammar) understands(n, schema *node) bool {
	known, ok := vocabulary[n.kind]
	for name, value := range n.attrs {
		declaration := n == schema && (name == "xmlns" || strings.HasPrefix(name, "xmlns:"))
		ok = ok && (declaration || slices.Contains(known, name) && understandsValue(name, value))
	}
	switch n.kind {
	case "choice":
		// No content satisfies an empty choice; here it would be taken for no content.
		ok = ok && len(n.kids) > 0
	case "restriction":
		// A checker has one facet of each kind and none of the base, so there must be no others.
		ok = ok && n.attrs["base"] != "" && g.name(n.attrs["base"]).Space == xsdNamespace
		for i, facet := range n.kids {
			again := slices.ContainsFunc(n.kids[:i], func(other *node) bool { return other.kind == facet.kind })
			ok = ok && (facet.kind == "enumeration" || !again)
		}
	}
	return ok && !slices.ContainsFunc(n.kids, func(kid *node) bool { return !g.understands(kid, schema) })
}

// understandsValue reports whether a value is written in the usual way. XML Schema allows other spellings, too.
func understandsValue(name, value string) bool {
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
