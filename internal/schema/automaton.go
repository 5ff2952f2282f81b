package schema

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// An automaton recognises the documents of a grammar byte by byte. Its states are the particles that remain when child
// elements are read, computed in advance, each once.
type automaton struct {
	namespace string // of all elements
	document  *state // before the document element
	partial   bool   // the schema allows elements that the automaton does not know
	empty     bool   // some elements must be empty
}

// state is what may come next in the content of an element.
type state struct {
	children []child
	final    bool // the content may end here
	mixed    bool // text may stand here
}

// child is an element that may come next, and where reading it leads.
type child struct {
	name  string
	shape *shape
	next  *state
}

// shape is the type of an element.
type shape struct {
	content    content
	value      *checker // of its text
	first      *state   // before its child elements
	attributes map[string]*attributeRule
	required   uint64 // a set of attributes
}

type content uint8

const (
	noContent    content = iota // not even white space
	textContent                 // what the checker says
	childContent                // what the states say
)

// attributeRule is an attribute as a member of a set of bits.
type attributeRule struct {
	bit   uint64
	needs uint64 // others that have to be there if this one is
	value *checker
}

// The bounds of an automaton. The project's schemas need at most a hundred states.
const (
	maxStates     = 1000
	maxAttributes = 64
)

const instanceNamespace = "http://www.w3.org/2001/XMLSchema-instance"

// newAutomaton compiles a grammar for documents of one root. It returns nil for a grammar that has something unfamiliar
// or is too large.
func newAutomaton(g *grammar, root *node) *automaton {
	// The namespace is compared with the bytes of documents, so there must be only one way to write it.
	if !g.familiar || !plainURI([]byte(g.namespace)) {
		return nil
	}
	b := &automatonBuilder{grammar: g, shapes: map[*node]*shape{}, states: map[string]*state{}}
	b.automaton.namespace = g.namespace
	s := b.rootShape(b.shape(root))
	if s == nil || len(b.states) > maxStates {
		return nil
	}
	b.automaton.document = &state{children: []child{{root.attrs["name"], s, &state{final: true}}}}
	return &b.automaton
}

type automatonBuilder struct {
	*grammar
	automaton automaton
	shapes    map[*node]*shape // of complex types
	states    map[string]*state
}

// shape returns the type of an element, nil for one that an automaton cannot judge.
func (b *automatonBuilder) shape(element *node) *shape {
	complexType := b.part("complexType", element.attrs["type"])
	for _, kid := range element.kids {
		if kid.kind == "complexType" {
			complexType = kid
		}
	}
	if complexType != nil {
		return b.complexShape(complexType)
	}
	if value := b.checker(element, element.attrs["type"]); value != nil {
		return &shape{content: textContent, value: value}
	}
	return nil
}

func (b *automatonBuilder) complexShape(n *node) *shape {
	if s, known := b.shapes[n]; known {
		return s
	}
	s := &shape{attributes: map[string]*attributeRule{}}
	b.shapes[n] = s // before it is complete, for a type may contain itself
	var rest *particle
	known := true
	for _, kid := range n.kids {
		switch kid.kind {
		case "sequence", "choice", "all":
			if rest = b.particle(kid); len(rest.items) == 0 {
				rest = nil
			}
		case "simpleContent":
			extension := kid.kids[0]
			s.value = b.checker(extension, extension.attrs["base"])
			known = s.value != nil && b.addAttributes(s, extension) // nil for the extension of a complex type
		}
	}
	if known = known && b.addAttributes(s, n); !known {
		b.shapes[n] = nil
		return nil
	}
	switch mixed := n.attrs["mixed"] == "true"; {
	case s.value != nil:
		s.content = textContent
	case rest != nil || mixed:
		s.content, s.first = childContent, b.state(rest, mixed)
	default:
		b.automaton.empty = true
	}
	return s
}

// addAttributes adds the attributes that a part of the schema declares. It returns false for too many.
func (b *automatonBuilder) addAttributes(s *shape, n *node) bool {
	for _, kid := range n.kids {
		switch kid.kind {
		case "attributeGroup":
			if !b.addAttributes(s, b.part("attributeGroup", kid.attrs["ref"])) {
				return false
			}
		case "attribute":
			rule := &attributeRule{bit: 1 << len(s.attributes), value: b.checker(kid, kid.attrs["type"])}
			if rule.value == nil {
				rule.value = &checker{words: "a value"}
			}
			if kid.attrs["use"] == "required" {
				s.required |= rule.bit
			}
			s.attributes[kid.attrs["name"]] = rule
		}
	}
	return len(s.attributes) <= maxAttributes
}

// checker returns the checker of the simple type that a declaration refers to or holds, nil for none.
func (b *automatonBuilder) checker(n *node, ref string) *checker {
	simpleType := b.part("simpleType", ref)
	for _, kid := range n.kids {
		if kid.kind == "simpleType" {
			simpleType = kid
		}
	}
	switch name := b.name(ref); {
	case simpleType != nil:
		restriction := simpleType.kids[0]
		return newChecker(b.name(restriction.attrs["base"]).Local, restriction.kids)
	case ref != "" && name.Space == xsdNamespace && name.Local != "anyType":
		return newChecker(name.Local, nil)
	}
	return nil
}

// rootShape adds the attributes that only the document element has: the declaration of the namespace, which all
// elements are then in, and xsi:schemaLocation, the hint at the location of the schema. The automaton knows no other
// attribute in a namespace, so a document needs no other prefix.
func (b *automatonBuilder) rootShape(s *shape) *shape {
	if s == nil || len(s.attributes)+3 > maxAttributes {
		return nil
	}
	root := *s
	root.attributes = map[string]*attributeRule{}
	maps.Copy(root.attributes, s.attributes)
	namespace := uint64(1) << len(s.attributes)
	prefix, hint := namespace<<1, namespace<<2
	root.attributes["xmlns"] = &attributeRule{bit: namespace, value: oneOf(b.namespace)}
	root.attributes["xmlns:xsi"] = &attributeRule{bit: prefix, value: oneOf(instanceNamespace)}
	here := []byte(b.namespace + " ")
	root.attributes["xsi:schemaLocation"] = &attributeRule{bit: hint, needs: prefix, value: &checker{
		accepts: func(s []byte) bool { return bytes.HasPrefix(s, here) && plainURI(s[len(here):]) },
	}}
	root.required |= namespace
	return &root
}

// state returns the state for the rest of a content. Equal rests are the same state, which keeps the number of states
// finite where a child may occur any number of times.
func (b *automatonBuilder) state(rest *particle, mixed bool) *state {
	key := fmt.Sprint(mixed, rest)
	if s, known := b.states[key]; known {
		return s
	}
	s := &state{final: rest.optional(), mixed: mixed}
	b.states[key] = s
	if len(b.states) > maxStates {
		return s // too many, and newAutomaton will see it
	}
	for _, next := range rest.next() {
		name, shape := next.element.attrs["name"], b.shape(next.element)
		global := b.parts["element "+name] == next.element
		switch {
		case slices.ContainsFunc(s.children, func(c child) bool { return c.name == name }):
		case shape == nil || !global && !b.qualified:
			b.automaton.partial = true
		default:
			s.children = append(s.children, child{name, shape, b.state(next.rest, mixed)})
		}
	}
	return s
}
