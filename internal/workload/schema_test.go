package workload

import (
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/testenv/schematest"
	"brokerage/loadtest"
)

func workloadFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := loadtest.Workloads.ReadFile(name)
	require.NoError(t, err)
	return text
}

func workloadSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	return schematest.Compile(t, workloadFile(t, "workloads/workload.schema.json"))
}

func TestWorkloadSchema_Files(t *testing.T) {
	s := workloadSchema(t)
	files, err := fs.Glob(loadtest.Workloads, "workloads/*.json")
	require.NoError(t, err)
	require.Len(t, files, 7)
	for _, file := range files {
		if strings.HasSuffix(file, ".schema.json") {
			continue
		}
		text := workloadFile(t, file)
		if strings.HasSuffix(file, "/defaults.json") { // lacks only what has no default
			least := `{"name": "least", "mix": [{"transaction": "get_order", "weight": 1}],`
			text = []byte(least + strings.TrimPrefix(string(text), "{"))
		} else {
			require.Contains(t, Names, strings.TrimSuffix(path.Base(file), ".json"))
		}
		schematest.Require(t, s, text)
	}
}

// The guide, the schema and the program have the same fields.
func TestWorkloadSchema_Documented(t *testing.T) {
	var schema map[string]any
	require.NoError(t, json.Unmarshal(workloadFile(t, "workloads/workload.schema.json"), &schema))
	guide := testenv.Text(t, "../../docs/workloads.md")
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
	visit(schema)
	inProgram := make(map[string]bool)
	fieldsOf(reflect.TypeFor[Definition](), inProgram)
	require.Equal(t, slices.Sorted(maps.Keys(inProgram)), slices.Sorted(maps.Keys(inSchema)))
	require.Greater(t, len(inProgram), 35)
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
