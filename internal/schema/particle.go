package schema

import (
	"encoding/xml"
	"slices"
)

// A particle is what may come next in an element: an element, a sequence, a choice or a group in any order, a number of
// times. Reading a child element returns a smaller particle for the rest. nil is the end of the content.
//
// XML Schema requires that the name of a child decides its place in the model, so the first fit is the right one.
type particle struct {
	kind     string // element, sequence, choice, all
	min, max int    // max is negative for no limit
	element  *element
	items    []*particle
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

// after returns what remains when a child of that name is read, and its declaration; no declaration means that the
// child may not come next.
func (p *particle) after(name xml.Name) (*particle, *element) {
	if p == nil || p.max == 0 {
		return nil, nil
	}
	again := *p
	again.min = max(p.min-1, 0)
	if p.max > 0 {
		again.max--
	}
	switch p.kind {
	case "element":
		if e := p.element.named(name); e != nil {
			return inOrder(nil, &again), e
		}
	case "sequence":
		for i, item := range p.items {
			if rest, e := item.after(name); e != nil {
				return inOrder(rest, append(slices.Clone(p.items[i+1:]), &again)...), e
			}
			if !item.optional() {
				break
			}
		}
	case "choice":
		for _, item := range p.items {
			if rest, e := item.after(name); e != nil {
				return inOrder(rest, &again), e
			}
		}
	case "all":
		for i, item := range p.items {
			if rest, e := item.after(name); e != nil {
				others := *p
				others.min = 1
				others.items = slices.Delete(slices.Clone(p.items), i, i+1)
				return inOrder(rest, &others), e
			}
		}
	}
	return nil, nil
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

// next lists the elements that may come next.
func (p *particle) next() []*element {
	if p == nil || p.max == 0 {
		return nil
	}
	var all []*element
	switch p.kind {
	case "element":
		all = p.element.stands()
	case "sequence":
		for _, item := range p.items {
			all = append(all, item.next()...)
			if !item.optional() {
				break
			}
		}
	default:
		for _, item := range p.items {
			all = append(all, item.next()...)
		}
	}
	return slices.Compact(all)
}

// stands lists the elements that may appear for a declaration.
func (e *element) stands() []*element {
	var all []*element
	if !e.abstract {
		all = append(all, e)
	}
	for _, member := range e.members {
		all = append(all, member.stands()...)
	}
	return all
}

// named returns the one of them that has the name.
func (e *element) named(name xml.Name) *element {
	for _, candidate := range e.stands() {
		if candidate.name == name {
			return candidate
		}
	}
	return nil
}
