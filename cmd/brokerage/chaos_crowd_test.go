package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// crowd is many connections.
type crowd struct {
	t     testing.TB
	conns []net.Conn
}

func newCrowd(t testing.TB, url string, n int) *crowd {
	t.Helper()
	c := &crowd{t: t, conns: make([]net.Conn, n)}
	t.Cleanup(func() {
		for _, conn := range c.conns {
			_ = conn.Close() // it may have been closed by the service
		}
	})
	for i := range c.conns {
		conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", strings.TrimPrefix(url, "http://"))
		require.NoError(t, err)
		c.conns[i] = conn
	}
	return c
}

// say sends one of several beginnings on each connection, and then a byte from time to time, until the other end closes
// it.
func (c *crowd) say(beginnings ...string) {
	c.t.Helper()
	for i, conn := range c.conns {
		_, err := io.WriteString(conn, beginnings[i%len(beginnings)])
		require.NoError(c.t, err)
		go func() {
			for {
				time.Sleep(500 * time.Millisecond)
				if _, err := conn.Write([]byte("x")); err != nil {
					return
				}
			}
		}()
	}
}

// requireEnded requires that the service has ended every connection.
func (c *crowd) requireEnded() {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	for _, conn := range c.conns {
		require.NoError(c.t, conn.SetReadDeadline(deadline))
		_, err := io.Copy(io.Discard, conn)
		timeout, ok := err.(net.Error) //nolint:errorlint // as net has it
		require.False(c.t, ok && timeout.Timeout(), "a connection is still there")
	}
}

// ask sends a request on each connection, and reads the answer.
func (c *crowd) ask() {
	c.t.Helper()
	var all sync.WaitGroup
	failed := make(chan error, len(c.conns))
	const workers = 16
	for w := range workers {
		all.Go(func() {
			for i := w; i < len(c.conns); i += workers {
				failed <- askOn(c.conns[i])
			}
		})
	}
	all.Wait()
	close(failed)
	for err := range failed {
		require.NoError(c.t, err)
	}
}

func askOn(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // only read
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// occupy takes all connections that the database server has for ordinary users, and then those for superusers, because
// all users of these tests are superusers.
func (h *harness) occupy() (release func()) {
	h.t.Helper()
	var taken []*pgx.Conn
	require.Eventually(h.t, func() bool {
		for {
			conn, err := pgx.Connect(context.Background(), h.server.URL("postgres"))
			if err != nil {
				return len(taken) >= 20
			}
			taken = append(taken, conn)
		}
	}, patience, 10*time.Millisecond)
	return func() {
		for _, conn := range taken {
			_ = conn.Close(context.Background()) // nothing is left to learn
		}
	}
}

// littleMemory puts the service into a control group with a limit of 256 MB.
func littleMemory(h *harness) {
	h.env = []string{"GOMEMLIMIT=200MiB"} // four fifths of the memory, as recommended to operators
	h.args = []string{"--max-body", "1MiB"}
	h.start()
	group := memoryGroup(h.t, 256<<20)
	group.add(h.service.cmd.Process.Pid)
	harmful := []byte("<a>" + strings.Repeat("<b>&#38;</b>", 80_000) + "</a>")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range map[bool]int{true: 200, false: 20}[h.full] {
				request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, h.service.url+"/v1/orders",
					strings.NewReader(string(harmful)))
				if err != nil {
					return
				}
				request.Header.Set("Content-Type", "application/xml")
				if response, err := client.Do(request); err == nil {
					_ = response.Body.Close() // any response will do
				}
			}
		})
	}
	all.Wait()
	h.load.Await(h.t, 100)
	h.lifted()
	require.Less(h.t, group.most(), int64(257<<20))
}
