package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"
)

// A client that has sent a whole request may close its side of the connection (shutdown(SHUT_WR), a FIN) and wait for
// the answer. net/http reads on while a request runs, takes the end of input for a client that has gone, and cancels
// the request. So the connection hides the end of input until the answer is sent. A reset, by which the client does go
// away, ends the wait (see watchReset), and so does a deadline, as for any read.
//
// net/http reads ahead in three ways:
//   - Plain HTTP/1: net/http reads ahead one byte at a time, which it does at no other time.
//   - HTTP/2: it reads all the time, so ConnState tells whether requests run.
//   - HTTP/1 over TLS: TLS has an end of input of its own, which the connection below cannot see. So the request
//     is detached from net/http's context: see outlast.

// readAhead is how many bytes net/http reads while a request by HTTP/1 runs.
const readAhead = 1

type tlsKey struct{}

// underTLS returns the connection below a TLS connection, or nil.
func underTLS(c net.Conn) *joiningConn {
	if secured, ok := c.(*tls.Conn); ok {
		under, _ := secured.NetConn().(*joiningConn)
		return under
	}
	return nil
}

// flushTime is how long HTTP/2 gets to flush after its last request has ended: it reports the connection idle before it
// flushes, and drops what is not flushed when it sees the end of the input.
const flushTime = time.Second

// http2State is the last state that the server reported of an HTTP/2 connection.
type http2State struct {
	running bool // requests run
	since   time.Time
}

// ConnState is http.Server.ConnState for a listener of JoinWrites that serves HTTP/2.
func ConnState(c net.Conn, state http.ConnState) {
	if state != http.StateActive && state != http.StateIdle {
		return
	}
	under := underTLS(c)
	if under == nil || c.(*tls.Conn).ConnectionState().NegotiatedProtocol != "h2" {
		return
	}
	under.http2.Store(&http2State{running: state == http.StateActive, since: time.Now()})
	if state == http.StateIdle && under.lingering.Load() {
		_ = under.SetReadDeadline(time.Unix(1, 0)) // wakes the waiting read
	}
}

func (c *joiningConn) Read(p []byte) (int, error) {
	if c.plain && len(p) == readAhead && !c.deadline.await() {
		return 0, os.ErrDeadlineExceeded
	}
	return c.deadline.read(c.Conn, func() (int, error) {
		n, err := c.Conn.Read(p)
		//nolint:errorlint // a connection returns the value itself
		if err == io.EOF && (len(p) == readAhead || c.http2.Load() != nil) {
			return n, c.linger(len(p) == readAhead)
		}
		return n, err //nolint:wrapcheck // net/http inspects it
	})
}

// linger waits after the client's FIN, and returns the error of the read: that the client has reset the connection,
// that a deadline has passed, that the connection was closed here, or, once no request by HTTP/2 runs and all answers
// are sent, io.EOF.
func (c *joiningConn) linger(single bool) error {
	c.lingering.Store(true)
	defer c.lingering.Store(false)
	idle := func() bool { return !single && !c.http2.Load().running }
	if err := c.watchReset(idle); !idle() {
		return err
	}
	time.Sleep(time.Until(c.http2.Load().since.Add(flushTime)))
	for c.writing.Load() {
		time.Sleep(flushTime)
	}
	return io.EOF
}

// watchReset waits until the client has reset the connection, and returns ECONNRESET, or until another error or enough
// ends the wait. On a system that cannot detect a reset, it returns io.EOF at once.
func (c *joiningConn) watchReset(enough func() bool) error {
	under, ok := c.Conn.(syscall.Conn)
	if !ok || !canTellReset {
		return io.EOF
	}
	raw, err := under.SyscallConn()
	if err != nil {
		return err //nolint:wrapcheck // net/http inspects it
	}
	// The system wakes the goroutine when something happens on the connection; isReset checks what it was.
	err = raw.Read(func(fd uintptr) bool { return enough() || isReset(fd) })
	if err == nil {
		err = syscall.ECONNRESET
	}
	return err //nolint:wrapcheck // net/http inspects it
}

// outlast returns a context for a request. Over TLS by HTTP/1 it does not end when the client closes its side, and does
// end when it resets the connection; for any other request it is the request's own. The caller calls end before it
// returns.
func outlast(r *http.Request) (ctx context.Context, end func()) {
	ctx = r.Context()
	if r.TLS == nil || r.ProtoMajor != 1 || !canTellReset {
		return ctx, func() {}
	}
	under, ok := ctx.Value(tlsKey{}).(*joiningConn)
	if !ok {
		return ctx, func() {}
	}
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		_, err := under.deadline.read(under.Conn, func() (int, error) {
			return 0, under.watchReset(func() bool { return false })
		})
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			cancel()
		}
	})
	return detached, func() {
		if !stop() {
			_ = under.SetReadDeadline(time.Unix(1, 0)) // nothing more is read from this client
			<-done
		}
		cancel()
	}
}
