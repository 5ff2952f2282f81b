package schema

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
)

// A repaired document knows where its bytes come from.
type repaired struct {
	bytes []byte
	spans []span
}

// span says that from an offset on the bytes are those of the original from another offset on, or are made up and stand
// where the original has that offset.
type span struct {
	at, origin int
	made       bool
}

// repair replaces a part of a document.
type repair struct {
	from, to int
	text     string
}

func newRepaired(doc []byte) *repaired { return &repaired{bytes: doc, spans: []span{{}}} }

// origin returns where a byte stands in the original, and whether it was made up.
func (d *repaired) origin(at int) (origin int, made bool) {
	i, found := slices.BinarySearchFunc(d.spans, at, func(s span, at int) int { return cmp.Compare(s.at, at) })
	if !found {
		i--
	}
	s := d.spans[i]
	if s.made {
		return s.origin, true
	}
	return s.origin + at - s.at, false
}

// repair returns a copy with repairs, which must not overlap.
func (d *repaired) repair(repairs []repair) *repaired {
	slices.SortStableFunc(repairs, func(a, b repair) int { return cmp.Compare(a.from, b.from) })
	out := &repaired{}
	at := 0
	keep := func(to int) {
		if to <= at {
			return
		}
		origin, made := d.origin(at)
		out.spans = append(out.spans, span{len(out.bytes), origin, made})
		for _, s := range d.spans {
			if s.at > at && s.at < to {
				out.spans = append(out.spans, span{len(out.bytes) + s.at - at, s.origin, s.made})
			}
		}
		out.bytes = append(out.bytes, d.bytes[at:to]...)
	}
	for _, r := range repairs {
		keep(r.from)
		if r.text != "" {
			origin, _ := d.origin(r.from)
			out.spans = append(out.spans, span{len(out.bytes), origin, true})
			out.bytes = append(out.bytes, r.text...)
		}
		at = max(r.to, r.from)
	}
	keep(len(d.bytes))
	return out
}

// placeholders writes elements of which nothing but the name is right.
func placeholders(elements []*element) string {
	var b strings.Builder
	for _, e := range elements {
		b.WriteString("<" + e.name.Local + ` xmlns="`)
		_ = xml.EscapeText(&b, []byte(e.name.Space))
		b.WriteString(`"/>`)
	}
	return b.String()
}

// locate turns remarks, in the order of the document, into findings.
func locate(doc []byte, remarks []remark) []Finding {
	paths := map[int]string{}
	for _, m := range remarks {
		paths[m.element] = "/"
	}
	resolve(doc, paths)
	place := newPlaces(doc)
	var findings []Finding
	for _, m := range remarks {
		f := place.finding(m.at)
		f.Path, f.Message = paths[m.element], m.message
		findings = append(findings, f)
	}
	return findings
}

// resolve finds the paths of elements by where they begin. Siblings of the same name are numbered.
func resolve(doc []byte, paths map[int]string) {
	type node struct {
		name     xml.Name
		at       int
		children []*node
	}
	top := &node{}
	open := []*node{top}
	dec := newDecoder(doc)
	for {
		at := int(dec.InputOffset())
		token, err := dec.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			n := &node{name: t.Name, at: at}
			parent := open[len(open)-1]
			parent.children = append(parent.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	var visit func(n *node, path string)
	visit = func(n *node, path string) {
		if _, wanted := paths[n.at]; wanted && n != top {
			paths[n.at] = path
		}
		total, seen := map[xml.Name]int{}, map[xml.Name]int{}
		for _, child := range n.children {
			total[child.name]++
		}
		for _, child := range n.children {
			step := path + "/" + oneLine(child.name.Local)
			if seen[child.name]++; total[child.name] > 1 {
				step += "[" + strconv.Itoa(seen[child.name]) + "]"
			}
			visit(child, step)
		}
	}
	visit(top, "")
}
