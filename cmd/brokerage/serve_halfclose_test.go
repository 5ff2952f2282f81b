package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// halfClosed sends a request for a statement on a new connection, and closes its side with a FIN.
func halfClosed(t testing.TB, i *instance) *net.TCPConn {
	t.Helper()
	c := dialed(t, i.url).(*net.TCPConn)
	_, err := io.WriteString(c, "GET /v1/customers/1002/statement HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	require.NoError(t, c.CloseWrite())
	return c
}

// whole reads an answer and the end of the connection.
func whole(t testing.TB, c net.Conn) (status int, body string) {
	t.Helper()
	from := bufio.NewReader(c)
	r, err := http.ReadResponse(from, nil)
	require.NoError(t, err)
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	_, err = from.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	return r.StatusCode, string(b)
}

func TestServe_HalfClose(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		i := serving(t, tinyDB(t))
		for range 200 {
			status, body := whole(t, halfClosed(t, i))
			require.Equal(t, 200, status)
			require.True(t, strings.HasSuffix(body, "Customer>"), body)
		}
		i.stop(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		server, database := tinyPostgres(t)
		i := serving(t, "", "--db", server.URL(database))
		for range 50 {
			status, body := whole(t, halfClosed(t, i))
			require.Equal(t, 200, status)
			require.True(t, strings.HasSuffix(body, "</c:Customer>"), body)
		}

		// A response takes as long as another session locks the table.
		other := server.Connect(t, database)
		defer func() { _ = other.Close(t.Context()) }()
		waiting := func() (n int) {
			const here = "(SELECT oid FROM pg_database WHERE datname = current_database())" // other tests use the server too
			require.NoError(t, other.QueryRow(t.Context(),
				"SELECT count(*) FROM pg_locks WHERE NOT granted AND database = "+here).Scan(&n))
			return n
		}
		exec := func(statement string) {
			_, err := other.Exec(t.Context(), statement)
			require.NoError(t, err)
		}
		hold := func() {
			exec("BEGIN")
			exec("LOCK TABLE brokerage.customers IN ACCESS EXCLUSIVE MODE")
		}
		hold()
		c := halfClosed(t, i)
		require.Eventually(t, func() bool { return waiting() == 1 }, patience, time.Millisecond)
		time.Sleep(200 * time.Millisecond) // time in which the service receives the FIN
		require.Equal(t, 1, waiting(), "the FIN has cancelled the statement")
		exec("ROLLBACK")
		status, _ := whole(t, c)
		require.Equal(t, 200, status)

		hold()
		c = halfClosed(t, i)
		require.Eventually(t, func() bool { return waiting() == 1 }, patience, time.Millisecond)
		require.NoError(t, c.SetLinger(0)) // so that Close sends a reset
		require.NoError(t, c.Close())
		require.Eventually(t, func() bool { return waiting() == 0 }, 5*time.Second, time.Millisecond,
			"the reset has not cancelled the statement")
		exec("ROLLBACK")
		i.stop(t)
	})
}
