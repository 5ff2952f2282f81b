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
	trap            atomic.Pointer[Trap]

	mu      sync.Mutex
	fault   Fault
	changed chan struct{} // closed when the fault changes
	links   map[*link]struct{}
	wait    sync.WaitGroup
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
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return newProxy(t, l, network, target)
}

// NewSocketProxy starts a proxy for a Unix socket. It listens on a socket of the same name in a new folder, which every
// user of this machine may use.
func NewSocketProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	dir, err := os.MkdirTemp("", "link") //nolint:usetesting // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	path := filepath.Join(dir, filepath.Base(target))
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", path)
	require.NoError(t, err)
	require.NoError(t, errors.Join(os.Chmod(dir, 0o711), os.Chmod(path, 0o666))) //nolint:gosec // servers are other users
	return newProxy(t, l, "unix", target)
}

func newProxy(t testing.TB, l net.Listener, network, target string) *Proxy {
	t.Helper()
	p := &Proxy{
		listener: l, network: network, target: target, links: make(map[*link]struct{}), changed: make(chan struct{}),
	}
	p.wait.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close() // ends the goroutine that accepts connections
		p.Set(Fault{Refuse: true})
		p.wait.Wait()
	})
	return p
}

// Addr returns the address of the proxy.
func (p *Proxy) Addr() *net.TCPAddr { return p.listener.Addr().(*net.TCPAddr) } //nolint:forcetypeassert // it is

// Folder returns the folder of the socket that NewSocketProxy listens on.
func (p *Proxy) Folder() string { return filepath.Dir(p.listener.Addr().String()) }

// Retarget sends new connections to another address, such as that of a restarted server.
func (p *Proxy) Retarget(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// Set changes the fault, also of existing connections. The bytes before a cut are drawn when a connection is made.
func (p *Proxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
	close(p.changed)
	p.changed = make(chan struct{})
	if f.Refuse {
		p.cutAll()
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
	p.cutAll()
}

func (p *Proxy) cutAll() {
	for l := range p.links {
		l.cut()
	}
}

func (p *Proxy) state() (Fault, <-chan struct{}, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.changed, p.target
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		fault, _, target := p.state()
		if fault.Refuse {
			reset(client)
			continue
		}
		p.wait.Go(func() { p.serve(client, target, fault) })
	}
}

func (p *Proxy) serve(client net.Conn, target string, fault Fault) {
	server, err := new(net.Dialer).DialContext(context.Background(), p.network, target)
	if err != nil {
		reset(client)
		return
	}
	l := newLink(client, server)
	if fault.CutWithin > 0 {
		l.left.Store(rand.Int64N(fault.CutWithin))
	}
	p.mu.Lock()
	p.links[l] = struct{}{}
	refused := p.fault.Refuse
	p.mu.Unlock()
	if refused { // the fault was set meanwhile
		l.cut()
	}
	var both sync.WaitGroup
	both.Go(func() { p.carry(l, client, server, p.spring) })
	both.Go(func() { p.carry(l, server, client, cutAnswer) })
	both.Wait()
	l.cut()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// carry copies one direction of a connection, subject to the fault. It calls see before it passes a message on.
func (p *Proxy) carry(l *link, from, to net.Conn, see func(*link, []byte)) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		see(l, buffer[:n])
		if n > 0 && !p.pass(l, to, buffer[:n]) || err != nil {
			break
		}
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // it may be closed already
	}
}

func (p *Proxy) pass(l *link, to net.Conn, b []byte) bool {
	fault, changed, _ := p.state()
	for ; fault.Swallow; fault, changed, _ = p.state() {
		select { // held back, as in a network that may recover
		case <-changed:
		case <-l.gone:
			return false
		}
	}
	if fault.Delay > 0 {
		select {
		case <-time.After(fault.Delay):
		case <-l.gone:
			return false
		}
	}
	size := int64(len(b))
	allowed := max(0, min(size, size+l.left.Add(-size)))
	_, err := to.Write(b[:allowed])
	if allowed < size {
		l.cut()
	}
	return err == nil && allowed == size
}

// spring lets the trap see what a client sends.
func (p *Proxy) spring(l *link, b []byte) {
	trap := p.trap.Load()
	if trap == nil {
		return
	}
	if l.trap != trap {
		l.trap, l.met = trap, 0
	}
	for ; l.met < len(trap.Texts); l.met++ {
		at := bytes.Index(b, []byte(trap.Texts[l.met]))
		if at < 0 {
			return
		}
		b = b[at+len(trap.Texts[l.met]):]
	}
	if !p.trap.CompareAndSwap(trap, nil) {
		return
	}
	if trap.Before != nil {
		trap.Before()
	}
	l.mute.Store(trap.CutAnswer)
}

// cutAnswer resets a connection whose answer must not arrive.
func cutAnswer(l *link, _ []byte) {
	if l.mute.Load() {
		l.cut()
	}
}

// link is a connection through the proxy.
type link struct {
	cut  func()        // resets both ends
	gone chan struct{} // closed by cut
	left atomic.Int64  // bytes until it is cut

	trap *Trap       // that the client is in
	met  int         // how many of its texts were sent
	mute atomic.Bool // the next answer must not reach the client
}

func newLink(client, server net.Conn) *link {
	l := &link{gone: make(chan struct{})}
	l.left.Store(math.MaxInt64)
	l.cut = sync.OnceFunc(func() {
		close(l.gone)
		reset(client)
		reset(server)
	})
	return l
}

// reset closes a connection without a FIN, as a machine that has lost power would leave it.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
