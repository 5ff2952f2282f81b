package drda

import (
	"bufio"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy listens for clients of a server.
type Proxy struct {
	listener net.Listener
	rewrite  func(string) string

	mu      sync.Mutex
	server  string
	refuse  bool
	delay   time.Duration
	open    map[net.Conn]bool
	running sync.WaitGroup

	cutCommit atomic.Bool
}

// Start listens for clients of a server. Statements go through rewrite, which
// several goroutines call.
func Start(listen, server string, rewrite func(string) string) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", listen)
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, server: server, rewrite: rewrite, open: make(map[net.Conn]bool)}
	p.running.Go(p.accept)
	return p, nil
}

// Addr returns the address for clients.
func (p *Proxy) Addr() *net.TCPAddr { return p.listener.Addr().(*net.TCPAddr) }

// Close ends the proxy with all connections.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.Cut()
	p.running.Wait()
	return err
}

// Cut breaks all connections, as a network fault does, and returns their
// number.
func (p *Proxy) Cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.open) / 2
	for conn := range p.open {
		_ = conn.Close() // there is nothing more to do
	}
	clear(p.open)
	return n
}

// CutCommit breaks the connection of the next COMMIT of a unit of work, which the
// server does not receive.
func (p *Proxy) CutCommit() { p.cutCommit.Store(true) }

// Refuse sets whether new connections fail.
func (p *Proxy) Refuse(refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = refuse
}

// Delay delays each response.
func (p *Proxy) Delay(delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

// Redirect sends new connections to another server.
func (p *Proxy) Redirect(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = server
}

// Connections returns the number of clients.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) / 2
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.serve(client) })
	}
}

// serve connects a client to the server, until one of them ends.
func (p *Proxy) serve(client net.Conn) {
	server, err := p.connect(client)
	if err != nil {
		_ = client.Close() // tells the client that there is no server
		return
	}
	end := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, conn := range []net.Conn{client, server} {
			_ = conn.Close() // it may be closed already
			delete(p.open, conn)
		}
	}
	var both sync.WaitGroup
	both.Go(func() {
		defer end()
		_ = pump(server, client, (&unit{Proxy: p}).request) // how the connection ended does not matter
	})
	defer both.Wait()
	defer end()
	_ = pump(client, server, p.reply) // likewise
}

func (p *Proxy) connect(client net.Conn) (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse {
		return nil, errors.New("refused")
	}
	server, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(context.Background(), "tcp", p.server)
	if err != nil {
		return nil, err
	}
	p.open[client], p.open[server] = true, true
	return server, nil
}

// pump copies structures, as fix changes them.
func pump(to, from net.Conn, fix func(structure) (structure, error)) error {
	r, w := bufio.NewReaderSize(quickAck{from}, 64<<10), bufio.NewWriterSize(to, 64<<10)
	for {
		s, err := readStructure(r)
		if err != nil {
			return err
		}
		if s, err = fix(s); err != nil {
			return err
		}
		if _, err := w.Write(s); err != nil {
			return err
		}
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

func (p *Proxy) request(s structure) (structure, error) {
	switch s.codePoint() {
	case codeEXCSAT:
		return fixEXCSAT(s), nil
	case codeACCRDB:
		return fixACCRDB(s), nil
	case codeSQLSTT:
		return fixSQLSTT(s, p.rewrite)
	case codeDSCSQLSTT:
		return s.without(codeQRYINSID) // Derby does not accept the number of the described query
	}
	return s, nil
}

func (p *Proxy) reply(s structure) (structure, error) {
	p.mu.Lock()
	delay := p.delay
	p.mu.Unlock()
	time.Sleep(delay)
	switch s.codePoint() {
	case codeACCSECRD:
		return fixACCSECRD(s)
	case codeACCRDBRM:
		return fixACCRDBRM(s)
	case codeSQLCARD:
		return fixSQLCARD(s, firstObject)
	case codeOPNQFLRM:
		if second := s.after(firstObject); s.codePointAt(second) == codeSQLCARD {
			return fixSQLCARD(s, second)
		}
	}
	return s, nil
}
