package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/archive"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "b.db")
	db := "sqlite:" + file
	r := succeeds(t, "migrate", "--db", db, "--print")
	require.NoFileExists(t, file, "to print is not to make")

	// The printed statements, run by hand, create the schema that the program creates.
	conn, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "by-hand.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	_, err = conn.ExecContext(t.Context(), r.out)
	require.NoError(t, err)
	schema := func(conn *sql.DB) (text string) {
		query := "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)"
		require.NoError(t, conn.QueryRowContext(t.Context(), query).Scan(&text))
		return text
	}
	made, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, made.Close()) })

	r = succeeds(t, "migrate", "--db", db)
	require.Equal(t, file+": created the schema, version 3\n", r.out)
	require.Equal(t, schema(conn), schema(made))
	r = brokerage(t.Context(), "migrate", "--db", db)
	require.Equal(t, file+": nothing to do, the schema has version 3\n", r.out)
}

// A SIGTERM while an older database is copied, rewritten with checksums or changed in place leaves it unchanged or
// completely migrated, and no other files; the same command then finishes.
func TestMigrate_Terminated(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it has no such signal")
	}
	for name, c := range map[string]struct {
		from   int
		during func(file string) string // exists at the moment of the signal
	}{
		"Copying":   {1, func(file string) string { return file + ".version-1.partial" }},
		"Rewriting": {1, archive.HalfName},
		"InPlace":   {2, func(file string) string { return file + ".version-2" }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "b.db")
			makeOlder(t, file, c.from)
			cmd := process(t, "migrate", "--db", "sqlite:"+file)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			require.NoError(t, cmd.Start())
			for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
				if _, err := os.Stat(c.during(file)); err == nil {
					break
				}
				require.True(t, time.Now().Before(deadline), "no migration was seen")
			}
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			_ = cmd.Wait() // the exit code is checked below
			require.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode(), errs.String())
			require.Contains(t, errs.String(), "interrupted")
			version := requireOneVersion(t, file, c.from)
			copied := fmt.Sprintf("b.db.version-%d", c.from)
			beside := []string{"b.db", "b.db-lock"}
			if version == 3 {
				beside = append(beside, copied)
			}
			require.Equal(t, beside, names(t, dir))

			r := succeeds(t, "migrate", "--db", "sqlite:"+file)
			require.Contains(t, r.out, migratedText(version, 3))
			require.Equal(t, 3, requireOneVersion(t, file, c.from))
			require.Equal(t, c.from, requireOneVersion(t, filepath.Join(dir, copied), c.from))
			require.Equal(t, []string{"b.db", "b.db-lock", copied}, names(t, dir))
		})
	}
}

// olderOrders is how many orders makeOlder stores: enough for a migration to take a while.
const olderOrders = 40_000

// makeOlder makes a database of an older version. Each of its orders has a cash in a column that version 3 clears,
// because the first OrdQty of the document has none.
func makeOlder(t testing.TB, file string, version int) {
	t.Helper()
	var db *sql.DB
	var err error
	if version == 1 {
		db, err = sql.Open("sqlite", file) // without checksums
		require.NoError(t, err)
		script := testenv.Text(t, "../../internal/store/sqlite/migrations/0001_documents.sql")
		_, err = db.ExecContext(t.Context(), "PRAGMA journal_mode = WAL;"+script)
		require.NoError(t, err)
	} else {
		require.Equal(t, exitOK, brokerage(t.Context(), "migrate", "--db", "sqlite:"+file).code)
		db, err = sqlite.OpenFile(file)
		require.NoError(t, err)
	}
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), fmt.Sprintf(`
		INSERT INTO orders (id, account, cash, doc)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT i, 1, x'31', CAST(printf(
			'<FIXML xmlns="%s"><Order ID="%%d" Acct="1" Txt="%%s"><OrdQty></OrdQty></Order></FIXML>',
			i, hex(randomblob(400))) AS BLOB) FROM n;
		PRAGMA user_version = %d`, olderOrders, tpox.FIXMLNS, version))
	require.NoError(t, err)
}

// requireOneVersion requires that all orders match the version of the database, and returns the version.
func requireOneVersion(t testing.TB, file string, from int) (version int) {
	t.Helper()
	db, err := sqlite.OpenFile(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var all, withCash int
	var integrity string
	query := "SELECT user_version, (SELECT count(*) FROM orders), (SELECT count(cash) FROM orders) " +
		"FROM pragma_user_version"
	require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(&version, &all, &withCash))
	require.NoError(t, db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&integrity))
	require.Equal(t, "ok", integrity)
	require.Equal(t, olderOrders, all)
	if version == 3 {
		require.Zero(t, withCash)
	} else {
		require.Equal(t, from, version)
		require.Equal(t, all, withCash)
	}
	return version
}

// A role that only serves needs no right to change an existing schema.
func TestMigrate_Postgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	server.Exec(t, "postgres", "CREATE ROLE brokerage_owner LOGIN; CREATE ROLE brokerage_service LOGIN")
	server.Exec(t, "postgres", "CREATE DATABASE app OWNER brokerage_owner TEMPLATE template0")
	owner, service := server.URLOf("brokerage_owner", "app"), server.URLOf("brokerage_service", "app")

	r := succeeds(t, "migrate", "--db", owner, "--print")
	require.Contains(t, r.out, "CREATE TABLE brokerage.orders")
	require.Contains(t, r.out, "GRANT USAGE ON SCHEMA brokerage TO brokerage_service")
	requireOneLine(t, brokerage(t.Context(), "drive", "--db", service, "--duration", "1s"),
		exitFailed, "role brokerage_service may not change that")
	requireOneLine(t, brokerage(t.Context(), "migrate", "--db", service),
		exitFailed, "role brokerage_service may not change that")
	r = succeeds(t, "migrate", "--db", owner)
	require.Regexp(t, `created the schema, version [1-9]`, r.out)
	r = succeeds(t, "migrate", "--db", service)
	require.Regexp(t, `nothing to do, the schema has version [1-9]`, r.out)
	requireOneLine(t, brokerage(t.Context(), "drive", "--db", service, "--duration", "1s"), exitFailed, "holds no dataset")
}

func TestMigratedText(t *testing.T) {
	require.Equal(t, "migrated the schema from version 1 to 3", migratedText(1, 3))
}

func TestMigrate_Refusals(t *testing.T) {
	t.Parallel()
	requireRefusals(t, "migrate", map[string]refusal{
		"NoDB":    {"", exitUsage, "--db"},
		"Null":    {"--db null: --print", exitUsage, "null: holds nothing"},
		"Unknown": {"--db oracle:x", exitUsage, "sqlite:PATH"},
		"Nobody": {"--db postgres://me:secret@127.0.0.1:1/x?connect_timeout=1", exitFailed,
			"postgres://me@127.0.0.1:1/x: the store is unavailable: connecting"},
	})
}

// A migration Job may start before its database exists.
func TestMigrate_Wait(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	db := server.URL("later")
	require.Contains(t, brokerage(t.Context(), "migrate", "--db", db).err, "does not exist")

	logs := new(logLines)
	ended := make(chan int, 1)
	var out bytes.Buffer
	go func() { ended <- run(t.Context(), []string{"migrate", "--wait", "--db", db}, streams{&out, logs}) }()
	require.Contains(t, logs.wait(t, "waiting for the database")["error"], "does not exist")
	server.Exec(t, "postgres", "CREATE DATABASE later TEMPLATE template0")
	require.Equal(t, exitOK, <-ended, logs)
	require.Regexp(t, `created the schema, version [1-9]`, out.String())

	// Waiting does not help with a schema of a later version.
	server.Exec(t, "later", "INSERT INTO brokerage.schema_versions VALUES (999, 'x')")
	r := brokerage(t.Context(), "migrate", "--wait", "--db", db)
	requireOneLine(t, r, exitFailed, "the database has schema version 999, but this program supports up to")
}
