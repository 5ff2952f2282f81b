package schema

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/jacoelho/xsd/xsderrors"
)

// explain says for each diagnostic of the engine what was expected where it is.
//
// Behind an element that is missing or should not be there the engine goes on as if nothing had been read since: it
// rejects the siblings that follow, and does not look into them. So only the first thing out of order in each element
// is told; then a copy of the document is put right in these places and validated again, until nothing more comes of it.
// Values and attributes are told at last, when the engine has seen all of them.
func (v *Validator) explain(doc []byte, diagnostics []*xsderrors.Error) (findings []Finding, cut bool) {
	// A large document is not worth many readings.
	const work = 1 << 20
	rounds := min(max(work/(len(doc)+1), 1), MaxFindings+1)

	var order, other []remark
	text := newRepaired(doc)
	for current := diagnostics; ; {
		r := reading{text: text, grammar: v.grammar, strict: len(v.empty.names) > 0, told: order}
		r.read(current)
		news := len(r.order) > len(order)
		order, other = r.order, r.other
		cut = len(current) >= limits.MaxErrors
		if !news || len(r.repairs) == 0 {
			break
		}
		if rounds--; rounds == 0 || len(order) > MaxFindings {
			cut = true
			break
		}
		text = text.repair(r.repairs)
		next, err := flatten(v.run(text.bytes))
		if err != nil && !isInternal(err) {
			break
		}
		current = next
	}
	all := slices.Concat(order, other)
	slices.SortStableFunc(all, func(a, b remark) int { return cmp.Compare(a.at, b.at) })
	return locate(doc, all), cut
}

// A remark is a finding before its place is put into words. Places are offsets in the original document.
type remark struct {
	at, element int // element is where the start tag is to which the path leads
	message     string
}

// reading is one reading of a document, next to what the engine found in it.
type reading struct {
	text    *repaired
	grammar *grammar
	// strict has the whole document read and adds what the engine overlooks about elements that have to be empty.
	strict bool
	told   []remark // what was out of order in earlier readings

	pending []diagnostic
	open    []*frame
	order   []remark
	other   []remark
	repairs []repair
	// unsettled counts misfits.
	unsettled int
}

// diagnostic is one of the engine's with its place in the text.
type diagnostic struct {
	at int
	*xsderrors.Error
}

// frame is an open element.
type frame struct {
	name  xml.Name
	at    int
	typ   *contentType // nil where the schema does not tell, as inside an element that should not be there
	rest  *particle    // what may still come
	value []byte
	made  bool // a placeholder
	// disordered is set by the first thing out of order. Further ones may be no more than its consequences.
	disordered bool
	blank      bool // white space in it was reported
	misfit     *misfit
}

// misfit is an element that should not be where it is, as long as it is not clear what to do about it.
type misfit struct {
	from, to int
	expected *particle
}

func (r *reading) read(diagnostics []*xsderrors.Error) {
	r.order = slices.Clone(r.told)
	place := newPlaces(r.text.bytes)
	for _, d := range diagnostics {
		r.pending = append(r.pending, diagnostic{place.offset(d.Line, d.Column), d})
	}
	slices.SortStableFunc(r.pending, func(a, b diagnostic) int { return cmp.Compare(a.at, b.at) })

	dec := newDecoder(r.text.bytes)
	for r.strict || len(r.pending) > 0 || r.unsettled > 0 {
		from := int(dec.InputOffset())
		token, err := dec.Token()
		if err != nil {
			break
		}
		to := int(dec.InputOffset())
		switch t := token.(type) {
		case xml.StartElement:
			r.start(t, from)
		case xml.EndElement:
			r.end(from, to)
		case xml.CharData:
			r.chars(t, from, to)
		}
	}
	r.leave(len(r.text.bytes) + 1)
}

// due takes the diagnostics before an offset.
func (r *reading) due(before int) []diagnostic {
	n := 0
	for n < len(r.pending) && r.pending[n].at < before {
		n++
	}
	due := r.pending[:n]
	r.pending = r.pending[n:]
	return due
}

// leave tells what no token claimed.
func (r *reading) leave(before int) {
	for _, d := range r.due(before) {
		r.inEngineWords(d)
	}
}

func (r *reading) start(t xml.StartElement, at int) {
	r.leave(at)
	_, made := r.text.origin(at)
	f := &frame{name: t.Name, at: at, made: made}
	due := r.due(at + 1)
	if len(r.open) == 0 {
		if root := r.grammar.globals[t.Name]; root != nil {
			f.typ = root.typ
		}
	} else {
		parent := r.open[len(r.open)-1]
		r.settle(parent, &t.Name)
		rejected := slices.IndexFunc(due, func(d diagnostic) bool {
			return d.Code == xsderrors.CodeValidationElement || d.Code == xsderrors.CodeValidationContent
		})
		switch {
		case rejected < 0 && !parent.typ.empty():
			f.typ = parent.accept(t.Name)
		case parent.typ == nil && rejected >= 0:
			r.open = append(r.open, f)
			r.inEngineWords(due[rejected])
			r.open = r.open[:len(r.open)-1]
		default:
			// At an element inside one that has to be empty the engine may have broken off without a diagnostic.
			r.reject(parent, f)
		}
		if rejected >= 0 {
			due = slices.Delete(slices.Clone(due), rejected, rejected+1)
		}
	}
	if f.typ != nil {
		f.rest = f.typ.content
	}
	r.open = append(r.open, f)
	for _, d := range due {
		if d.Code == xsderrors.CodeValidationAttribute || d.Code == xsderrors.CodeValidationFacet {
			r.attribute(d, f, t)
		} else {
			r.inEngineWords(d)
		}
	}
}

func (r *reading) chars(text []byte, from, to int) {
	r.leave(from)
	if len(r.open) == 0 {
		return
	}
	f := r.open[len(r.open)-1]
	const most = 256 // enough to quote from
	f.value = append(f.value, text[:min(len(text), max(0, most-len(f.value)))]...)
	reported := false
	for _, d := range r.due(to) {
		switch {
		case d.Code != xsderrors.CodeValidationText || f.typ == nil:
			r.inEngineWords(d)
		case !reported: // the engine reads long text in pieces
			reported = true
			what := "only elements"
			if f.typ.content == nil {
				what = "nothing"
			}
			at := min(skipSpace(r.text.bytes, d.at), to)
			found := quote(strings.TrimSpace(string(text)))
			r.add(at, f, "expected "+what+" in <"+f.name.Local+">, found the text "+found)
		}
	}
	if f.typ.empty() && !reported && len(text) > 0 && !f.blank {
		f.blank = true // comments cut white space into pieces
		r.add(from, f, "expected nothing in <"+f.name.Local+">, found white space")
	}
}

func (r *reading) end(from, to int) {
	if len(r.open) == 0 {
		return
	}
	f := r.open[len(r.open)-1]
	at := from
	if from == to {
		// An empty element is one tag and two tokens. The engine is at its last byte when the second comes.
		from, at = to-1, f.at
	}
	r.leave(from)
	r.settle(f, nil)
	for _, d := range r.due(to) {
		switch {
		case f.typ == nil:
			r.inEngineWords(d)
		case d.Code == xsderrors.CodeValidationFacet && f.typ.value != nil:
			r.add(f.at, f, "expected "+f.typ.value.describe()+", found "+quote(string(f.value)))
		case d.Code == xsderrors.CodeValidationContent:
			if !f.disordered {
				r.disorder(f, at, f, "expected "+expectation(f.rest, "")+", found the end of <"+f.name.Local+">")
			}
		default:
			r.inEngineWords(d)
		}
	}
	r.open = r.open[:len(r.open)-1]
	if len(r.open) > 0 {
		if m := r.open[len(r.open)-1].misfit; m != nil && m.from == f.at {
			m.to = to
		}
	}
}

// accept reads a child that the engine took.
func (f *frame) accept(name xml.Name) *contentType {
	rest, e := f.rest.after(name)
	if e == nil {
		// The engine knows better. Without a type nothing more is said about the inside of this element.
		f.typ = nil
		return nil
	}
	f.rest = rest
	return e.typ
}

// reject reads a child that the engine did not take, tells so unless something before it was out of order, and notes
// how to put it right.
func (r *reading) reject(parent, child *frame) {
	if parent.disordered || child.made {
		return
	}
	found := ", found " + tagName(child.name, parent.name)
	if parent.typ.content == nil {
		what := "nothing"
		if parent.typ.value != nil {
			what = parent.typ.value.describe()
		}
		r.disorder(parent, child.at, child, "expected "+what+" in <"+parent.name.Local+">"+found)
		parent.misfit = &misfit{from: child.at}
		r.unsettled++
		return
	}
	r.disorder(parent, child.at, child, "expected "+expectation(parent.rest, parent.name.Local)+found)
	if _, e := parent.rest.skipTo(child.name); e != nil {
		missing := placeholders(parent.rest.missing(child.name))
		r.repairs = append(r.repairs, repair{from: child.at, to: child.at, text: missing})
		return
	}
	parent.misfit = &misfit{from: child.at, expected: parent.rest}
	r.unsettled++
}

// settle decides about a misfit when it is known what follows it. Where an element is missing and would fit between
// what came before and what follows, the misfit is that element, misspelt; otherwise it is one too many.
func (r *reading) settle(parent *frame, next *xml.Name) {
	m := parent.misfit
	if m == nil {
		return
	}
	parent.misfit = nil
	r.unsettled--
	fits := func(rest *particle) bool {
		if next == nil {
			return rest.optional()
		}
		_, e := rest.after(*next)
		return e != nil
	}
	var instead string
	if m.expected != nil && !fits(m.expected) {
		for _, e := range m.expected.next() {
			if rest, _ := m.expected.after(e.name); fits(rest) {
				instead = placeholders([]*element{e})
				break
			}
		}
	}
	r.repairs = append(r.repairs, repair{from: m.from, to: m.to, text: instead})
}

// attribute explains a diagnostic on an attribute. Which one it is, only the engine's words tell.
func (r *reading) attribute(d diagnostic, f *frame, t xml.StartElement) {
	if f.typ != nil {
		if name, ok := strings.CutPrefix(d.Message, "missing required attribute "); ok {
			if a := f.typ.attribute(name); a != nil {
				r.add(f.at, f, "attribute "+name+" is missing, expected "+a.value.describe())
				return
			}
		}
		if name, ok := strings.CutPrefix(d.Message, "attribute is not declared: "); ok {
			r.add(f.at, f, "attribute "+oneLine(name)+" is not allowed on <"+f.name.Local+">, expected "+
				f.typ.attributeNames())
			return
		}
		if words, ok := strings.CutPrefix(d.Message, "invalid attribute "); ok {
			name, _, _ := strings.Cut(words, ":")
			if a := f.typ.attribute(name); a != nil {
				r.add(f.at, f, "attribute "+name+": expected "+a.value.describe()+", found "+quote(valueOf(t, name)))
				return
			}
		}
		if d.Message == "simple type does not allow attributes" {
			r.add(f.at, f, "expected no attributes on <"+f.name.Local+">")
			return
		}
	}
	r.inEngineWords(d)
}

func valueOf(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// disorder tells of something out of order in an element, once.
func (r *reading) disorder(f *frame, at int, element *frame, message string) {
	f.disordered = true
	if m, original := r.remark(at, element, message); original && !slices.Contains(r.order, m) {
		r.order = append(r.order, m)
	}
}

func (r *reading) add(at int, element *frame, message string) {
	if m, original := r.remark(at, element, message); original {
		r.other = append(r.other, m)
	}
}

// remark returns nothing for what was made by a repair.
func (r *reading) remark(at int, element *frame, message string) (m remark, original bool) {
	m.message = message
	m.at, _ = r.text.origin(at)
	if element != nil {
		m.element, original = r.text.origin(element.at)
		return m, !original
	}
	return m, true
}

func (r *reading) inEngineWords(d diagnostic) {
	var element *frame
	if len(r.open) > 0 {
		element = r.open[len(r.open)-1]
	}
	r.add(d.at, element, oneLine(engineWords(d.Error)))
}
