// Package schematest checks JSON against JSON Schemas in tests.
package schematest

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// Compile compiles a schema, which may refer to the others by their $id.
func Compile(t testing.TB, schema []byte, others ...[]byte) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	var ids []string
	for _, text := range append([][]byte{schema}, others...) {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		id, ok := doc.(map[string]any)["$id"].(string)
		if !ok {
			id = "schema.json"
		}
		require.NoError(t, c.AddResource(id, doc))
		ids = append(ids, id)
	}
	compiled, err := c.Compile(ids[0])
	require.NoError(t, err)
	return compiled
}

// Require requires that a document is valid by a schema.
func Require(t testing.TB, schema *jsonschema.Schema, document []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(doc))
}
