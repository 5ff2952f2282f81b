package workload

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/loadtest"
)

// The guide, the schema and the program have the same fields.
func TestWorkloadSchema_Documented(t *testing.T) {
	inSchema := make(map[string]bool)
	var visit func(any)
	visit = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			properties, _ := node["properties"].(map[string]any)
			for name := range properties {
				inSchema[name] = true
			}
			for _, below := range node {
				visit(below)
			}
		case []any:
			for _, below := range node {
				visit(below)
			}
		}
	}
	var document any
	require.NoError(t, json.Unmarshal(loadtest.Schema, &document))
	visit(document)
	inProgram := map[string]bool{"$schema": true, "description": true} // which it ignores
	fieldsOf(reflect.TypeFor[Definition](), inProgram)
	require.Equal(t, slices.Sorted(maps.Keys(inProgram)), slices.Sorted(maps.Keys(inSchema)))
	guide := testenv.Text(t, "../../docs/workloads.md")
	for name := range inProgram {
		require.Contains(t, guide, "`"+name+"`")
	}
}

// fieldsOf collects the names that a type has in JSON.
func fieldsOf(of reflect.Type, into map[string]bool) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
		fieldsOf(of.Elem(), into)
	case reflect.Struct:
		for field := range of.Fields() {
			name, tagged := field.Tag.Lookup("json")
			if field.Anonymous || tagged && name != "-" {
				fieldsOf(field.Type, into)
			}
			if tagged && name != "-" {
				into[name] = true
			}
		}
	default:
	}
}

// With the defaults, a workload needs only a name and a mix.
func TestWorkloadSchema_Defaults(t *testing.T) {
	least := map[string]any{"name": "least", "mix": []any{map[string]any{"transaction": "get_order", "weight": 1.0}}}
	require.NoError(t, json.Unmarshal(loadtest.Defaults, &least))
	require.NoError(t, schema().Validate(least))
}
