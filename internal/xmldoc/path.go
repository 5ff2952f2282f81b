package xmldoc

import (
	"bytes"
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// Namespaces maps the prefixes of paths to namespaces. The prefixes of the documents may be others, or none.
type Namespaces map[string]string

// A Path is a compiled location relative to a node: steps down through child elements, and possibly an attribute at
// the end. It is safe for concurrent use.
type Path struct{ set Set }

// A Set is several paths that are looked up together, in one pass.
type Set struct{ paths [][]step }

// maxPaths is the largest number of paths in a Set: a lookup has a bit for each in a word.
const maxPaths = 64

type step struct {
	uri, local string // uri escaped as in documents; local "*" is any element
	attribute  bool
	first      bool // of the elements of that name in their parent
}

// MustPath compiles a path such as "c:Accounts/c:Account/@id". A step is a name: ns declares its prefix, and a name
// without one is in no namespace; * matches any element; @ marks an attribute. With [1] after a name, a step matches
// only the first element of that name in its parent, whatever the following steps find there.
func MustPath(ns Namespaces, path string) *Path {
	return &Path{*MustSet(ns, path)}
}

// MustSet compiles several paths, all relative to one node. It panics if a path is invalid: paths are constants of the
// program.
func MustSet(ns Namespaces, paths ...string) *Set {
	if len(paths) > maxPaths {
		panic(fmt.Sprintf("xmldoc: %d paths in a set, at most %d", len(paths), maxPaths))
	}
	set := &Set{make([][]step, len(paths))}
	for i, path := range paths {
		parts := strings.Split(path, "/")
		if len(parts) > MaxDepth {
			panic(fmt.Sprintf("xmldoc: path %q has more than %d steps", path, MaxDepth))
		}
		for k, part := range parts {
			name, attribute := strings.CutPrefix(part, "@")
			name, first := strings.CutSuffix(name, "[1]")
			prefix, local, prefixed := strings.Cut(name, ":")
			if !prefixed {
				prefix, local = "", name
			}
			uri, known := ns[prefix]
			switch {
			case !isName(local) && (name != "*" || attribute), prefixed && !isName(prefix),
				first && (attribute || name == "*"):
				panic(fmt.Sprintf("xmldoc: path %q: %q is not a step", path, part))
			case prefixed && !known:
				panic(fmt.Sprintf("xmldoc: path %q: prefix %q is not declared", path, prefix))
			case attribute && k < len(parts)-1:
				panic(fmt.Sprintf("xmldoc: path %q continues after an attribute", path))
			case !prefixed:
				uri = ""
			}
			set.paths[i] = append(set.paths[i], step{string(appendEscaped(nil, uri, true)), local, attribute, first})
		}
	}
	return set
}

// Find returns the first node on the path, in document order, or the zero Node.
func (p *Path) Find(n Node) Node {
	var out [1]Node
	p.set.Find(n, out[:])
	return out[0]
}

// All returns every node on the path, in document order.
func (p *Path) All(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		p.set.walk(n, func(_ int, found Node) (int, bool) {
			found.end = found.stop()
			return found.end, yield(found)
		})
	}
}

// Find sets out[i] to the first node on path i, in document order, or to the zero Node if there is none. out must have
// room for all paths of the set. Find stops as soon as it has a node for every path.
func (s *Set) Find(n Node, out []Node) {
	clear(out[:len(s.paths)])
	s.walk(n, func(path int, found Node) (int, bool) {
		out[path] = found
		return 0, false
	})
}

// A matchFunc is called with a node that a path leads to. It returns the end of the node, or 0 if it has not looked for
// the end, and whether to go on with that path.
type matchFunc func(path int, found Node) (end int, more bool)

// walk goes through n once and calls onMatch with each node that a path leads to. Elements that no path leads through
// are skipped. It is one loop because a call for each tag would cost 5 % of a lookup.
func (s *Set) walk(n Node, onMatch matchFunc) {
	if !n.Exists() || n.kind == value {
		return
	}
	wanted := ^uint64(0) >> (maxPaths - len(s.paths))
	// For each depth below n: the paths that lead there and the number of declarations in scope.
	var levels [MaxDepth]struct {
		active uint64
		scope  int
	}
	doc, depth, scope := n.doc, 0, n.inside()
	levels[0].active, levels[0].scope = wanted, scope.n
	if n.kind == element {
		s.attributes(n, 0, &wanted, wanted, &scope, onMatch)
	}

	for i := n.inner; ; {
		active := levels[depth].active & wanted
		if active == 0 {
			if wanted == 0 || depth == 0 {
				return
			}
			i = elementEnd(doc, i)
			depth--
			scope.n = levels[depth].scope
			continue
		}
		j := bytes.IndexByte(doc[i:], '<')
		if j < 0 || i+j+1 == len(doc) {
			return
		}
		start := i + j
		if i = start + 1; doc[i] == '/' {
			if depth == 0 {
				return
			}
			depth--
			scope.n = levels[depth].scope
			continue
		}

		prefix, local := splitName(nameAt(doc, i))
		var matched uint64
		for m := active; m != 0; m &= m - 1 {
			path := bits.TrailingZeros64(m)
			if st := &s.paths[path][depth]; !st.attribute && (st.local == "*" || st.local == string(local)) {
				matched |= 1 << path
			}
		}
		if matched == 0 {
			i = elementEnd(doc, i)
			continue
		}

		found := Node{doc: doc, start: start, inner: tagEnd(doc, i), kind: element, scope: scope}
		scope.enter(doc, i+len(prefix)+len(local)+min(len(prefix), 1))
		uri, _ := scope.find(doc, prefix)
		var through uint64
		end := 0
		for m := matched; m != 0; m &= m - 1 {
			path := bits.TrailingZeros64(m)
			steps := s.paths[path]
			if steps[depth].local != "*" && steps[depth].uri != string(uri) {
				continue
			}
			if steps[depth].first {
				levels[depth].active &^= 1 << path
			}
			switch {
			case depth+1 < len(steps):
				through |= 1 << path
			default:
				known, more := onMatch(path, found)
				end = max(end, known)
				if !more {
					wanted &^= 1 << path
				}
			}
		}
		if through != 0 {
			s.attributes(found, depth+1, &wanted, through, &scope, onMatch)
		}
		switch {
		case through&wanted != 0:
			i = found.inner
			depth++
			levels[depth].active, levels[depth].scope = through, scope.n
			continue
		case end == 0 && wanted != 0:
			end = elementEnd(doc, found.inner)
		}
		i = end
		scope.n = levels[depth].scope
	}
}

// attributes calls onMatch with the attributes of n that are the next and last step of some of the paths.
func (s *Set) attributes(n Node, depth int, wanted *uint64, paths uint64, scope *scope, onMatch matchFunc) {
	var looking uint64
	for m := paths & *wanted; m != 0; m &= m - 1 {
		if path := bits.TrailingZeros64(m); s.paths[path][depth].attribute {
			looking |= 1 << path
		}
	}
	if looking == 0 {
		return
	}
	for a := range n.attributes() {
		prefix, local := splitName(a.name.of(n.doc))
		for m := looking; m != 0; m &= m - 1 {
			path := bits.TrailingZeros64(m)
			st := &s.paths[path][depth]
			if st.local != string(local) || isXMLNS(prefix) || prefix == nil && isXMLNS(local) {
				continue
			}
			var uri []byte // the default namespace is not for attributes
			if prefix != nil {
				uri, _ = scope.find(n.doc, prefix)
			}
			if st.uri != string(uri) {
				continue
			}
			// An element has an attribute once at most.
			looking &^= 1 << path
			if _, more := onMatch(path, n.attr(a)); !more {
				*wanted &^= 1 << path
			}
		}
		if looking == 0 {
			return
		}
	}
}
