package schema

import (
	"fmt"
	"slices"
	"strconv"
)

// A particle is what may come next in an element: an element, a sequence, a choice or a group in any order, a number of
// times. Reading a child element leaves a smaller particle for the rest. nil is the end of the content.
//
// XML Schema requires that the name of a child decides its place in the model, so the first fit is the right one.
type particle struct {
	kind     string // element, sequence, choice, all
	min, max int    // max is negative for no limit
	element  *node  // its declaration
	items    []*particle
}

// step is a child element that may come next, and what may follow it.
type step struct {
	element *node
	rest    *particle
}

func (g *grammar) particle(n *node) *particle {
	p := &particle{kind: n.kind, min: occurs(n.attrs["minOccurs"]), max: occurs(n.attrs["maxOccurs"])}
	if n.kind == "element" {
		if p.element = n; n.attrs["ref"] != "" {
			p.element = g.part("element", n.attrs["ref"])
		}
	} else {
		for _, kid := range n.kids {
			p.items = append(p.items, g.particle(kid))
		}
	}
	return p
}

// occurs reads minOccurs and maxOccurs; negative means any number.
func occurs(s string) int {
	switch s {
	case "":
		return 1
	case "unbounded":
		return -1
	}
	n, _ := strconv.Atoi(s) // understands has checked it
	return n
}

// String describes a particle so that two with the same description allow the same.
func (p *particle) String() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("(%s %d %d %p%v)", p.kind, p.min, p.max, p.element, p.items)
}

// optional reports whether the content may end here.
func (p *particle) optional() bool {
	if p == nil || p.min == 0 {
		return true
	}
	switch p.kind {
	case "element":
		return false
	case "choice":
		return slices.ContainsFunc(p.items, (*particle).optional)
	default:
		return !slices.ContainsFunc(p.items, func(item *particle) bool { return !item.optional() })
	}
}

// next lists the children that may come next.
func (p *particle) next() []step {
	if p == nil || p.max == 0 {
		return nil
	}
	again := *p
	again.min = max(p.min-1, 0)
	if p.max > 0 {
		again.max--
	}
	var all []step
	add := func(item *particle, others ...*particle) {
		for _, s := range item.next() {
			all = append(all, step{s.element, inOrder(s.rest, others...)})
		}
	}
	switch p.kind {
	case "element":
		for _, e := range p.element.substitutes() {
			all = append(all, step{e, inOrder(&again)})
		}
	case "sequence":
		for i, item := range p.items {
			add(item, append(slices.Clone(p.items[i+1:]), &again)...)
			if !item.optional() {
				break
			}
		}
	case "choice":
		for _, item := range p.items {
			add(item, &again)
		}
	case "all":
		for i, item := range p.items {
			others := *p
			others.min = 1
			others.items = slices.Delete(slices.Clone(p.items), i, i+1)
			add(item, &others)
		}
	}
	return all
}

// inOrder puts particles into a sequence, without those that can hold nothing.
func inOrder(first *particle, others ...*particle) *particle {
	var items []*particle
	for _, item := range append([]*particle{first}, others...) {
		if item != nil && item.max != 0 && (item.kind == "element" || len(item.items) > 0) {
			items = append(items, item)
		}
	}
	switch len(items) {
	case 0:
		return nil
	case 1:
		return items[0]
	}
	return &particle{kind: "sequence", min: 1, max: 1, items: items}
}
