package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "b.db")
	db := "sqlite:" + file
	r := succeeds(t, "migrate", "--db", db, "--print")
	require.NoFileExists(t, file, "--print creates nothing")

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
}

const aDB2 = "db2://me:secret@127.0.0.1:1/TPOX"

// Every binary prints the DDL, with the driver or without.
func TestMigrate_PrintsDB2(t *testing.T) {
	r := succeeds(t, "migrate", "--db", aDB2, "--print")
	for _, part := range []string{
		"CREATE TABLESPACE ME_ALL", "CREATE TABLE custacc", "GENERATE KEY USING XMLPATTERN", "REGISTER XMLSCHEMA",
		"schema.version",
	} {
		require.Contains(t, r.out, part)
	}
	require.NotContains(t, r.out, "secret")
}

// databaseTLS returns the variables that deploy/k8s/overlays/external sets, with ca as the authority's file.
func databaseTLS(t testing.TB, ca string) (variables []string) {
	t.Helper()
	text := testenv.Text(t, "../../deploy/k8s/overlays/external/database/tls.yaml")
	var operations []struct {
		Path  string
		Value struct{ Name, Value string }
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &operations))
	for _, o := range operations {
		if strings.HasSuffix(o.Path, "/env/-") {
			variables = append(variables, o.Value.Name+"="+
				strings.Replace(o.Value.Value, "/etc/brokerage/database-ca/ca.crt", ca, 1))
		}
	}
	require.Contains(t, variables, "PGSSLROOTCERT="+ca)
	return variables
}

// With the variables of databaseTLS, only a server with a certificate of this authority for the URL's host is used.
func TestPostgres_VerifiesServer(t *testing.T) {
	t.Parallel()
	_, port, found := strings.Cut(freeAddress(t), ":")
	require.True(t, found)
	server := pgtest.Start(t, "listen_addresses=127.0.0.1", "port="+port)
	ca := newAuthority(t)
	right := testenv.File(t, "ca.crt", string(ca.pem))
	other := testenv.File(t, "other.crt", string(newAuthority(t).pem))
	migrate := func(ca, host string) (code int, errs string) {
		cmd := process(t, "migrate", "--db", "postgres://"+pgtest.User+"@"+host+":"+port+"/postgres")
		cmd.Env = append(os.Environ(), databaseTLS(t, ca)...)
		var said bytes.Buffer
		cmd.Stderr = &said
		_ = cmd.Run() // the exit code is checked
		return cmd.ProcessState.ExitCode(), said.String()
	}
	code, errs := migrate(right, "127.0.0.1")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "server refused TLS connection")

	cert, key := ca.issue(t, 1)
	server.UseTLS(t, cert, key)
	for name, c := range map[string]struct{ ca, host, says string }{
		"OtherName":      {right, "localhost", "not valid for any names, but wanted to match localhost"},
		"OtherAuthority": {other, "127.0.0.1", "certificate signed by unknown authority"},
	} {
		code, errs := migrate(c.ca, c.host)
		require.Equal(t, exitFailed, code, name)
		require.Contains(t, errs, c.says, name)
	}
	code, errs = migrate(right, "127.0.0.1")
	require.Equal(t, exitOK, code, errs)
}
