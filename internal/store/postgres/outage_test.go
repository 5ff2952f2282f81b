package postgres

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// Requests wait together for a server that has just gone down. While it stays down, later requests end at once. When
// it is back, the store reconnects by itself.
func TestOutage(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := pgtest.Start(t)
	d := generator(t)
	s := opened(t, server.URL("postgres"), Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	read := func() error { return errOf(s.GetOrder(t.Context(), orderID(d, 0))) }

	server.Halt(t)
	began := time.Now()
	require.NoError(t, storetest.Together(64, func(int) error {
		if err := read(); !tpox.Is[*tpox.Unavailable](err) {
			return err
		}
		return nil
	}))
	require.GreaterOrEqual(t, time.Since(began), patience*9/10)
	tries := s.retries.Load()
	began = time.Now()
	for range 200 {
		require.ErrorContains(t, read(), "the server has been down since ")
	}
	require.Less(t, time.Since(began), patience)
	require.Equal(t, tries, s.retries.Load(), "no request was sent to the server")
	require.Error(t, s.Ready(t.Context()))

	server.Again(t)
	eventually(t, func() bool { return read() == nil })
	require.Nil(t, s.outage.Load())
}

// The password of a role is changed while the store is open: a new connection reads it from the file again.
func TestPassword_Changed(t *testing.T) {
	testenv.Long(t)
	server := pgtest.Start(t)
	hba := value[string](t, server.Connect(t, "postgres"), "SHOW hba_file")
	server.Exec(t, "postgres", "CREATE ROLE me LOGIN SUPERUSER PASSWORD 'old'")
	server.Exec(t, "postgres", "COPY (VALUES ('local all me scram-sha-256'), ('local all all trust')) TO '"+hba+"'")
	server.Exec(t, "postgres", "SELECT pg_reload_conf()")
	file := filepath.Join(t.TempDir(), "pgpass")
	t.Setenv("PGPASSFILE", file)
	write := func(password string) {
		require.NoError(t, os.WriteFile(file, []byte("*:*:*:me:"+password+"\n"), 0o600))
	}
	url := server.URLOf("me", "postgres")
	write("wrong")
	_, err := Open(t.Context(), url, Options{})
	require.ErrorContains(t, err, "password authentication failed")
	write("old")
	s := opened(t, url, Options{})
	read := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return errOf(s.Contents(ctx))
	}
	require.NoError(t, read())
	server.Exec(t, "postgres", "ALTER ROLE me PASSWORD 'new'")
	require.NoError(t, storetest.Together(16, func(int) error { return errOf(s.Contents(t.Context())) }),
		"the open connection serves requests that cannot get a new one")
	s.pool.Reset()
	require.Error(t, read())
	write("new")
	eventually(t, func() bool { return read() == nil })
}
