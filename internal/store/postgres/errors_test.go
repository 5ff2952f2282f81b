package postgres

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/tpox"
)

func server(code string) error {
	return fmt.Errorf("executing: %w", &pgconn.PgError{Code: code, Message: "a text that nobody may go by"})
}

func TestDomainError(t *testing.T) {
	unfit, down := tpox.Is[*tpox.Invalid], tpox.Is[*tpox.Unavailable]
	damaged := tpox.Is[*tpox.Damaged]
	for code, want := range map[string]func(error) bool{
		invalidXMLDocument: unfit, invalidXMLContent: unfit, untranslatable: unfit, tooComplex: unfit, checkViolation: unfit,
		notNullViolation: unfit, uniqueViolation: down, deadlockDetected: down, adminShutdown: down, queryCanceled: down,
		"XX000": down, "42P01": down, dataCorrupted: damaged, indexCorrupted: damaged,
	} {
		err := domainError(t.Context(), server(code), false)
		require.True(t, want(err), "%s: %v", code, err)
		if tpox.Is[*tpox.Invalid](err) { // what the server says is for the log
			require.NotContains(t, err.Error(), "nobody may go by")
		}
	}
	require.NoError(t, domainError(t.Context(), nil, true))
	missing := tpox.NoOrder(7)
	require.Equal(t, missing, domainError(t.Context(), missing, true))
	require.Equal(t, &tpox.Unavailable{Cause: io.ErrUnexpectedEOF, Unknown: true},
		domainError(t.Context(), io.ErrUnexpectedEOF, true))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, domainError(cancelled, server(queryCanceled), true), context.Canceled)
}

func TestName(t *testing.T) {
	for url, name := range map[string]string{
		"postgres://me:secret@host/db":                                 "postgres://me@host/db",
		"postgres://me:secret@host:5433/db?sslmode=disable&password=x": "postgres://me@host:5433/db",
		"postgres://me@/db?host=/var/run/postgresql":                   "postgres://me@/var/run/postgresql/db",
		"postgres://me:secret@host:port/db":                            "postgres:",
	} {
		require.Equal(t, name, databaseName(url))
	}
	require.NoError(t, checkURL("postgres://me:secret@host/db?pool_max_conns=3"))
	require.EqualError(t, checkURL("postgres://me:secret@host/db?pool_max_conns=99999999"),
		"pool_max_conns is 99999999, and may be 10000 at most")
	err := checkURL("postgres://me:secret@host:port/db")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
}

func TestOpen_Pool(t *testing.T) {
	_, _, server, database := tiny(t)
	connections := func(settings string, options Options) int {
		s := opened(t, server.URL(database)+settings, options)
		defer func() { require.NoError(t, s.Close()) }()
		return s.Stats().Connections
	}
	require.Equal(t, DefaultPool, connections("", Options{}))
	require.Equal(t, 3, connections("&pool_max_conns=3", Options{}))
	require.Equal(t, 5, connections("&pool_max_conns=3", Options{Pool: 5}))
}

// The errors of Open that waiting may cure say so; TestOpen_OtherVersion has those that it does not.
func TestOpen_Unavailable(t *testing.T) {
	server := pgtest.Start(t)
	server.Exec(t, "postgres", "CREATE ROLE guest LOGIN")
	empty := server.Database(t)

	for url, says := range map[string]string{
		"postgres://127.0.0.1:1/none":   "connecting: ",
		"postgres://db.invalid/none":    "db.invalid",
		server.URL("none"):              "does not exist",
		server.URLOf("stranger", empty): "stranger",
		server.URLOf("guest", empty):    "role guest may not make it: brokerage migrate does, as the owner",
	} {
		_, err := Open(t.Context(), url, Options{})
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "\n")
		require.True(t, tpox.Is[*tpox.Unavailable](err), "%v", err)
	}
}
