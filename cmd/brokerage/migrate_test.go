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
	file := filepath.Join(t.TempDir(), "b.db")
	db := "sqlite:" + file
	r := brokerage(t.Context(), "migrate", "--db", db, "--print")
	require.Equal(t, exitOK, r.code, r.err)
	require.NoFileExists(t, file, "to print is not to make")

	// What is printed, run by hand, is what the program makes.
	conn, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "by-hand.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	_, err = conn.ExecContext(t.Context(), r.out)
	require.NoError(t, err)
	schema := func(conn *sql.DB) (text string) {
		require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)").Scan(&text))
		return text
	}
	made, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, made.Close()) })

	r = brokerage(t.Context(), "migrate", "--db", db)
	require.Equal(t, exitOK, r.code, r.err)
	require.Equal(t, file+": made the schema, version 3\n", r.out)
	require.Equal(t, schema(conn), schema(made))
	r = brokerage(t.Context(), "migrate", "--db", db)
	require.Equal(t, file+": nothing to do, the schema has version 3\n", r.out)
}

// Who serves needs no right to change the schema, if it is there already.
func TestMigrate_Postgres(t *testing.T) {
	server := pgtest.Start(t)
	server.Exec(t, "postgres", "CREATE ROLE brokerage_owner LOGIN; CREATE ROLE brokerage_service LOGIN")
	server.Exec(t, "postgres", "CREATE DATABASE app OWNER brokerage_owner TEMPLATE template0")
	owner, service := server.URLOf("brokerage_owner", "app"), server.URLOf("brokerage_service", "app")

	r := brokerage(t.Context(), "migrate", "--db", owner, "--print")
	require.Equal(t, exitOK, r.code, r.err)
	require.Contains(t, r.out, "CREATE TABLE brokerage.orders")
	require.Contains(t, r.out, "GRANT USAGE ON SCHEMA brokerage TO brokerage_service")
	requireOneLine(t, brokerage(t.Context(), "drive", "--db", service, "--duration", "1s"), exitFailed, "role brokerage_service may not change that")
	requireOneLine(t, brokerage(t.Context(), "migrate", "--db", service), exitFailed, "role brokerage_service may not change that")
	r = brokerage(t.Context(), "migrate", "--db", owner)
	require.Equal(t, exitOK, r.code, r.err)
	require.Regexp(t, `made the schema, version [1-9]`, r.out)
	r = brokerage(t.Context(), "migrate", "--db", service)
	require.Equal(t, exitOK, r.code, r.err)
	require.Regexp(t, `nothing to do, the schema has version [1-9]`, r.out)
	requireOneLine(t, brokerage(t.Context(), "drive", "--db", service, "--duration", "1s"), exitFailed, "holds no dataset")
}

func TestMigratedText(t *testing.T) {
	require.Equal(t, "migrated the schema from version 1 to 3", migratedText(1, 3))
}

func TestMigrate_Refusals(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"NoDB":    {nil, exitUsage, "--db"},
		"Null":    {[]string{"--db", "null:", "--print"}, exitUsage, "null: holds nothing"},
		"Unknown": {[]string{"--db", "oracle:x"}, exitUsage, "sqlite:PATH"},
		"Nobody":  {[]string{"--db", "postgres://me:secret@127.0.0.1:1/x?connect_timeout=1"}, exitFailed, "postgres://me@127.0.0.1:1/x: the store is unavailable: connecting"},
	} {
		t.Run(name, func(t *testing.T) {
			r := brokerage(t.Context(), append([]string{"migrate"}, c.args...)...)
			requireOneLine(t, r, c.code, c.says)
			require.NotContains(t, r.err, "secret")
		})
	}
}

// A Job that migrates may come before the database that it migrates.
func TestMigrate_Wait(t *testing.T) {
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
	require.Regexp(t, `made the schema, version [1-9]`, out.String())

	// A schema of a later version is nothing that waiting mends.
	server.Exec(t, "later", "INSERT INTO brokerage.schema_versions VALUES (999, 'x')")
	r := brokerage(t.Context(), "migrate", "--wait", "--db", db)
	requireOneLine(t, r, exitFailed, "the database has schema version 999, and this program knows up to")
}
