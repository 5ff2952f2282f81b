package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
)

// listener returns a listener on this machine, for what does not answer, or answers badly.
func listener(t testing.TB) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() }) // the test may have closed it
	return l
}

// freeAddress returns an address of this machine where nothing listens, also for a process that cannot report its own.
func freeAddress(t testing.TB) string {
	t.Helper()
	l := listener(t)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

func TestServe_DoesNotWait(t *testing.T) {
	t.Parallel()
	r := brokerage(t.Context(), "serve", "--listen", "127.0.0.1:0", "--db", "postgres://me@"+freeAddress(t)+"/db")
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.err, "connection refused")
}

// A service whose start fails has accepted no client, so none is reset.
func TestServe_StartFails(t *testing.T) {
	t.Parallel()
	server, addr := listener(t), freeAddress(t) // of a database that does not answer
	i := launch{}.start(t, "--listen", addr, "--db", "postgres://me@"+server.Addr().String()+"/db")
	waiting, err := server.Accept()
	require.NoError(t, err)
	_, err = new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.NoError(t, errors.Join(waiting.Close(), server.Close()))
	require.Equal(t, exitFailed, i.ended(t), i.logs)
}

// The database is created, then its schema: the service becomes ready without a restart.
func TestServe_WaitEnds(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	server.Exec(t, "postgres", "CREATE ROLE brokerage_service LOGIN")
	i := serving(t, "", "--wait", "--db", server.URLOf("brokerage_service", "later"))
	require.Contains(t, i.logs.wait(t, "waiting for the database")["error"], "does not exist")
	server.Exec(t, "postgres", "CREATE DATABASE later TEMPLATE template0")
	eventually(t, func() bool {
		return strings.Contains(fmt.Sprint(i.logs.find(t, "waiting for the database")["error"]), "as the owner")
	}, "it waits for the schema: %s", i.logs)
	require.Equal(t, http.StatusServiceUnavailable, get(t, i.url+"/readyz").status)

	succeeds(t, "load", "--db", server.URL("later"))
	i.logs.wait(t, "the database is available")
	eventually(t, func() bool { return get(t, i.url+"/readyz").status == http.StatusOK }, "it is ready")
	require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/103282").status)
	require.Contains(t, get(t, i.url+"/metrics").body, "brokerage_store_connections_limit ")
	i.stop(t)
}
