package chaostest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Proxy passes connections from clients on to a server and injects network faults. It is safe for concurrent use.
type Proxy struct {
	listener        net.Listener
	network, target string
	fault           atomic.Pointer[Fault]
	trap            atomic.Pointer[Trap]

	mu    sync.Mutex
	links map[*link]struct{}
}

// Fault is what a proxy does to connections; the zero value is nothing.
type Fault struct {
	Refuse    bool          // new connections are reset, and existing ones too
	Swallow   bool          // nothing passes, and connections stay open
	Delay     time.Duration // of everything that passes
	CutWithin int64         // a connection is reset after a random number of bytes up to this; 0: never
}

// A Trap acts once, on the first connection whose client sends some texts, one after another. Each text must be in one
// message, which is true of short statements to PostgreSQL.
type Trap struct {
	Texts     []string
	Before    func() // called before the message with the last text is passed on; nil does nothing
	CutAnswer bool   // the connection is reset when the server answers that message; the client gets no answer
}

// NewProxy starts a proxy on this machine for a target such as "tcp", "127.0.0.1:80".
func NewProxy(t testing.TB, network, target string) *Proxy {
	t.Helper()
	return newProxy(t, "tcp", "127.0.0.1:0", network, target)
}

// NewSocketProxy starts a proxy for a Unix socket. It listens on a socket of the same name in a new folder, which every
// user of this machine may use.
func NewSocketProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	dir, err := os.MkdirTemp("", "link") //nolint:usetesting // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	path := filepath.Join(dir, filepath.Base(target))
	p := newProxy(t, "unix", path, "unix", target)
	require.NoError(t, errors.Join(os.Chmod(dir, 0o711), os.Chmod(path, 0o666))) //nolint:gosec // servers are other users
	return p
}

func newProxy(t testing.TB, network, address, targetNetwork, target string) *Proxy {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(context.Background(), network, address)
	require.NoError(t, err)
	p := &Proxy{listener: l, network: targetNetwork, target: target, links: make(map[*link]struct{})}
	p.fault.Store(&Fault{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			wait.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close() // ends the goroutine that accepts connections
		p.Set(Fault{Refuse: true})
		wait.Wait()
	})
	return p
}

// Addr returns the address of the proxy.
func (p *Proxy) Addr() *net.TCPAddr { return p.listener.Addr().(*net.TCPAddr) } //nolint:forcetypeassert // it is

// Folder returns the folder of the socket that NewSocketProxy listens on.
func (p *Proxy) Folder() string { return filepath.Dir(p.listener.Addr().String()) }

// Set changes the fault, also of existing connections. The bytes before a cut are drawn when a connection is made.
func (p *Proxy) Set(f Fault) {
	p.fault.Store(&f)
	if f.Refuse {
		p.Cut()
	}
}

// SetTrap sets a trap in place of another; nil removes it.
func (p *Proxy) SetTrap(trap *Trap) { p.trap.Store(trap) }

// Sprung reports whether the trap has acted, or none is set.
func (p *Proxy) Sprung() bool { return p.trap.Load() == nil }

// Cut resets all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.cut()
	}
}

// link is a connection through the proxy.
type link struct {
	client, server net.Conn

	left atomic.Int64 // bytes until it is cut
	gone atomic.Bool  // it is cut

	trap *Trap       // that met belongs to
	met  int         // how many of its texts were sent
	mute atomic.Bool // the next answer must not reach the client
}

// cut resets both ends.
func (l *link) cut() {
	l.gone.Store(true)
	reset(l.client)
	reset(l.server)
}

// reset closes a connection. Over TCP, it sends an RST instead of a FIN.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

func (p *Proxy) serve(client net.Conn) {
	if p.fault.Load().Refuse {
		reset(client)
		return
	}
	server, err := new(net.Dialer).DialContext(context.Background(), p.network, p.target)
	if err != nil {
		reset(client)
		return
	}
	l := &link{client: client, server: server}
	l.left.Store(math.MaxInt64)
	if within := p.fault.Load().CutWithin; within > 0 {
		l.left.Store(rand.Int64N(within))
	}
	p.mu.Lock()
	p.links[l] = struct{}{}
	p.mu.Unlock()
	if p.fault.Load().Refuse { // set meanwhile
		l.cut()
	}
	var both sync.WaitGroup
	both.Go(func() { p.carry(l, client, server) })
	both.Go(func() { p.carry(l, server, client) })
	both.Wait()
	l.cut()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// carry copies one direction of a connection, subject to the fault.
func (p *Proxy) carry(l *link, from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, readErr := from.Read(buffer)
		if from == l.client {
			p.spring(l, buffer[:n])
		} else if l.mute.Load() {
			l.cut()
		}
		for p.fault.Load().Swallow && !l.gone.Load() {
			time.Sleep(time.Millisecond) // held back, as in a network that may recover
		}
		time.Sleep(p.fault.Load().Delay)
		allowed := int(max(0, min(int64(n), int64(n)+l.left.Add(-int64(n)))))
		_, err := to.Write(buffer[:allowed])
		if allowed < n {
			l.cut()
		}
		if readErr != nil || err != nil || allowed < n {
			break
		}
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // it may be closed already
	}
}

// spring checks what a client sends, and lets the trap act on the message with its last text.
func (p *Proxy) spring(l *link, b []byte) {
	trap := p.trap.Load()
	if trap == nil {
		return
	}
	if l.trap != trap {
		l.trap, l.met = trap, 0
	}
	for ; l.met < len(trap.Texts); l.met++ {
		_, rest, found := bytes.Cut(b, []byte(trap.Texts[l.met]))
		if !found {
			return
		}
		b = rest
	}
	if !p.trap.CompareAndSwap(trap, nil) {
		return
	}
	if trap.Before != nil {
		trap.Before()
	}
	l.mute.Store(trap.CutAnswer)
}
