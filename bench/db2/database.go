package main

import (
	"errors"
	"fmt"
	"sync"

	"brokerage/bench/db2/drda"
	"brokerage/bench/db2/rewrite"
)

// A database is one of the server's, behind a proxy of its own.
type database struct {
	server    *server
	proxy     *drda.Proxy
	catalogue *rewrite.Catalogue
	name      string

	mu     sync.Mutex
	failed error // of the statements that could not be rewritten
}

// listen starts a proxy for a database that does not exist yet, and returns its address.
func (s *server) listen(name, address string) (listening string, err error) {
	d := &database{server: s, catalogue: rewrite.NewCatalogue(), name: name}
	if d.proxy, err = drda.Start(address, s.address, d.rewrite); err != nil {
		return "", err
	}
	s.databases[name] = d
	return d.proxy.Addr().String(), nil
}

// rewrite rewrites a statement. It keeps the error of one that it cannot, so that no test passes because of that error.
func (d *database) rewrite(sql string) string {
	text, err := d.catalogue.Rewrite(sql)
	if err == nil {
		return text
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failed = errors.Join(d.failed, fmt.Errorf("cannot run a statement: %w: %s", err, sql))
	return "THE BENCH CANNOT RUN THIS"
}

func (d *database) create() error { return d.server.command("create", d.name) }

// clone creates the database with what another holds, which may be closed already.
func (d *database) clone(from *database) error {
	d.catalogue.CopyFrom(from.catalogue)
	return d.server.command("clone", from.name, d.name)
}

// close ends the proxy. It returns an error where statements could not be rewritten.
func (d *database) close() error {
	err := d.proxy.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(err, d.failed)
}
