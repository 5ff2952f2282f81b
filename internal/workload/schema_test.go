package workload

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"brokerage/loadtest"
)

// compiled reads a schema, which must be one.
func compiled(t testing.TB, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	return s
}

func requireValid(t testing.TB, s *jsonschema.Schema, text []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, s.Validate(doc))
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

func workloadSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := loadtest.Workloads.ReadFile("workloads/workload.schema.json")
	require.NoError(t, err)
	return compiled(t, text)
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
		text, err := loadtest.Workloads.ReadFile(file)
		require.NoError(t, err)
		if strings.HasSuffix(file, "/defaults.json") { // lacks only what has no default
			least := `{"name": "least", "mix": [{"transaction": "get_order", "weight": 1}],`
			text = []byte(least + strings.TrimPrefix(string(text), "{"))
		}
		requireValid(t, s, text)
	}
}

// The schema and the program know the same transactions.
func TestWorkloadSchema_Transactions(t *testing.T) {
	s := workloadSchema(t)
	var mix []Part
	for _, tx := range Transactions() {
		mix = append(mix, Part{Transaction: tx.Name, Weight: 1})
	}
	requireValid(t, s, asJSON(t, map[string]any{"name": "all", "mix": mix}))
	text, err := loadtest.Workloads.ReadFile("workloads/workload.schema.json")
	require.NoError(t, err)
	var known struct {
		Properties struct {
			Mix struct {
				Items struct {
					Properties struct {
						Transaction struct{ Enum []string }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &known))
	require.Len(t, known.Properties.Mix.Items.Properties.Transaction.Enum, len(mix))
}
