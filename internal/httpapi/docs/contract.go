package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// contract is the part of an OpenAPI document that the page shows, in its order.
type contract struct {
	Info struct {
		Title, Version, Summary, Description string
	}
	Tags       []struct{ Name, Description string }
	Problems   []problem `yaml:"x-problems"`
	Paths      inOrder[pathItem]
	Components struct {
		Parameters map[string]parameter
		Headers    map[string]header
		Responses  map[string]response
		Schemas    map[string]schema
	}
}

type problem struct {
	Type   string
	Status int
	Title  string
}

type pathItem struct {
	Parameters             []parameter
	Get, Put, Post, Delete *operation
}

type operation struct {
	ID          string `yaml:"operationId"`
	Tags        []string
	Summary     string
	Description string
	Transaction *transaction `yaml:"x-transaction"`
	Scope       string       `yaml:"x-scope"`
	Parameters  []parameter
	Body        *struct{ Content map[string]media } `yaml:"requestBody"`
	Responses   map[string]response
}

// transaction describes the operation in the mixed workload of TPoX.
type transaction struct {
	Code, Kind string
	Weight     int
	Validated  bool
}

type parameter struct {
	Ref         string `yaml:"$ref"`
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
	Headers     map[string]header
	Content     map[string]media
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
	if err := decode(&keys); err != nil {
		return err
	}
	if err := decode(&values); err != nil {
		return err
	}
	for _, k := range keys {
		key := fmt.Sprint(k.Key)
		*m = append(*m, entry[T]{key, values[key]})
	}
	return nil
}

// read decodes a contract from YAML, and resolves the references that the page follows.
func read(source []byte) (*contract, error) {
	c := new(contract)
	if err := yaml.Unmarshal(source, c); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	for i := range c.Paths {
		if err := c.resolvePath(&c.Paths[i].Value); err != nil {
			return nil, fmt.Errorf("read the contract: %s: %w", c.Paths[i].Key, err)
		}
	}
	for name, r := range c.Components.Responses {
		if err := c.resolveResponse(&r); err != nil {
			return nil, fmt.Errorf("read the contract: response %s: %w", name, err)
		}
		c.Components.Responses[name] = r
	}
	return c, nil
}

func (c *contract) resolvePath(p *pathItem) error {
	for _, op := range []*operation{p.Get, p.Put, p.Post, p.Delete} {
		if op == nil {
			continue
		}
		op.Parameters = append(slices.Clip(p.Parameters), op.Parameters...)
		for i := range op.Parameters {
			if err := c.resolveParameter(&op.Parameters[i]); err != nil {
				return err
			}
		}
		if op.Body != nil {
			if err := c.resolveContent(op.Body.Content); err != nil {
				return err
			}
		}
		for status, r := range op.Responses {
			if err := c.resolveResponse(&r); err != nil {
				return err
			}
			op.Responses[status] = r
		}
	}
	return nil
}

func (c *contract) resolveParameter(p *parameter) error {
	if err := follow(p, p.Ref, "parameters", c.Components.Parameters); err != nil {
		return err
	}
	return follow(&p.Schema, p.Schema.Ref, "schemas", c.Components.Schemas)
}

func (c *contract) resolveResponse(r *response) error {
	own := r.Description // replaces that of the $ref, by OpenAPI 3.1
	if err := follow(r, r.Ref, "responses", c.Components.Responses); err != nil {
		return err
	}
	if own != "" {
		r.Description = own
	}
	for name, h := range r.Headers {
		if err := follow(&h, h.Ref, "headers", c.Components.Headers); err != nil {
			return err
		}
		r.Headers[name] = h
	}
	return c.resolveContent(r.Content)
}

func (c *contract) resolveContent(content map[string]media) error {
	for mediaType, m := range content {
		if err := follow(&m.Schema, m.Schema.Ref, "schemas", c.Components.Schemas); err != nil {
			return err
		}
		content[mediaType] = m
	}
	return nil
}

// follow replaces a reference by what it refers to.
func follow[T any](to *T, ref, kind string, all map[string]T) error {
	if ref == "" {
		return nil
	}
	name, ok := strings.CutPrefix(ref, "#/components/"+kind+"/")
	if found, known := all[name]; ok && known {
		*to = found
		return nil
	}
	return fmt.Errorf("%s is not one of the %s", ref, kind)
}
