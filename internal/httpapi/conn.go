package httpapi

import (
	"bytes"
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// net/http gathers an answer in 4 KB and sends what does not fit apart: a second
// system call, and for the client a second wake-up, for every answer longer than
// that. It has no setting for it, so the connection joins the two.

const (
	// gathered is how much net/http gathers, header included.
	gathered = 4 << 10
	// shortest is the body that may not fit with its header.
	shortest = gathered - 1<<10
)

type connKey struct{}

// ConnContext lets answers reach the connection that they go by; it is for a
// server that serves a listener of JoinWrites.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if joining, ok := c.(*joiningConn); ok {
		return context.WithValue(ctx, connKey{}, joining)
	}
	if under := underTLS(c); under != nil {
		return context.WithValue(ctx, tlsKey{}, under)
	}
	return ctx
}

// JoinWrites gives a listener whose connections send an answer in one piece, if
// the server has ConnContext, and wait with half-closed clients: see halfclose.go.
func JoinWrites(l net.Listener) net.Listener { return joiningListener{l} }

type joiningListener struct{ net.Listener }

func (l joiningListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err //nolint:wrapcheck // net/http looks into it
	}
	return &joiningConn{Conn: c}, nil
}

// joiningConn holds the beginning of an answer back until the rest comes. Only
// the goroutine that serves the connection writes.
type joiningConn struct {
	net.Conn

	body int // of the answer that is about to be written, 0 if nobody said
	held *[gathered]byte
	n    int // bytes held
	both [2][]byte

	http2     atomic.Pointer[http2State] // nil where HTTP/1 is spoken
	lingering atomic.Bool                // a read has found the client's FIN, and waits
	writing   atomic.Bool
}

var heldBuffers = sync.Pool{New: func() any { return new([gathered]byte) }}

// expect says how long the body of the next answer is.
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
	return c.Conn.Write(p) //nolint:wrapcheck // net/http looks into it
}

// join sends what was held back and p by one system call.
func (c *joiningConn) join(p []byte) (int, error) {
	c.both = [2][]byte{c.held[:c.n], p}
	buffers := net.Buffers(c.both[:])
	n, err := buffers.WriteTo(c.Conn)
	heldBuffers.Put(c.held)
	c.held, c.both = nil, [2][]byte{}
	return max(0, int(n)-c.n), err //nolint:wrapcheck // net/http looks into it
}
