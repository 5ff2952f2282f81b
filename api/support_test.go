package api_test

import (
	"context"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/dataset"
	"brokerage/internal/schema"
)

// read parses a contract, with all references resolved, and returns an error unless it is valid OpenAPI. Examples and
// defaults are checked by their schemas.
func read(source []byte) (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(source)
	if err != nil {
		return nil, err
	}
	err = doc.Validate(context.Background(), openapi3.EnableExamplesValidation(),
		openapi3.EnableSchemaDefaultsValidation())
	return doc, err
}

// contract returns the contract as a client gets it.
func contract(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := read(api.OpenAPI())
	require.NoError(t, err)
	return doc
}

// operation is an operation of the contract, with its position.
type operation struct {
	*openapi3.Operation

	path, method string
	item         *openapi3.PathItem
}

func operations(doc *openapi3.T) map[string]operation {
	all := map[string]operation{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			all[op.OperationID] = operation{op, path, method, item}
		}
	}
	return all
}

// parameters returns the parameters of the operation and of its path.
func (op operation) parameters() (all []*openapi3.Parameter) {
	for _, list := range []openapi3.Parameters{op.item.Parameters, op.Parameters} {
		for _, p := range list {
			all = append(all, p.Value)
		}
	}
	return all
}

// has reports whether there is a parameter in a place, with the given name or, if it is empty, with any.
func (op operation) has(in, name string) bool {
	for _, p := range op.parameters() {
		if p.In == in && (name == "" || p.Name == name) {
			return true
		}
	}
	return false
}

// open reports whether the operation needs no token.
func (op operation) open() bool { return op.Security != nil && len(*op.Security) == 0 }

func (op operation) conflicts() []any {
	list, _ := op.Extensions["x-conflicts"].([]any)
	return list
}

// content calls visit with each media type of the contract and its position.
func content(doc *openapi3.T, visit func(where, mediaType string, m *openapi3.MediaType)) {
	answers := func(where string, responses map[string]*openapi3.ResponseRef) {
		for code, r := range responses {
			for name, m := range r.Value.Content {
				visit(where+" "+code, name, m)
			}
		}
	}
	for name, op := range operations(doc) {
		if op.RequestBody != nil {
			for mediaType, m := range op.RequestBody.Value.Content {
				visit(name+" body", mediaType, m)
			}
		}
		answers(name, op.Responses.Map())
	}
	answers("components", doc.Components.Responses)
}

// xsd returns the schema file and the element that a media type refers to; both are empty if it refers to none.
func xsd(m *openapi3.MediaType) (schemaFile, element string) {
	x, _ := m.Schema.Value.Extensions["x-xsd"].(map[string]any)
	schemaFile, _ = x["file"].(string)
	element, _ = x["element"].(string)
	return strings.TrimPrefix(schemaFile, "schema/"), element
}

var (
	compiling  sync.Mutex
	validators = map[string]*schema.Validator{}
)

// validator returns the validator of an element, which is compiled once for all tests.
func validator(t testing.TB, schemaFile, element string) *schema.Validator {
	t.Helper()
	compiling.Lock()
	defer compiling.Unlock()
	key := path.Join(schemaFile, element)
	if validators[key] == nil {
		v, err := schema.CompileFile(schemaFile, element)
		require.NoError(t, err)
		validators[key] = v
	}
	return validators[key]
}

func generator(t testing.TB, scale string, profile dataset.Profile) *dataset.Dataset {
	t.Helper()
	s, err := dataset.ParseScale(scale)
	require.NoError(t, err)
	return dataset.New(dataset.Spec{Scale: s, Profile: profile, Seed: 1})
}
