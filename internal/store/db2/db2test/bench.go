package db2test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"brokerage/internal/store/db2/db2test/drda"
	"brokerage/internal/store/db2/db2test/rewrite"
)

// The owner of the databases. Derby checks no password.
const (
	user     = "tpox"
	Password = "tpox"
)

// Bench is a database for one test, with its own proxy.
type Bench struct {
	server    *Server
	proxy     *drda.Proxy
	catalogue *rewrite.Catalogue
	name      string
}

var databases atomic.Int64

// Start returns an empty database for a test, on the server that the package
// shares.
func Start(t testing.TB) *Bench {
	t.Helper()
	return Shared(t).Database(t)
}

// Database makes an empty database for a test.
func (s *Server) Database(t testing.TB) *Bench {
	t.Helper()
	b := s.Absent(t, unused(), anyPort)
	b.Create(t)
	return b
}

// anyPort is an address with any free port.
const anyPort = "127.0.0.1:0"

// unused returns the name of a database that does not exist yet.
func unused() string { return fmt.Sprintf("T%d", databases.Add(1)) }

// Absent returns a database that does not exist yet, at an address of this
// machine.
func (s *Server) Absent(t testing.TB, name, address string) *Bench {
	t.Helper()
	return s.bench(t, name, address, rewrite.NewCatalogue())
}

// Create creates an empty database that Absent has returned.
func (b *Bench) Create(t testing.TB) {
	t.Helper()
	b.command(t, "create", b.name)
}

func (b *Bench) command(t testing.TB, words ...string) {
	t.Helper()
	if err := b.server.command(words...); err != nil {
		t.Fatal(err)
	}
}

// Clone returns a copy of the database for another test; the test of the
// original may have ended.
func (b *Bench) Clone(t testing.TB) *Bench {
	t.Helper()
	clone := b.server.bench(t, unused(), anyPort, b.catalogue.Clone())
	clone.command(t, "clone", b.name, clone.name)
	return clone
}

func (s *Server) bench(t testing.TB, name, address string, catalogue *rewrite.Catalogue) *Bench {
	t.Helper()
	b := &Bench{server: s, catalogue: catalogue, name: name}
	said := s.said.len()
	proxy, err := drda.Start(address, s.address, func(sql string) string {
		text, err := b.catalogue.Rewrite(sql)
		if err != nil {
			// The test fails, even if it expects an error of the statement.
			t.Errorf("the bench cannot run a statement: %v\n%s", err, sql)
			return "THE BENCH CANNOT RUN THIS"
		}
		return text
	})
	if err != nil {
		t.Fatal(err)
	}
	b.proxy = proxy
	t.Cleanup(func() {
		if err := b.proxy.Close(); err != nil {
			t.Errorf("closing the proxy: %v", err)
		}
		if t.Failed() {
			t.Logf("the server said:\n%s", s.said.since(said))
		}
	})
	return b
}

// DSN returns the connection string for IBM's driver.
func (b *Bench) DSN() string {
	return fmt.Sprintf("HOSTNAME=127.0.0.1;PORT=%d;DATABASE=%s;UID=%s;PWD=%s;PROTOCOL=TCPIP;AUTHENTICATION=SERVER",
		b.proxy.Addr().Port, b.name, user, Password)
}

// URL returns the URL of the database for the service.
func (b *Bench) URL() string { return b.URLAt(b.Address()) }

// URLAt returns the URL of the database at another address.
func (b *Bench) URLAt(address string) string {
	return fmt.Sprintf("db2://%s:%s@%s/%s", user, Password, address, b.name)
}

// Cut breaks all connections to the database, as a network fault does.
func (b *Bench) Cut() { b.proxy.Cut() }

// CutCommit breaks the connection at the next COMMIT of a unit of work. The server does not receive the COMMIT.
func (b *Bench) CutCommit() { b.proxy.CutCommit() }

// Connections returns the number of connections to the database.
func (b *Bench) Connections() int { return b.proxy.Connections() }

// Address returns the address for clients.
func (b *Bench) Address() string { return b.proxy.Addr().String() }
