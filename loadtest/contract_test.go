package loadtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/workload"
)

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// object reads an object of simple values off a script.
func object(t testing.TB, script, name string) map[string]string {
	t.Helper()
	body := regexp.MustCompile(`(?s)export const ` + name + ` = \{\n(.*?)\n\};`).FindStringSubmatch(script)
	require.NotNil(t, body, name)
	values := make(map[string]string)
	for _, m := range regexp.MustCompile(`'?([\w-]+)'?: '?(\w+)'?,`).FindAllStringSubmatch(body[1], -1) {
		values[m[1]] = m[2]
	}
	return values
}

// The script cannot read the contract, so it repeats what it needs of it.
func TestScript_AsTheContract(t *testing.T) {
	t.Parallel()
	script := readFile(t, "lib/registry.js")
	t.Run("Transactions", func(t *testing.T) {
		t.Parallel()
		want := make(map[string]string)
		for _, transaction := range workload.Transactions() {
			want[transaction.Name] = transaction.Kind.String()
		}
		require.Equal(t, want, object(t, script, "kinds"))
	})
	t.Run("Problems", func(t *testing.T) {
		t.Parallel()
		var contract struct {
			Problems []struct {
				Type   string `yaml:"type"`
				Status int    `yaml:"status"`
			} `yaml:"x-problems"`
		}
		require.NoError(t, yaml.Unmarshal([]byte(readFile(t, "../api/openapi.yaml")), &contract))
		want := make(map[string]string)
		for _, p := range contract.Problems {
			want[p.Type] = fmt.Sprint(p.Status)
		}
		require.NotEmpty(t, want)
		require.Equal(t, want, object(t, script, "problems"))
	})
	t.Run("Workloads", func(t *testing.T) {
		t.Parallel()
		for _, name := range workload.Names() {
			require.Contains(t, readFile(t, "lib/workload.js"), "'"+name+"'")
		}
	})
}

// The templates beside the script are those that the generator writes:
// brokerage templates --count 100 --out loadtest/templates, without securities,
// which the script reads from the service.
func TestTemplates_AreTheGenerators(t *testing.T) {
	t.Parallel()
	scale, err := dataset.ParseScale("tiny")
	require.NoError(t, err)
	d := dataset.New(dataset.Spec{Scale: scale, Seed: 1})
	files, err := filepath.Glob("templates/*")
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, kind := range []string{"order", "customer", "account"} {
		var file struct {
			Dataset   string     `json:"dataset"`
			Templates [][]string `json:"templates"`
		}
		text := []byte(readFile(t, filepath.Join("templates", kind+".templates.json")))
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
