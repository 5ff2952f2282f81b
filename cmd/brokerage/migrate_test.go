package main

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
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
	require.Equal(t, file+": created the schema, version 1\n", r.out)
	require.Equal(t, schema(conn), schema(made))
	r = brokerage(t.Context(), "migrate", "--db", db)
	require.Equal(t, file+": nothing to do, the schema has version 1\n", r.out)
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

	// Waiting does not help with a schema of another version.
	server.Exec(t, "later", "UPDATE brokerage.settings SET value = '999' WHERE name = 'schema.version'")
	r := brokerage(t.Context(), "migrate", "--wait", "--db", db)
	requireOneLine(t, r, exitFailed, "schema version 999 is newer than this program supports (1); use a newer release")
}
