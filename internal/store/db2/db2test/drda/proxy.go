package drda

import (
	"bufio"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy listens for clients of a server.
type Proxy struct {
	listener net.Listener
	rewrite  func(string) string

	server string

	mu        sync.Mutex
	open      map[net.Conn]bool
	running   sync.WaitGroup
	cutCommit atomic.Bool
}

// Start listens for clients of a server. It passes statements to rewrite, which must be safe for concurrent use.
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

// Cut breaks all connections, as a network fault does.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.open {
		_ = conn.Close() // there is nothing more to do
	}
	clear(p.open)
}

// CutCommit breaks the connection at the next COMMIT of a unit of work. The server does not receive the COMMIT.
func (p *Proxy) CutCommit() { p.cutCommit.Store(true) }

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
	server, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(context.Background(), "tcp", p.server)
	if err != nil {
		_ = client.Close() // tells the client that there is no server
		return
	}
	p.mu.Lock()
	p.open[client], p.open[server] = true, true
	p.mu.Unlock()
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

// pump copies structures, changed by fix, until an error.
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

// reply changes what the server answers.
func (p *Proxy) reply(s structure) (structure, error) {
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
