package loadtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// The script has no folders to list, so it repeats the names of the workloads.
func TestScript_Workloads(t *testing.T) {
	t.Parallel()
	for _, name := range workload.Names() {
		require.Contains(t, testenv.Text(t, "lib/workload.js"), "'"+name+"'")
	}
}

// The templates beside the script are those that the generator writes: brokerage templates --count 100 --out
// loadtest/templates, without securities, which the script reads from the service.
func TestTemplates_AreTheGenerators(t *testing.T) {
	t.Parallel()
	d := dataset.New(dataset.Spec{Seed: 1})
	files, err := filepath.Glob("templates/*")
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, kind := range []string{"order", "customer", "account"} {
		var file struct {
			Dataset   string     `json:"dataset"`
			Templates [][]string `json:"templates"`
		}
		text := []byte(testenv.Text(t, filepath.Join("templates", kind+".templates.json")))
		require.NoError(t, json.Unmarshal(text, &file))
		require.Equal(t, d.Fingerprint(), file.Dataset)
		want := d.Templates(kind, 100)
		require.Len(t, file.Templates, len(want))
		for i, template := range want {
			require.Equal(t, template.Parts, file.Templates[i], "%s %d is stale", kind, i)
			require.NotContains(t, fmt.Sprint(template.Parts), "\n", "the script parts them by line breaks")
		}
		require.False(t, bytes.Contains(text, []byte("\r")))
	}
}
