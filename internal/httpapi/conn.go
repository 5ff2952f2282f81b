package httpapi

import (
	"bytes"
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// net/http buffers 4 KB of an answer, and sends the rest of a longer one by a second system call, which wakes the
// client a second time. It has no setting for this, so the connection joins the two writes.

const (
	gathered = 4 << 10          // bytes that net/http buffers, header included
	shortest = gathered - 1<<10 // bytes of a body that may not fit into the buffer with its header
)

type connKey struct{}

// ConnContext adds the connection to the context of its requests. It is http.Server.ConnContext for a listener of
// JoinWrites.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if joining, ok := c.(*joiningConn); ok {
		joining.plain = true
		return context.WithValue(ctx, connKey{}, joining)
	}
	if under := underTLS(c); under != nil {
		return context.WithValue(ctx, tlsKey{}, under)
	}
	return ctx
}

// JoinWrites returns a listener whose connections send each answer by one system call, if the server has ConnContext,
// and answer half-closed clients: see halfclose.go.
func JoinWrites(l net.Listener) net.Listener { return joiningListener{l} }

type joiningListener struct{ net.Listener }

func (l joiningListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err //nolint:wrapcheck // net/http inspects it
	}
	return &joiningConn{Conn: c}, nil
}

// A joiningConn holds back the beginning of an answer until the rest is written. Only the goroutine that serves the
// connection writes.
type joiningConn struct {
	net.Conn

	body int // bytes of the next answer's body; 0: not known
	held *[gathered]byte
	n    int // bytes in held
	both [2][]byte

	plain         bool // HTTP/1 without TLS
	deadline      readDeadline
	writeDeadline atomic.Bool // there is one

	http2     atomic.Pointer[http2State] // nil for HTTP/1
	lingering atomic.Bool                // a read has found the client's FIN, and waits
	writing   atomic.Bool
}

var heldBuffers = sync.Pool{New: func() any { return new([gathered]byte) }}

// expect sets the length of the next answer's body.
func expect(ctx context.Context, body int) {
	if body < shortest {
		return
	}
	if c, ok := ctx.Value(connKey{}).(*joiningConn); ok {
		c.body = body
	}
}

func (c *joiningConn) Write(p []byte) (int, error) {
	c.writing.Store(true)
	defer c.writing.Store(false)
	if c.held != nil {
		return c.join(p)
	}
	if c.body > 0 && len(p) <= gathered {
		header := bytes.Index(p, []byte("\r\n\r\n"))
		unfinished := header >= 0 && len(p) < header+4+c.body
		c.body = 0
		if unfinished {
			c.held, _ = heldBuffers.Get().(*[gathered]byte)
			c.n = copy(c.held[:], p)
			return len(p), nil
		}
	}
	return c.Conn.Write(p) //nolint:wrapcheck // net/http inspects it
}

// join sends held and p by one system call.
func (c *joiningConn) join(p []byte) (int, error) {
	c.both = [2][]byte{c.held[:c.n], p}
	buffers := net.Buffers(c.both[:])
	n, err := buffers.WriteTo(c.Conn)
	heldBuffers.Put(c.held)
	c.held, c.both = nil, [2][]byte{}
	return max(0, int(n)-c.n), err //nolint:wrapcheck // net/http inspects it
}
