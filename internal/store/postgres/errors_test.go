package postgres

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

func server(code string) error {
	return fmt.Errorf("executing: %w", &pgconn.PgError{Code: code, Message: "a text that nobody may go by"})
}

func TestDomainError(t *testing.T) {
	unfit, down, damaged := tpox.Is[*tpox.Invalid], tpox.Is[*tpox.Unavailable], tpox.Is[*tpox.Damaged]
	for code, want := range map[string]func(error) bool{
		invalidXMLDocument: unfit, invalidXMLContent: unfit, untranslatable: unfit, tooComplex: unfit, checkViolation: unfit,
		notNullViolation: unfit, uniqueViolation: down, deadlockDetected: down, adminShutdown: down, queryCanceled: down,
		"XX000": down, "08006": down, "42P01": down, dataCorrupted: damaged, indexCorrupted: damaged,
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

// What a URL asks for, and what a log shows of it. store.TestFind_NoSecrets requires that no error shows a password.
func TestURL(t *testing.T) {
	for url, name := range map[string]string{
		"postgres://me:secret@host/db":                                 "postgres://me@host/db",
		"postgres://me:secret@host:5433/db?sslmode=disable&password=x": "postgres://me@host:5433/db",
		"postgres://me@/db?host=/var/run/postgresql":                   "postgres://me@/var/run/postgresql/db",
		"postgres://me:secret@host:port/db":                            "postgres:",
	} {
		require.Equal(t, name, databaseName(url))
	}
	for query, says := range map[string]string{
		"distribute=true": "", "distribute=1024": "", "distribute=false": "", "mode=pure": "", "mode=keys&distribute=4": "",
		"pool_max_conns=99999999":   "pool_max_conns is 99999999; the maximum is 10000",
		"distribute=0":              "distribute=0 in the URL is neither true nor a number of shards from 1 to 1024",
		"distribute=2k":             "distribute=2k in the URL is neither true nor a number of shards from 1 to 1024",
		"mode=xml":                  `mode "xml" in the URL is neither keys nor pure`,
		"mode=pure&distribute=true": errPureDistributed.Error(),
	} {
		err := checkURL("postgres://h/d?" + query)
		if says == "" {
			require.NoError(t, err, query)
		} else {
			require.EqualError(t, err, says)
		}
	}
}

func TestOpen_Pool(t *testing.T) {
	url := loaded(t, generator(t), "")
	require.Equal(t, DefaultPool, opened(t, url, Options{}).Stats().Connections)
	require.Equal(t, 3, opened(t, url+"&pool_max_conns=3", Options{}).Stats().Connections)
	require.Equal(t, 5, opened(t, url+"&pool_max_conns=3", Options{Pool: 5}).Stats().Connections)
}
