//go:build db2

package db2test_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/db2/db2test"
)

// lacks are the statements that the stand-in does not support, for monitoring.
var lacks = []string{"observe_pools"}

// The trial TestServer also runs on the stand-in: it creates everything, compiles all statements but those in lacks,
// runs some cases of the suite, confirms no plan, and leaves nothing behind.
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
	for _, q := range []string{
		"that creates a schema, of box.sql and of tuned.sql", "`migrate` create",
		"(conformance suite)", "Was everything removed",
	} {
		require.Regexp(t, `(?m)^\| .*`+regexp.QuoteMeta(q)+`.*\? \| \*\*confirmed\*\*`, string(page), "%s", out)
	}
	require.Regexp(t, `by the index that it is meant to use\? \| \*\*not confirmed\*\*: none of 1`, string(page))
	require.Regexp(t, `smoke campaign .*\? \| \*\*not tried\*\*`, string(page))
	require.NotContains(t, string(page), db2test.Password+"@")
	var attempts []struct{ Question, Name, Failure string }
	all, err := os.ReadFile(filepath.Join(folder, "attempts.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(all, &attempts))
	require.Greater(t, len(attempts), 250)
	var refused []string
	for _, a := range attempts {
		if strings.Contains(a.Question, "compile each statement") && a.Failure != "" {
			refused = append(refused, a.Name)
		}
	}
	require.Equal(t, lacks, refused)
	archive, err := exec.CommandContext(t.Context(), "tar", "tzf", folder+".tgz").Output()
	require.NoError(t, err)
	for _, name := range []string{
		"README.md", "attempts.json", "tests.txt", "before.txt", "compile.clp", "compile.sql",
		"drop.clp",
	} {
		require.Contains(t, string(archive), "evidence/"+name+"\n")
	}

	// A table of somebody else: the run refuses the schema, and the table is as it was.
	_, err = db.ExecContext(t.Context(), "CREATE TABLE tpox.precious (id INTEGER)")
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "INSERT INTO tpox.precious (id) VALUES (7)")
	require.NoError(t, err)
	out, err = visited(t, b.URL()+"?schema=TPOX", folder)
	require.Error(t, err)
	require.Contains(t, out, "the schema TPOX holds the table PRECIOUS")
	require.NotContains(t, out, "=== RUN   TestServer/")
	var id int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT id FROM tpox.precious").Scan(&id))
	require.Equal(t, 7, id)
}

// visited runs the script of the trial on a database, with the cases of one transaction of the conformance suite.
func visited(t testing.TB, url, folder string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "deploy/db2/trial.sh")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "DB2_DSN="+url, "DB2_EVIDENCE="+folder, "DB2_PROGRAM=", "DB2_SMALL=1",
		"DB2_RUN=^TestServer$/^(Schema|Migrate|Compile|Timeout|Conformance|Plans|Campaign)$/^GetOrder$")
	out, err := cmd.CombinedOutput()
	tests, failed := os.ReadFile(filepath.Join(folder, "tests.txt"))
	require.NoError(t, failed, "%s", out)
	return string(out) + string(tests), err
}

// tested runs tests of the product, which find the stand-in by their environment.
func tested(t testing.TB, folder, run string, env ...string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(),
		"go", "test", "-tags", "db2", "-count=1", "-timeout=60m", "-v", "-run", run, folder)
	cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// root is the folder of the product's module.
const root = "../../../.."

// IBM's own db2cli reads the script that is made for it, and compiles what the stand-in supports.
func TestScripts_DB2CLI(t *testing.T) {
	b := onBench(t)
	kit, err := db2test.Fetched()
	require.NoError(t, err)
	folder := t.TempDir()
	said, err := tested(t, "./internal/store/db2", "^TestScripts$", "DB2_EVIDENCE="+folder)
	require.NoError(t, err, said)
	script, err := os.ReadFile(filepath.Join(folder, "compile.sql"))
	require.NoError(t, err)
	result := filepath.Join(folder, "compile.out")
	cmd := exec.CommandContext(t.Context(), filepath.Join(kit.CLIDriver, "bin", "db2cli"), "execsql", "-prepareonly",
		"-connstring", b.DSN(), "-statementdelimiter", "~", "-inputsql", filepath.Join(folder, "compile.sql"),
		"-outfile", result)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	prepared, err := os.ReadFile(result)
	require.NoError(t, err, "%s", out)
	require.Equal(t, strings.Count(string(script), "~\n")-len(lacks),
		strings.Count(string(prepared), "The SQL command prepared successfully."), "%.3000s", prepared)
}
