package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	require.Regexp(t, `reads +2 +throughput, tps +10\.0 +12\.0 +× 1\.200 +noise unknown\n`, r.out)
	require.Contains(t, r.out, "A INVALID: ")
	require.NoFileExists(t, strings.TrimSuffix(a, ".json")+".html")

	page := filepath.Join(t.TempDir(), "compared.html")
	succeeds(t, "report", a, b, "--out", page)
	require.Contains(t, testenv.Text(t, page), "× 1.200")
}

// Two groups, as a shell passes them: kong passes on the arguments before -- and those after it.
func TestReport_Groups(t *testing.T) {
	group := func(name string, rates ...float64) []string {
		var files []string
		for i, rate := range rates {
			files = append(files, resultFile(t, fmt.Sprintf("%s-%d.json", name, i+1), func(r *result.Run) {
				r.Started = r.Started.Add(time.Duration(i) * time.Minute)
				r.TPS, r.Goodput = rate, rate
				r.Validity = result.Validity{Valid: true}
			}))
		}
		return files
	}
	for name, c := range map[string]struct {
		a, b []string
		want string
	}{
		"Better": {
			group("a", 100, 101, 99), group("b", 120, 121, 119),
			"Verdict on B against A: better: goodput × 1.200, better, larger than noise; p99 × 1.000, within noise.\n",
		},
		"Three1": {
			group("a", 100, 101, 99), group("b", 200),
			"and A has 3, B 1. Measure both 3 times or more (brokerage drive --repeat 3 --json FILE)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			page := filepath.Join(t.TempDir(), "page.html")
			r := succeeds(t, slices.Concat([]string{"report"}, c.a, []string{"--"}, c.b, []string{"--out", page})...)
			require.Contains(t, r.out, c.want)
			require.Contains(t, r.out, "A  "+strings.Join(c.a, " "))
			html := testenv.Text(t, page)
			require.Contains(t, html, `<section class="banner verdict">`)
			require.Contains(t, html, c.b[len(c.b)-1]+"</code>", "every file is named as a source")
		})
	}
	a, b := group("a", 100), group("b", 200)
	r := succeeds(t, "report", a[0], b[0])
	require.Contains(t,
		r.out,
		"and A has 1, B 1. Measure both 3 times or more (brokerage drive --repeat 3 --json FILE), and compare the groups: "+
			"brokerage report A-1.json",
	)
	require.Equal(t, r.out, brokerage(t.Context(), "report", a[0], "--", b[0]).out)
	r = brokerage(t.Context(), "report", a[0], "--", b[0], "--out", b[0])
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, "is a file that this command reads")
}

func TestReport_Refuses(t *testing.T) {
	file := resultFile(t, "run.json", nil)
	damaged := testenv.File(t, "damaged.json", "{\n  \"format\": ?\n}")
	requireRefusals(t, "report", map[string]refusal{
		"Damaged":      {damaged, exitFailed, "damaged.json:2:13: invalid character '?'"},
		"Three":        {file + " " + file + " " + file, exitUsage, "3 files"},
		"NoOther":      {file + " " + file + " --", exitUsage, "a group without a file"},
		"ThreeGroups":  {file + " -- " + file + " -- " + file, exitUsage, "3 groups"},
		"FlagBetween":  {file + " --out x.html " + file + " " + file, exitUsage, "unexpected argument"},
		"SameRunTwice": {file + " " + file + " -- " + file, exitFailed, "are the same run"},
		"OtherMissing": {file + " -- " + filepath.Join(t.TempDir(), "none.json"), exitFailed, "none.json"},
		"OverItself":   {file + " --out " + file, exitUsage, "is a file that this command reads"},
		"NoFolder":     {file + " --out " + filepath.Join(t.TempDir(), "none", "x.html"), exitFailed, "none"},
	})
	_, err := os.Stat(strings.TrimSuffix(file, ".json") + ".html")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Contains(t, testenv.Text(t, file), result.Format)
}
