package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/testenv"
)

// resultFile returns a file with the result of a small run, made up.
func resultFile(t testing.TB, name string, change func(*result.Run)) string {
	t.Helper()
	row := result.Row{
		Name: "get_order", Kind: "query", Weight: 1, Share: 1, Due: 600, Count: 600, Good: 600,
		Latency: result.Latency{Total: 6e5, Min: 500, Max: 2000, Mean: 1000, P50: 900, P90: 1200, P95: 1500, P99: 1900},
	}
	r := result.Run{
		Format: result.Format, Tool: result.Tool{Name: "drive"}, Workload: result.WorkloadStamp{
			Name: "reads", SHA256: "0123456789abcdef",
		},
		Model: result.Model{Kind: result.Closed, Users: 2}, Measured: 60, TPS: 10, TPM: 600, Goodput: 10,
		Transactions: []result.Row{row}, Total: row,
		Dataset: result.DatasetStamp{Fingerprint: "made-up"}, Validity: result.Validity{Reasons: []string{"not steady"}},
	}
	if change != nil {
		change(&r)
	}
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return testenv.File(t, name, string(text))
}

func TestReport(t *testing.T) {
	file := resultFile(t, "run.json", nil)
	r := succeeds(t, "report", file)
	page := strings.TrimSuffix(file, ".json") + ".html"
	require.Contains(t, r.err, "wrote "+page)
	html := testenv.Text(t, page)
	require.Contains(t, html, "<strong>INVALID</strong>")

	other := filepath.Join(t.TempDir(), "other.html")
	succeeds(t, "report", file, "--out", other)
	require.FileExists(t, other)
	r = succeeds(t, "report", file, "--out", "-")
	require.Equal(t, html, r.out)
}

func TestReport_Compare(t *testing.T) {
	a := resultFile(t, "a.json", nil)
	b := resultFile(t, "b.json", func(r *result.Run) { r.TPS = 12 })
	r := succeeds(t, "report", a, b)
	require.Regexp(t, `\n +throughput, tps +10\.0 +12\.0 +× 1\.200\n`, r.out)
	require.Contains(t, r.out, "A INVALID: ")
	require.NoFileExists(t, strings.TrimSuffix(a, ".json")+".html")
}
