package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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

// newAutomaton compiles a grammar for documents of one root. It returns nil for a grammar that is incomplete or too
// large.
func newAutomaton(g *grammar, root *element) *automaton {
	// The namespace is compared as it stands in documents, so there must be one way only to write it.
	if !g.complete || !plainURI([]byte(g.namespace)) {
		return nil
	}
	b := &automatonBuilder{
		namespace: g.namespace,
		shapes:    map[*contentType]*shape{},
		states:    map[string]*state{},
		numbers:   map[*element]int{},
	}
	shape := b.shape(root.typ)
	if shape == nil {
		return nil
	}
	shape = b.rootShape(shape)
	if shape == nil || len(b.states) > maxStates {
		return nil
	}
	end := &state{final: true}
	document := &state{children: []child{{name: root.name.Local, shape: shape, next: end}}}
	return &automaton{namespace: g.namespace, document: document, partial: b.partial, empty: b.empty}
}

type automatonBuilder struct {
	namespace string
	partial   bool
	empty     bool
	shapes    map[*contentType]*shape
	states    map[string]*state
	numbers   map[*element]int
}

// shape returns nil for a type that an automaton cannot judge.
func (b *automatonBuilder) shape(t *contentType) *shape {
	if t == nil || len(t.attributes) > maxAttributes {
		return nil
	}
	if s, known := b.shapes[t]; known {
		return s
	}
	s := &shape{attributes: map[string]*attributeRule{}}
	b.shapes[t] = s // before it is complete, for a type may contain itself
	for i, a := range t.attributes {
		rule := &attributeRule{bit: 1 << i, value: newChecker(a.value)}
		if a.required {
			s.required |= rule.bit
		}
		s.attributes[a.name] = rule
	}
	switch {
	case t.value != nil:
		s.content, s.value = textContent, newChecker(t.value)
	case !t.empty():
		s.content, s.first = childContent, b.state(t.content, t.mixed)
	default:
		b.empty = true
	}
	return s
}

// rootShape adds what only the document element has: the declaration of the namespace, which every element then is in,
// and the hint where the schema lies. No other attribute in a namespace is known, so no other prefix is needed.
func (b *automatonBuilder) rootShape(s *shape) *shape {
	n := len(s.attributes)
	if n+3 > maxAttributes {
		return nil
	}
	root := *s
	root.attributes = maps.Clone(s.attributes)
	namespace, prefix, hint := uint64(1)<<n, uint64(1)<<(n+1), uint64(1)<<(n+2)
	root.attributes["xmlns"] = &attributeRule{bit: namespace, value: oneOf(b.namespace)}
	root.attributes["xmlns:xsi"] = &attributeRule{bit: prefix, value: oneOf(instanceNamespace)}
	root.attributes["xsi:schemaLocation"] = &attributeRule{bit: hint, needs: prefix,
		value: &checker{kind: locationValue, namespace: b.namespace + " "}}
	root.required |= namespace
	return &root
}

// state returns the state for the rest of a content. Rests that look the same are the same state, which is what keeps
// the number of states finite where a child may come any number of times.
func (b *automatonBuilder) state(rest *particle, mixed bool) *state {
	var key strings.Builder
	fmt.Fprint(&key, mixed)
	b.describe(&key, rest)
	if s, known := b.states[key.String()]; known {
		return s
	}
	s := &state{final: rest.optional(), mixed: mixed}
	b.states[key.String()] = s
	if len(b.states) > maxStates {
		return s // too many, and newAutomaton will see it
	}
	for _, candidate := range rest.next() {
		after, e := rest.after(candidate.name)
		shape := b.shape(e.typ)
		switch {
		case s.has(e.name.Local):
		case e.name.Space != b.namespace || shape == nil:
			b.partial = true
		default:
			s.children = append(s.children, child{name: e.name.Local, shape: shape, next: b.state(after, mixed)})
		}
	}
	return s
}

func (s *state) has(name string) bool {
	return slices.ContainsFunc(s.children, func(c child) bool { return c.name == name })
}

// describe writes a particle so that two are written alike only if they are alike.
func (b *automatonBuilder) describe(key *strings.Builder, p *particle) {
	if p == nil {
		return
	}
	fmt.Fprintf(key, "(%s %d %d", p.kind, p.min, p.max)
	if p.element != nil {
		if _, known := b.numbers[p.element]; !known {
			b.numbers[p.element] = len(b.numbers)
		}
		fmt.Fprintf(key, " %d", b.numbers[p.element])
	}
	for _, item := range p.items {
		b.describe(key, item)
	}
	key.WriteByte(')')
}
