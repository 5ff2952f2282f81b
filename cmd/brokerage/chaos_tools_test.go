package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// crowd is many connections.
type crowd struct {
	t     testing.TB
	conns []net.Conn
}

func newCrowd(t testing.TB, url string, n int) *crowd {
	t.Helper()
	c := &crowd{t: t}
	for range n {
		c.conns = append(c.conns, dialed(t, url))
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

// ask sends a request on each connection, and requires a response that keeps it open.
func (c *crowd) ask() {
	c.t.Helper()
	for _, conn := range c.conns {
		require.NoError(c.t, conn.SetDeadline(time.Now().Add(patience)))
		require.True(c.t, staysOpen(c.t, conn))
	}
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
			_ = conn.Close(context.Background()) // an error would change nothing
		}
	}
}

// littleMemory puts the service into a control group with a limit of 256 MB.
func littleMemory(h *harness) {
	h.env = []string{"GOMEMLIMIT=200MiB"} // four fifths of the limit, which is set after the start
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

// memoryCgroup is a control group with a memory limit. It counts the memory of its processes, and the pages of files
// that they were the first to read or write.
type memoryCgroup struct {
	t       testing.TB
	dir     string
	highest string // the file with the peak
}

// memoryGroup makes a control group, of version 1 or 2.
func memoryGroup(t testing.TB, limit int64) *memoryCgroup {
	t.Helper()
	const name = "brokerage-test"
	for _, kind := range []struct{ root, limit, highest string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"},
		{"/sys/fs/cgroup", "memory.max", "memory.peak"},
	} {
		dir, err := os.MkdirTemp(kind.root, name) //nolint:usetesting // it makes a group there, and nowhere else
		if err != nil {
			continue
		}
		t.Cleanup(func() { require.NoError(t, os.Remove(dir)) }) // its processes have ended
		if err := os.WriteFile(filepath.Join(dir, kind.limit), []byte(strconv.FormatInt(limit, 10)), 0o600); err != nil {
			continue
		}
		return &memoryCgroup{t, dir, filepath.Join(dir, kind.highest)}
	}
	testenv.Missing(t, "cgroup", "no control group with bounded memory can be made")
	return nil
}

// add puts a process and its children into the group. Children that begin later are in it from the start.
func (g *memoryCgroup) add(pid int) {
	g.t.Helper()
	for _, one := range processesOf(g.t, pid) {
		require.NoError(g.t, os.WriteFile(filepath.Join(g.dir, "cgroup.procs"), []byte(one), 0o600))
	}
}

func (g *memoryCgroup) most() int64 {
	g.t.Helper()
	n, err := strconv.ParseInt(strings.TrimSpace(testenv.Text(g.t, g.highest)), 10, 64)
	require.NoError(g.t, err)
	return n
}
