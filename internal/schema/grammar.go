package schema

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

const xsdNamespace = "http://www.w3.org/2001/XMLSchema"

// A grammar holds the declarations of a schema. It supports only the parts of XML Schema that the project's schemas
// use. If a schema uses others (wildcards, identity constraints, derived complex types, other schemas), complete is
// false and no element has a type.
type grammar struct {
	namespace string
	globals   map[xml.Name]*element
	complete  bool // nothing that the schema says was left out
}

type element struct {
	name     xml.Name
	abstract bool
	members  []*element // those that may stand for it, by substitution
	typ      *contentType
}

// contentType is the type of an element.
type contentType struct {
	value      *value    // what its text has to be, where it is text
	content    *particle // its child elements; nil for none
	mixed      bool
	attributes []attribute
}

// empty reports whether an element of the type may hold neither text nor elements.
func (t *contentType) empty() bool { return t != nil && t.value == nil && t.content == nil && !t.mixed }

type attribute struct {
	name     string
	required bool
	value    *value
}

// value is a simple type.
type value struct {
	base   string // the built-in type that it restricts
	codes  []string
	facets map[string]string
}

// node is an element of the schema file.
type node struct {
	kind  string
	attrs map[string]string
	kids  []*node
}

// parseGrammar reads a schema that the engine has compiled.
func parseGrammar(source []byte) *grammar {
	root, err := parseNodes(source)
	p := &grammarParser{
		grammar: &grammar{
			namespace: root.attrs["targetNamespace"],
			globals:   map[xml.Name]*element{},
			complete:  errors.Is(err, io.EOF) && root.familiar(root),
		},
		qualified: root.attrs["elementFormDefault"] == "qualified",
		prefixes:  map[string]string{},
		parts:     map[string]*node{},
		types:     map[*node]*contentType{},
	}
	for name, uri := range root.attrs {
		if name == "xmlns" {
			p.prefixes[""] = uri
		} else if prefix, ok := strings.CutPrefix(name, "xmlns:"); ok {
			p.prefixes[prefix] = uri
		}
	}
	for _, kid := range root.kids {
		p.parts[kid.kind+" "+kid.attrs["name"]] = kid
	}
	// Elements first, types second: types refer to elements and elements to types, in circles.
	for _, kid := range root.kids {
		if kid.kind == "element" {
			name := xml.Name{Space: p.grammar.namespace, Local: kid.attrs["name"]}
			p.grammar.globals[name] = &element{name: name, abstract: kid.attrs["abstract"] == "true"}
		}
	}
	for _, kid := range root.kids {
		if kid.kind != "element" || !p.grammar.complete {
			continue
		}
		e := p.grammar.globals[xml.Name{Space: p.grammar.namespace, Local: kid.attrs["name"]}]
		e.typ = p.typeOf(kid)
		if head := p.grammar.globals[p.name(kid.attrs["substitutionGroup"])]; head != nil {
			head.members = append(head.members, e)
		}
	}
	return p.grammar
}

// parseNodes reads the schema as a tree, without annotations. Attributes keep their prefixes. It returns what it has
// when it meets an error, which at the end is io.EOF.
func parseNodes(source []byte) (*node, error) {
	top := &node{attrs: map[string]string{}}
	open := []*node{top}
	dec := xml.NewDecoder(bytes.NewReader(source))
	var err error
	for {
		var token xml.Token
		if token, err = dec.RawToken(); err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			n := &node{kind: t.Name.Local, attrs: map[string]string{}}
			for _, a := range t.Attr {
				name := a.Name.Local
				if a.Name.Space != "" {
					name = a.Name.Space + ":" + name
				}
				n.attrs[name] = a.Value
			}
			if parent := open[len(open)-1]; n.kind != "annotation" && parent.kind != "annotation" {
				parent.kids = append(parent.kids, n)
			}
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	if len(top.kids) == 0 {
		return top, err
	}
	return top.kids[0], err
}

type grammarParser struct {
	grammar   *grammar
	qualified bool
	prefixes  map[string]string
	parts     map[string]*node // what is declared at the top, by kind and name
	types     map[*node]*contentType
}

// name resolves a name as it stands in the schema.
func (p *grammarParser) name(qname string) xml.Name {
	prefix, local, ok := strings.Cut(qname, ":")
	if !ok {
		prefix, local = "", qname
	}
	return xml.Name{Space: p.prefixes[prefix], Local: local}
}

// typeOf returns the type of an element or nil.
func (p *grammarParser) typeOf(decl *node) *contentType {
	if ref := decl.attrs["type"]; ref != "" {
		if n := p.parts["complexType "+p.name(ref).Local]; n != nil && p.name(ref).Space == p.grammar.namespace {
			return p.complexType(n)
		}
		return textType(p.valueNamed(ref))
	}
	for _, kid := range decl.kids {
		switch kid.kind {
		case "complexType":
			return p.complexType(kid)
		case "simpleType":
			return textType(p.value(kid))
		}
	}
	return nil
}

func textType(v *value) *contentType {
	if v == nil {
		return nil
	}
	return &contentType{value: v}
}

func (p *grammarParser) complexType(n *node) *contentType {
	if t, known := p.types[n]; known {
		return t
	}
	// Entered before it is complete, for a type may contain itself.
	t := &contentType{mixed: n.attrs["mixed"] == "true"}
	p.types[n] = t
	for _, kid := range n.kids {
		switch kid.kind {
		case "sequence", "choice", "all":
			if t.content = p.particle(kid); len(t.content.items) == 0 {
				t.content = nil
			}
		case "simpleContent":
			for _, extension := range kid.kids {
				t.value = p.valueNamed(extension.attrs["base"])
				t.attributes = append(t.attributes, p.attributes(extension)...)
			}
			if t.value == nil { // an extension of a complex type
				p.types[n] = nil
				return nil
			}
		}
	}
	t.attributes = append(t.attributes, p.attributes(n)...)
	return t
}

func (p *grammarParser) attributes(n *node) []attribute {
	var all []attribute
	for _, kid := range n.kids {
		switch kid.kind {
		case "attributeGroup":
			all = append(all, p.attributes(p.parts["attributeGroup "+p.name(kid.attrs["ref"]).Local])...)
		case "attribute":
			a := attribute{name: kid.attrs["name"], required: kid.attrs["use"] == "required"}
			if t := p.typeOf(kid); t != nil {
				a.value = t.value
			}
			all = append(all, a)
		}
	}
	return all
}

func (p *grammarParser) particle(n *node) *particle {
	out := &particle{
		kind: n.kind,
		min:  occurs(n.attrs["minOccurs"]),
		max:  occurs(n.attrs["maxOccurs"]),
	}
	if n.kind == "element" {
		out.element = p.element(n)
		return out
	}
	for _, kid := range n.kids {
		out.items = append(out.items, p.particle(kid))
	}
	return out
}

// element returns the declaration of an element in a content model, or the global one that it refers to.
func (p *grammarParser) element(n *node) *element {
	if ref := n.attrs["ref"]; ref != "" {
		return p.grammar.globals[p.name(ref)]
	}
	name := xml.Name{Local: n.attrs["name"]}
	if p.qualified {
		name.Space = p.grammar.namespace
	}
	return &element{name: name, typ: p.typeOf(n)}
}

// occurs reads minOccurs and maxOccurs; negative stands for any number.
func occurs(s string) int {
	switch s {
	case "":
		return 1
	case "unbounded":
		return -1
	}
	n, _ := strconv.Atoi(s) // familiar has checked it
	return n
}

// valueNamed returns the simple type of a name, nil for the one that is not simple.
func (p *grammarParser) valueNamed(ref string) *value {
	name := p.name(ref)
	switch {
	case name.Space != xsdNamespace:
		return p.value(p.parts["simpleType "+name.Local])
	case name.Local == "anyType":
		return nil
	}
	return &value{base: name.Local}
}

// value reads a simple type, which restricts a built-in one. It returns nil for no type.
func (p *grammarParser) value(n *node) *value {
	if n == nil {
		return nil
	}
	restriction := n.kids[0]
	v := &value{base: p.name(restriction.attrs["base"]).Local, facets: map[string]string{}}
	for _, facet := range restriction.kids {
		if facet.kind == "enumeration" {
			v.codes = append(v.codes, facet.attrs["value"])
		} else {
			v.facets[facet.kind] = facet.attrs["value"]
		}
	}
	return v
}
