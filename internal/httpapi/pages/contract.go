package pages

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// contract is the part of an OpenAPI document that the pages show, with the paths in the document's order.
type contract struct {
	Info struct {
		Title, Version, Summary, Description string
	}
	Tags       []struct{ Name, Description string }
	Problems   []problem `yaml:"x-problems"`
	Paths      inOrder[*pathItem]
	Components struct {
		Parameters map[string]*parameter
		Headers    map[string]*header
		Responses  map[string]*response
		Schemas    map[string]*schema
	}

	operations []*operation
	dangling   []error // references to objects that do not exist
}

type problem struct {
	Type   string
	Status int
	Title  string
}

type pathItem struct {
	Parameters             []parameter
	Get, Post, Put, Delete *operation
}

// operation is an operation of the contract.
type operation struct {
	ID           string `yaml:"operationId"`
	Method, Path string `yaml:"-"`
	Tags         []string
	Summary      string
	Description  string
	Transaction  *mixed      `yaml:"x-transaction"`
	Scope        string      `yaml:"x-scope"`
	Parameters   []parameter // those in the path first, then in the query, then headers
	Request      *response   `yaml:"requestBody"` // a request body has the same form
	Responses    map[string]*response
}

// mixed describes the operation in the mixed workload of TPoX.
type mixed struct {
	Code, Kind string
	Weight     int
	Validated  bool
}

type parameter struct {
	Ref         string `yaml:"$ref"`
	ID          string `yaml:"-"` // of its field in a form
	Name, In    string
	Required    bool
	Description string
	Schema      schema
	Example     any
}

type header struct {
	Ref         string `yaml:"$ref"`
	Description string
}

type response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Headers     map[string]*header
	Content     map[string]*media
}

type media struct {
	Schema   schema
	Examples inOrder[example]
}

type example struct {
	Summary string
	Value   any
}

type schema struct {
	Ref                  string `yaml:"$ref"`
	Type                 string
	Description, Pattern string
	Enum                 []string
	Minimum, Maximum     *int64
	MinLength            *int64 `yaml:"minLength"`
	MaxLength            *int64 `yaml:"maxLength"`
	Default, Example     any
	XSD                  *struct{ File, Element, Namespace string } `yaml:"x-xsd"`
}

// inOrder is a mapping in the order of the file.
type inOrder[T any] []entry[T]

type entry[T any] struct {
	Key   string
	Value T
}

// UnmarshalYAML decodes the keys in their order, and then the values.
func (m *inOrder[T]) UnmarshalYAML(decode func(any) error) error {
	var keys yaml.MapSlice
	var values map[string]T
	if err := cmp.Or(decode(&keys), decode(&values)); err != nil {
		return err
	}
	for _, k := range keys {
		key := fmt.Sprint(k.Key)
		*m = append(*m, entry[T]{key, values[key]})
	}
	return nil
}

// read decodes a contract from YAML, and resolves the references that the pages need.
func read(source []byte) (*contract, error) {
	c := new(contract)
	if err := yaml.Unmarshal(source, c); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	for _, r := range c.Components.Responses {
		c.resolve(r)
	}
	for _, path := range c.Paths {
		p := path.Value
		for i, op := range []*operation{p.Get, p.Post, p.Put, p.Delete} {
			if op == nil {
				continue
			}
			op.Method, op.Path = []string{"GET", "POST", "PUT", "DELETE"}[i], path.Key
			op.Parameters = append(slices.Clip(p.Parameters), op.Parameters...)
			for i := range op.Parameters {
				p := &op.Parameters[i]
				follow(c, p, p.Ref, "parameters", c.Components.Parameters)
				follow(c, &p.Schema, p.Schema.Ref, "schemas", c.Components.Schemas)
				p.ID = op.ID + "." + p.Name
			}
			rank := func(p parameter) int { return slices.Index([]string{"path", "query", "header"}, p.In) }
			slices.SortStableFunc(op.Parameters, func(a, b parameter) int { return rank(a) - rank(b) })
			if op.Request != nil {
				c.resolve(op.Request)
			}
			for _, r := range op.Responses {
				c.resolve(r)
			}
			c.operations = append(c.operations, op)
		}
	}
	if err := errors.Join(c.dangling...); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	return c, nil
}

// resolve resolves the references of a response or a request.
func (c *contract) resolve(r *response) {
	own := r.Description // replaces the description of the $ref, by OpenAPI 3.1
	follow(c, r, r.Ref, "responses", c.Components.Responses)
	r.Description = cmp.Or(own, r.Description)
	for _, h := range r.Headers {
		follow(c, h, h.Ref, "headers", c.Components.Headers)
	}
	for _, m := range r.Content {
		follow(c, &m.Schema, m.Schema.Ref, "schemas", c.Components.Schemas)
	}
}

// follow replaces *to by the object that ref refers to. Without a reference it does nothing.
func follow[T any](c *contract, to *T, ref, kind string, all map[string]*T) {
	if ref == "" {
		return
	}
	name, ok := strings.CutPrefix(ref, "#/components/"+kind+"/")
	if found, known := all[name]; ok && known {
		*to = *found
		return
	}
	c.dangling = append(c.dangling, fmt.Errorf("%s is not one of the %s", ref, kind))
}

// Tagged returns the operations with a tag.
func (c *contract) Tagged(tag string) []*operation {
	untagged := func(op *operation) bool { return !slices.Contains(op.Tags, tag) }
	return slices.DeleteFunc(slices.Clone(c.operations), untagged)
}

// Examples returns the examples of a type of problems, which are in the responses under the type's name: XML, the
// default, before JSON.
func (c *contract) Examples(problem string) (texts []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Components.Responses)) {
		content := c.Components.Responses[name].Content
		for _, mediaType := range slices.Sorted(maps.Keys(content)) {
			for _, e := range content[mediaType].Examples {
				if e.Key == problem {
					texts = append(texts, e.Value.Text())
				}
			}
		}
	}
	slices.Reverse(texts)
	return texts
}

// Words returns what the filter of the page searches.
func (op *operation) Words() string {
	words := append([]string{op.ID, op.Method, op.Path, op.Summary, op.Scope}, op.Tags...)
	if t := op.Transaction; t != nil {
		words = append(words, t.Code, t.Kind)
	}
	return strings.ToLower(strings.Join(words, " "))
}

// body is the body of a request in its first media type; the other media types are names for the same document.
type body struct {
	MediaType, Also string
	Schema          schema
	Example         string
}

// Body returns the body of a request, or nil.
func (op *operation) Body() *body {
	if op.Request == nil {
		return nil
	}
	types := slices.Sorted(maps.Keys(op.Request.Content))
	first := op.Request.Content[types[0]]
	b := &body{MediaType: types[0], Also: strings.Join(types[1:], ", "), Schema: first.Schema}
	if len(first.Examples) > 0 {
		b.Example = first.Examples[0].Value.Text()
	}
	return b
}

// Answers returns the responses of requests that succeed, by status.
func (op *operation) Answers() map[string]*response {
	found := maps.Clone(op.Responses)
	maps.DeleteFunc(found, func(status string, _ *response) bool { return status >= "400" })
	return found
}

// Refusals returns the responses of requests that fail, by status.
func (op *operation) Refusals() map[string]*response {
	found := maps.Clone(op.Responses)
	maps.DeleteFunc(found, func(status string, _ *response) bool { return status < "400" })
	return found
}

// Fixed reports whether the parameter is a header that the browser sets and fetch cannot.
func (p parameter) Fixed() bool { return p.Name == "Accept-Encoding" }

// Hint returns an example of the parameter's value, or "".
func (p parameter) Hint() string {
	if example := cmp.Or(p.Example, p.Schema.Example); example != nil {
		return fmt.Sprint(example)
	}
	return ""
}

// Value returns the initial value of the parameter's field.
func (p parameter) Value() string {
	if p.Required {
		return p.Hint()
	}
	return ""
}

// Choices returns the values of a parameter that is chosen from a list; nil for one that is typed in.
func (p parameter) Choices() []string {
	if p.Schema.Type == "boolean" {
		return []string{"false", "true"}
	}
	return p.Schema.Enum
}

// Limits describes the values that a schema allows.
func (s schema) Limits() string {
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

// Text returns an example as it is sent. In the contract, an example of JSON is a YAML value, and one of XML a string.
func (e example) Text() string {
	if text, ok := e.Value.(string); ok {
		return text
	}
	text, err := json.MarshalIndent(e.Value, "", "  ")
	if err != nil {
		return fmt.Sprint(e.Value) // readable, though it cannot be sent
	}
	return string(text)
}
