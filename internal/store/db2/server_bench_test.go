//go:build db2

package db2

import (
	"database/sql"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/db2/db2test"
)

// lacks are the statements that the stand-in does not know: monitoring.
var lacks = []string{"observe_database", "observe_pools", "observe_statements", "pool_sizes"}

// TestServer itself runs on the stand-in as on a Db2, as far as the stand-in can answer: it compiles and creates
// everything, runs some cases of the suite, has no explain tables, and leaves nothing behind.
func TestServer_OnBench(t *testing.T) {
	b := db2test.Start(t)
	db, err := sql.Open("go_ibm_db", b.DSN())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), "CREATE SCHEMA TPOX")
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "evidence")
	out, err := visited(t, b.URL()+"?schema=TPOX", folder)
	require.Error(t, err, "the plans cannot be confirmed")
	page, err := os.ReadFile(filepath.Join(folder, "README.md"))
	require.NoError(t, err, out)
	t.Logf("%s", page)
	for _, q := range []question{askSchema, askConfigure, askMigrate, askStatistics, askConformance, askCalls, askDrop} {
		require.Contains(t, string(page), "| "+string(q)+" | **confirmed**", "%s", out)
	}
	require.Contains(t, string(page), "| "+string(askPlans)+" | **not confirmed**: none of 1")
	require.Contains(t, string(page), "| "+string(askCampaign)+" | **not tried**")
	require.NotContains(t, string(page), db2test.Password+"@")
	var attempts []probe
	all, err := os.ReadFile(filepath.Join(folder, "attempts.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(all, &attempts))
	require.Greater(t, len(attempts), 300)
	var refused []string
	for _, a := range attempts {
		if a.Question == askCompile && a.Failure != "" {
			refused = append(refused, a.Name)
		}
	}
	require.Equal(t, lacks, refused)
	require.NoError(t, requireNothing(t.Context(), db, "TPOX"))
	for _, name := range []string{"before.txt", "server.json", "compile.clp", "compile.sql", "schema.clp", "drop.clp"} {
		require.FileExists(t, filepath.Join(folder, name))
	}

	// A table of somebody else: the run refuses the schema, and the table is as it was.
	_, err = db.ExecContext(t.Context(), "CREATE TABLE tpox.precious (id INTEGER)")
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "INSERT INTO tpox.precious (id) VALUES (7)")
	require.NoError(t, err)
	out, err = visited(t, b.URL()+"?schema=TPOX", folder)
	require.Error(t, err)
	require.Contains(t, out, "the schema TPOX holds 1 tables, views and aliases")
	require.NotContains(t, out, "=== RUN   TestServer/")
	var id int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT id FROM tpox.precious").Scan(&id))
	require.Equal(t, 7, id)
}

// visited runs this program's TestServer on a database, with the cases of one transaction of the conformance suite.
func visited(t testing.TB, url, folder string) (output string, err error) {
	t.Helper()
	const steps = "^TestServer$/^(Schema|Migrate|Compile|Timeout|Conformance|Plans|Calls|Campaign)$/^GetOrder$"
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run", steps)
	cmd.Env = append(os.Environ(), "DB2_DSN="+url, "DB2_EVIDENCE="+folder, "DB2_PROGRAM=", "DB2_SMALL=1")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// IBM's own db2cli reads the script that is made for it, and compiles what the stand-in knows.
func TestScripts_DB2CLI(t *testing.T) {
	b := onBench(t)
	kit, err := db2test.Fetched()
	require.NoError(t, err)
	folder := t.TempDir()
	writeScripts(t, folder, Settings{Schema: "TPOX", Setting: Tuned})
	result := filepath.Join(folder, "compile.out")
	cmd := exec.CommandContext(t.Context(), filepath.Join(kit.CLIDriver, "bin", "db2cli"), "execsql", "-prepareonly",
		"-connstring", b.DSN(), "-statementdelimiter", terminator,
		"-inputsql", filepath.Join(folder, "compile.sql"), "-outfile", result)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	said, err := os.ReadFile(result)
	require.NoError(t, err, "%s", out)
	prepared := strings.Count(string(said), "The SQL command prepared successfully.")
	require.Equal(t, len(everything("TPOX"))-len(lacks), prepared, "%.3000s", said)
}
