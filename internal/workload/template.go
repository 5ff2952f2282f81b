package workload

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// template is a text with gaps that are filled from a call: a path, a body, a new document, a part of an answer.
type template struct {
	literals []string // one more than gaps
	gaps     []gap
}

// gap appends a value of a call. A template holds functions instead of names, so that filling it compares no names.
type gap func(dst []byte, c *Call) []byte

var gaps = map[string]gap{
	"id":       func(dst []byte, c *Call) []byte { return appendID(dst, c.ID) },
	"symbol":   func(dst []byte, c *Call) []byte { return append(dst, c.Symbol...) },
	"sector":   func(dst []byte, c *Call) []byte { return append(dst, c.search.sector.escaped...) },
	"peMin":    func(dst []byte, c *Call) []byte { return strconv.AppendInt(dst, c.search.peMin, 10) },
	"peMax":    func(dst []byte, c *Call) []byte { return strconv.AppendInt(dst, c.search.peMax, 10) },
	"yieldMin": func(dst []byte, c *Call) []byte { return strconv.AppendInt(dst, c.search.yieldMin, 10) },
	"quantity": func(dst []byte, c *Call) []byte { return strconv.AppendInt(dst, c.Quantity, 10) },
	"price":    func(dst []byte, c *Call) []byte { return appendCents(dst, c.Cents) },
	"status":   func(dst []byte, c *Call) []byte { return append(dst, c.Status...) },
	"document": func(dst []byte, c *Call) []byte { return append(dst, c.doc...) },
	// The parameter that switches validation off, where the workload does not validate.
	"validation": func(dst []byte, c *Call) []byte {
		if c.validate {
			return dst
		}
		return append(dst, "?validate=no"...)
	},

	// The gaps of a dataset.Template. The accounts of a new customer follow each other.
	"order":    func(dst []byte, c *Call) []byte { return appendID(dst, c.ID) },
	"customer": func(dst []byte, c *Call) []byte { return appendID(dst, c.ID) },
	"account":  func(dst []byte, c *Call) []byte { return appendID(dst, c.Account) },
	"account2": func(dst []byte, c *Call) []byte { return appendID(dst, c.Account+1) },
	"account3": func(dst []byte, c *Call) []byte { return appendID(dst, c.Account+2) },
	"date":     func(dst []byte, c *Call) []byte { return append(dst, c.today...) },
	"datetime": func(dst []byte, c *Call) []byte {
		dst = twoDigits(append(append(dst, c.today...), 'T'), c.second/3600)
		dst = twoDigits(append(dst, ':'), c.second/60%60)
		return twoDigits(append(dst, ':'), c.second%60)
	},
}

// text returns the template of a text with names in braces.
func text(s string) *template {
	var parts []string
	for rest := s; ; {
		literal, gapAndRest, more := strings.Cut(rest, "{")
		parts = append(parts, literal)
		if !more {
			return newTemplate(parts)
		}
		var name string
		name, rest, _ = strings.Cut(gapAndRest, "}")
		parts = append(parts, name)
	}
}

// request is the request of a call. Its body may be empty.
type request struct {
	method     string
	path, body *template
}

// XML is the content type of documents.
const XML = "application/xml"

func get(path string) request        { return request{"GET", text(path), text("")} }
func put(path, body string) request  { return request{"PUT", text(path), text(body)} }
func post(path, body string) request { return request{"POST", text(path), text(body)} }
func remove(path string) request     { return request{"DELETE", text(path), text("")} }

// newTemplate returns the template of literals and names of gaps, alternately.
func newTemplate(parts []string) *template {
	t := &template{}
	for i, part := range parts {
		if i%2 == 0 {
			t.literals = append(t.literals, part)
			continue
		}
		g, ok := gaps[part]
		if !ok {
			panic("workload: a template has a gap for " + part)
		}
		t.gaps = append(t.gaps, g)
	}
	return t
}

// fill appends the text with the values of a call to dst.
func (t *template) fill(dst []byte, c *Call) []byte {
	for i, g := range t.gaps {
		dst = g(append(dst, t.literals[i]...), c)
	}
	return append(dst, t.literals[len(t.gaps)]...)
}

func appendID(dst []byte, id tpox.ID) []byte { return strconv.AppendInt(dst, int64(id), 10) }

func twoDigits(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// appendCents appends an amount with two decimal places.
func appendCents(dst []byte, n int64) []byte {
	return twoDigits(append(strconv.AppendInt(dst, n/100, 10), '.'), int(n%100))
}

// templateCount is the number of different documents of each kind. With few, a database would fill with copies, which
// compress better than real data.
const templateCount = 1000

// documents are the templates of what is inserted. All users share them.
type documents struct {
	orders, customers, accounts []*template
	today                       string
}

func newDocuments(p *Population, d *Definition, now time.Time) (*documents, error) {
	docs := &documents{today: now.UTC().Format(time.DateOnly)}
	if d.Prepare == (Prepare{}) && !d.has(func(t *Transaction) bool { return t.location != nil }) {
		return docs, nil
	}
	spec, err := dataset.ParseSpec(p.Scale, p.Profile, p.Seed)
	if err != nil {
		return nil, err
	}
	g := dataset.New(spec)
	templates := func(kind string) (list []*template) {
		for _, t := range g.Templates(kind, templateCount) {
			list = append(list, newTemplate(t.Parts))
		}
		return list
	}
	docs.orders, docs.customers, docs.accounts = templates("order"), templates("customer"), templates("account")
	return docs, nil
}

// compose writes a new document of a drawn template, with one drawn time, into the call.
func (docs *documents) compose(c *Call, of []*template, r *rand.Rand) {
	t := of[r.IntN(len(of))]
	c.today, c.second = docs.today, r.IntN(24*60*60)
	c.doc = t.fill(c.doc[:0], c)
}
