package main

import (
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
)

const examples = "../../loadtest/examples/"

// Three transactions of one's own against a service, with leased ids of its own kind.
func TestDrive_OwnRequests(t *testing.T) {
	t.Parallel()
	service := serving(t, tinyDB(t))
	file := filepath.Join(t.TempDir(), "r.json")
	r := succeeds(t, "drive", "--url", service.url, "--workload", examples+"http/http.json", "--users", "4",
		"--ramp", "0s", "--count", "1000", "--json", file)
	require.NotContains(t, r.out, "UNEXPECTED")
	run := readRun(t, file)
	require.Equal(t, int64(1000), run.Total.Good)
	goods := make(map[string]int64)
	for _, row := range run.Transactions {
		goods[row.Name+" "+row.Kind] = row.Good
	}
	require.Len(t, goods, 3)
	require.Positive(t, goods["read_order query"])
	require.Positive(t, goods["reprice update"])
	require.Positive(t, goods["place_order insert"])
	service.stop(t)
	requireOneLine(t, brokerage(t.Context(), "drive", "--db", "null:", "--workload", examples+"http/http.json"), exitUsage,
		"--workload: the transaction read_order has no statements for null")
}

// Application logging on PostgreSQL, by its own statements, in a database without a dataset: what was inserted is
// there, and sessions are found by day.
func TestDrive_Logging(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	database := server.Database(t)
	file := filepath.Join(t.TempDir(), "r.json")
	drive := func(args ...string) exited {
		return brokerage(t.Context(), append([]string{"drive", "--db", server.URL(database), "--workload",
			examples + "logging/logging.json", "--users", "4", "--ramp", "0s", "--json", file}, args...)...)
	}
	r := drive("--count", "2000")
	require.Equal(t, exitOK, r.code, r.err)
	require.NotContains(t, r.out, "UNEXPECTED")
	run := readRun(t, file)
	require.Equal(t, int64(2000), run.Total.Good, r.out)
	require.Equal(t, "none", run.Dataset.Fingerprint)
	rows := make(map[string]result.Row)
	for _, row := range run.Transactions {
		rows[row.Name] = row
	}
	require.Positive(t, rows["session_day"].Good)
	conn := server.Connect(t, database)
	one := func(query string) (n int64) {
		require.NoError(t, conn.QueryRow(t.Context(), query, pgx.QueryExecModeExec).Scan(&n))
		return n
	}
	require.Equal(t, rows["log_entry"].Good, one("SELECT sum(entries) FROM log_session"))
	require.Equal(t, int64(0), one("SELECT count(*) FROM log_session WHERE entries = 0"))
	_, err := conn.Exec(t.Context(), "DROP INDEX log_entry_day; ALTER TABLE log_session RENAME entries TO n")
	require.NoError(t, err)
	requireOneLine(t, drive("--count", "20"), exitFailed,
		`the transaction log_entry: ERROR: column "entries" of relation "log_session"`)
}
