package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"brokerage/internal/httpapi/pages"
)

// page is the data of page.html.
type page struct {
	Title, Version, Summary string
	Introduction            template.HTML
	Groups                  []group
	Problems                []problemView
}

// group holds the operations of one tag.
type group struct {
	Name, Description string
	Operations        []Operation
}

// Operation is an operation as a page shows it.
type Operation struct {
	*operation

	Method, Path string
	Prose        template.HTML
	Words        string // that the filter searches
	Inputs       []input
	Body         *bodyView
	Answers      []answer
	Refusals     []answer
}

// input is a parameter with its field.
type input struct {
	parameter

	ID            string // of the field
	Prose, Limits template.HTML
	Value         string   // initial, of the field
	Hint          string   // an example
	Choices       []string // for a list instead of a field
	Fixed         bool     // set by the browser
}

type bodyView struct {
	MediaType, Also string
	Schema          schema
	Example         string
}

type answer struct {
	Status   string
	Prose    template.HTML
	Headers  []headerView
	Contents []content
}

type headerView struct {
	Name  string
	Prose template.HTML
}

type content struct {
	MediaType string
	Schema    schema
	Examples  []exampleView
}

type exampleView struct{ Summary, Text string }

type problemView struct {
	problem

	Examples []string
}

// render returns the HTML of a contract's page.
func render(source []byte) ([]byte, error) {
	c, err := read(source)
	if err != nil {
		return nil, err
	}
	layout, err := pages.Layout(files)
	if err != nil {
		return nil, err
	}
	p := page{
		Title: c.Info.Title, Version: c.Info.Version, Summary: c.Info.Summary,
		Introduction: c.prose(c.Info.Description),
		Groups:       c.groups(), Problems: c.problems(),
	}
	var html bytes.Buffer
	if err := layout.Execute(&html, p); err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}
	return html.Bytes(), nil
}

// Operations returns the operations of a contract, by name.
func Operations(source []byte) (map[string]Operation, error) {
	c, err := read(source)
	if err != nil {
		return nil, err
	}
	all := make(map[string]Operation)
	for _, g := range c.groups() {
		for _, op := range g.Operations {
			all[op.ID] = op
		}
	}
	return all, nil
}

func (c *contract) groups() []group {
	groups := make([]group, 0, len(c.Tags))
	for _, tag := range c.Tags {
		g := group{Name: tag.Name, Description: tag.Description}
		for _, path := range c.Paths {
			p := path.Value
			for _, m := range []struct {
				method string
				*operation
			}{{"GET", p.Get}, {"POST", p.Post}, {"PUT", p.Put}, {"DELETE", p.Delete}} {
				if m.operation != nil && slices.Contains(m.Tags, tag.Name) {
					g.Operations = append(g.Operations, c.view(m.method, path.Key, m.operation))
				}
			}
		}
		groups = append(groups, g)
	}
	return groups
}

func (c *contract) view(method, path string, op *operation) Operation {
	v := Operation{operation: op, Method: method, Path: path, Prose: c.prose(op.Description)}
	words := append([]string{op.ID, method, path, op.Summary, op.Scope}, op.Tags...)
	if t := op.Transaction; t != nil {
		words = append(words, t.Code, t.Kind)
	}
	v.Words = strings.ToLower(strings.Join(words, " "))
	for _, p := range op.Parameters {
		in := c.input(p)
		in.ID = op.ID + "." + p.Name
		v.Inputs = append(v.Inputs, in)
	}
	// Parameters that must be filled in come first.
	slices.SortStableFunc(v.Inputs, func(a, b input) int { return rank(a.parameter) - rank(b.parameter) })
	if op.Body != nil {
		v.Body = body(op.Body.Content)
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		if a := c.answer(status, op.Responses[status]); status >= "400" {
			v.Refusals = append(v.Refusals, a)
		} else {
			v.Answers = append(v.Answers, a)
		}
	}
	return v
}

func rank(p parameter) int { return slices.Index([]string{"path", "query", "header"}, p.In) }

func (c *contract) input(p parameter) input {
	v := input{
		parameter: p, Prose: c.inline(p.Description), Limits: c.inline(p.Schema.limits()),
		Fixed: p.Name == "Accept-Encoding", // fetch cannot set it
	}
	example := p.Example
	if example == nil {
		example = p.Schema.Example
	}
	if example != nil {
		v.Hint = fmt.Sprint(example)
	}
	if p.Required {
		v.Value = v.Hint
	}
	v.Choices = p.Schema.Enum
	if p.Schema.Type == "boolean" {
		v.Choices = []string{"false", "true"}
	}
	return v
}

// limits describes the values that a schema allows.
func (s schema) limits() string {
	var all []string
	between := func(least, most *int64, unit string) {
		switch {
		case least != nil && most != nil:
			all = append(all, fmt.Sprintf("%d to %d%s", *least, *most, unit))
		case most != nil:
			all = append(all, fmt.Sprintf("up to %d%s", *most, unit))
		}
	}
	between(s.Minimum, s.Maximum, "")
	between(s.MinLength, s.MaxLength, " characters")
	if s.Pattern != "" {
		all = append(all, "`"+s.Pattern+"`")
	}
	if s.Default != nil {
		all = append(all, fmt.Sprintf("default `%v`", s.Default))
	}
	return strings.Join(all, ", ")
}

// body returns the view of a body by its first media type; the others are names for the same document.
func body(all map[string]media) *bodyView {
	types := slices.Sorted(maps.Keys(all))
	first := all[types[0]]
	v := &bodyView{MediaType: types[0], Also: strings.Join(types[1:], ", "), Schema: first.Schema}
	if len(first.Examples) > 0 {
		v.Example = first.Examples[0].Value.text()
	}
	return v
}

func (c *contract) answer(status string, r response) answer {
	a := answer{Status: status, Prose: c.inline(r.Description)}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		a.Headers = append(a.Headers, headerView{name, c.inline(r.Headers[name].Description)})
	}
	for _, mediaType := range slices.Sorted(maps.Keys(r.Content)) {
		m := r.Content[mediaType]
		out := content{MediaType: mediaType, Schema: m.Schema}
		for _, e := range m.Examples {
			out.Examples = append(out.Examples, exampleView{e.Value.Summary, e.Value.text()})
		}
		a.Contents = append(a.Contents, out)
	}
	return a
}

// problems returns all types of problems, with their examples, which are in the responses under the type's name.
func (c *contract) problems() []problemView {
	views := make([]problemView, 0, len(c.Problems))
	for _, p := range c.Problems {
		v := problemView{problem: p}
		for _, name := range slices.Sorted(maps.Keys(c.Components.Responses)) {
			content := c.Components.Responses[name].Content
			for _, mediaType := range slices.Sorted(maps.Keys(content)) {
				for _, e := range content[mediaType].Examples {
					if e.Key == p.Type {
						v.Examples = append(v.Examples, e.Value.text())
					}
				}
			}
		}
		slices.Reverse(v.Examples) // XML, the default, before JSON
		views = append(views, v)
	}
	return views
}

// text returns an example as it is sent. In the contract JSON is a value, and XML a text.
func (e example) text() string {
	if text, ok := e.Value.(string); ok {
		return text
	}
	text, err := json.MarshalIndent(e.Value, "", "  ")
	if err != nil {
		return fmt.Sprint(e.Value) // readable, though it cannot be sent
	}
	return string(text)
}
