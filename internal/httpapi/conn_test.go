package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// sized is a store whose securities have the length that their symbol gives.
type sized struct{ tpox.Store }

func (sized) GetSecurity(_ context.Context, symbol string) ([]byte, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(symbol, "S"))
	if err != nil {
		return nil, &tpox.NotFound{What: "security", Key: symbol}
	}
	return bytes.Repeat([]byte{'x'}, n), nil
}

// joined serves such a store on a listener of JoinWrites, and returns a connection to it.
func joined(t *testing.T) line {
	t.Helper()
	return dial(t, served(t, serverOf(t, sized{failing(nil)}, Options{}), false))
}

func put(t *testing.T, conn line, method, target string, headers ...string) {
	t.Helper()
	conn.send(t, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", method, target,
		strings.Join(append(headers, ""), "\r\n")))
}

// A client on the same machine reads in one piece what was written by one system call.
func TestJoinWrites_OnePiece(t *testing.T) {
	conn := joined(t)
	in := make([]byte, 64<<10)
	for _, size := range []int{
		1000, shortest - 1, shortest, 3700, 3800, 3900, gathered - 1, gathered, gathered + 1, 6500, 2 * gathered, 12_000,
	} {
		for range 5 {
			put(t, conn, http.MethodGet, "/v1/securities/S"+strconv.Itoa(size))
			n, err := conn.Read(in)
			require.NoError(t, err)
			header, body, ok := bytes.Cut(in[:n], []byte("\r\n\r\n"))
			require.True(t, ok)
			require.Contains(t, string(header), "Content-Length: "+strconv.Itoa(size))
			require.Len(t, body, size, "the rest came apart")
		}
	}
}

// No kind of response leaves data that appears in the next one.
func TestJoinWrites_Mixed(t *testing.T) {
	conn := joined(t)
	in := bufio.NewReader(conn)
	do := func(method, target string, headers ...string) answer {
		t.Helper()
		put(t, conn, method, target, headers...)
		return received(t, in, method)
	}
	for _, size := range []int{0, 10, 3500, 5000, 20_000, 99_999} {
		target := "/v1/securities/S" + strconv.Itoa(size)
		whole := do(http.MethodGet, target)
		require.Equal(t, http.StatusOK, whole.StatusCode)
		require.Equal(t, strings.Repeat("x", size), whole.body)

		a := do(http.MethodHead, target)
		require.Equal(t, http.StatusOK, a.StatusCode)
		require.Empty(t, a.body)

		a = do(http.MethodGet, target, "If-None-Match: "+whole.Header.Get("Etag"))
		require.Equal(t, http.StatusNotModified, a.StatusCode)
		require.Empty(t, a.body)

		a = do(http.MethodGet, "/v1/securities/NONE")
		require.Equal(t, http.StatusNotFound, a.StatusCode)
		require.Contains(t, a.body, "<problem")

		a = do(http.MethodGet, target, "Accept-Encoding: gzip")
		require.Equal(t, http.StatusOK, a.StatusCode)
		require.Len(t, a.body, int(a.ContentLength))
	}
	// Requests that do not wait for each other.
	for range 3 {
		put(t, conn, http.MethodGet, "/v1/securities/S9000")
	}
	for range 3 {
		require.Len(t, received(t, in).body, 9000)
	}
}

// A header that came alone, or none at all, holds nothing back.
func TestJoinWrites_Unexpected(t *testing.T) {
	tests := map[string]struct {
		expected int
		writes   []string
		sent     []string // by write
	}{
		"NobodySaid":    {0, []string{"HTTP/1.1 200 OK\r\n\r\n123"}, []string{"HTTP/1.1 200 OK\r\n\r\n123"}},
		"Whole":         {3, []string{"HTTP/1.1 200 OK\r\n\r\n123"}, []string{"HTTP/1.1 200 OK\r\n\r\n123"}},
		"HeaderUnended": {3, []string{"HTTP/1.1 200 OK\r\n", "\r\n123"}, []string{"HTTP/1.1 200 OK\r\n", "\r\n123"}},
		"TwoPieces":     {3, []string{"HTTP/1.1 200 OK\r\n\r\n1", "23"}, []string{"", "HTTP/1.1 200 OK\r\n\r\n123"}},
		"ThreePieces": {3, []string{"HTTP/1.1 200 OK\r\n\r\n1", "2", "3"},
			[]string{"", "HTTP/1.1 200 OK\r\n\r\n12", "3"}},
		"LongerThanAHold": {9000, []string{"HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("x", gathered)},
			[]string{"HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("x", gathered)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out recorded
			c := &joiningConn{Conn: &out, body: test.expected}
			for i, w := range test.writes {
				before := out.Len()
				n, err := c.Write([]byte(w))
				require.NoError(t, err)
				require.Equal(t, len(w), n)
				require.Equal(t, test.sent[i], out.String()[before:])
			}
		})
	}
}

// A client that has disconnected causes an error of the second write, with nothing written.
func TestJoinWrites_Gone(t *testing.T) {
	server, client := net.Pipe()
	require.NoError(t, client.Close())
	c := &joiningConn{Conn: server, body: 3}
	n, err := c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n1"))
	require.NoError(t, err)
	require.Equal(t, 20, n)
	n, err = c.Write([]byte("23"))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.Zero(t, n)
}

// recorded is a connection that keeps what is written.
type recorded struct {
	net.Conn

	strings.Builder
}

func (r *recorded) Write(p []byte) (int, error) { return r.Builder.Write(p) }
