package httpapi

import (
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// counted counts the reads and deadlines that reach a connection.
type counted struct {
	net.Conn

	reads, deadlines atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	c.reads.Add(1)
	return c.Conn.Read(p)
}

func (c *counted) SetReadDeadline(t time.Time) error {
	c.deadlines.Add(1)
	return c.Conn.SetReadDeadline(t)
}

// piped calls do with a connection and its client, in a bubble of synctest, whose time passes when all wait.
func piped(t *testing.T, do func(t *testing.T, conn *joiningConn, below *counted, client net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer func() { _ = client.Close() }()
		below := &counted{Conn: server}
		conn := &joiningConn{Conn: below, plain: true}
		defer func() { _ = conn.Close() }()
		do(t, conn, below, client)
	})
}

func in(d time.Duration) time.Time { return time.Now().Add(d) }

// requireEnds reads until the deadline, which passes after d.
func requireEnds(t *testing.T, conn net.Conn, d time.Duration) {
	t.Helper()
	began := time.Now()
	_, err := conn.Read(make([]byte, 100))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Equal(t, d, time.Since(began))
}

func TestReadDeadline(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, conn *joiningConn, below *counted, client net.Conn){
		"Later": func(t *testing.T, conn *joiningConn, _ *counted, _ net.Conn) {
			require.NoError(t, conn.SetReadDeadline(in(time.Second)))
			requireEnds(t, conn, time.Second)
			require.NoError(t, conn.SetReadDeadline(in(time.Minute)))
			requireEnds(t, conn, time.Minute)
		},
		"Sooner": func(t *testing.T, conn *joiningConn, _ *counted, _ net.Conn) {
			require.NoError(t, conn.SetReadDeadline(in(time.Minute)))
			require.NoError(t, conn.SetReadDeadline(in(time.Second)))
			requireEnds(t, conn, time.Second)
		},
		"Passed": func(t *testing.T, conn *joiningConn, _ *counted, _ net.Conn) {
			require.NoError(t, conn.SetReadDeadline(in(-time.Second)))
			requireEnds(t, conn, 0)
		},
		"WhileReading": func(t *testing.T, conn *joiningConn, _ *counted, _ net.Conn) {
			time.AfterFunc(time.Second, func() { _ = conn.SetReadDeadline(in(time.Hour)) })
			time.AfterFunc(2*time.Second, func() { _ = conn.SetReadDeadline(in(time.Second)) })
			requireEnds(t, conn, 3*time.Second)
		},
		"RemovedWhileReading": func(t *testing.T, conn *joiningConn, _ *counted, client net.Conn) {
			require.NoError(t, conn.SetReadDeadline(in(time.Second)))
			time.AfterFunc(time.Second/2, func() { _ = conn.SetReadDeadline(time.Time{}) })
			time.AfterFunc(time.Hour, func() { _, _ = client.Write([]byte("x")) })
			n, err := conn.Read(make([]byte, 100))
			require.NoError(t, err)
			require.Equal(t, 1, n)
		},
		// As net/http does in each request.
		"NotSetInVain": func(t *testing.T, conn *joiningConn, below *counted, client net.Conn) {
			for range 100 {
				require.NoError(t, conn.SetReadDeadline(in(time.Minute)))
				go func() { _, _ = client.Write([]byte("GET")) }()
				_, err := conn.Read(make([]byte, 100))
				require.NoError(t, err)
				require.NoError(t, conn.SetReadDeadline(in(5*time.Second)))
				require.NoError(t, conn.SetReadDeadline(time.Time{}))
				require.NoError(t, conn.SetWriteDeadline(time.Time{}))
			}
			require.EqualValues(t, 1, below.deadlines.Load())
		},
	} {
		t.Run(name, func(t *testing.T) { piped(t, do) })
	}
}

// A read ahead that ends soon never reaches the connection below; a later one finds that the client has gone.
func TestReadAhead(t *testing.T) {
	piped(t, func(t *testing.T, conn *joiningConn, below *counted, client net.Conn) {
		one := make([]byte, readAhead)
		for _, after := range []time.Duration{-1, 0, patience / 2, patience} {
			require.NoError(t, conn.SetReadDeadline(time.Time{}))
			if after < 0 { // before the read begins
				require.NoError(t, conn.SetReadDeadline(time.Unix(1, 0)))
			} else {
				time.AfterFunc(after, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
			}
			_, err := conn.Read(one)
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		}
		require.LessOrEqual(t, below.reads.Load(), int64(1), "only the one that ends at the moment when it begins to read")

		require.NoError(t, conn.SetReadDeadline(time.Time{}))
		time.AfterFunc(time.Hour, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
		began := time.Now()
		_, err := conn.Read(one)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, time.Hour, time.Since(began))

		require.NoError(t, conn.SetReadDeadline(time.Time{}))
		require.NoError(t, client.Close())
		_, err = conn.Read(one)
		require.ErrorIs(t, err, io.EOF)
	})
}
