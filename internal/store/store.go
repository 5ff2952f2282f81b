// Package store finds, opens, loads, verifies, measures and copies the database that a URL names, and contains what
// the engines share. Each engine registers itself; a program imports the packages of the engines that it supports.
package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"brokerage/internal/format"
	"brokerage/internal/tpox"
)

// Options are the options of a store; an engine ignores those that it has no use for.
type Options struct {
	Pool         int  // maximum number of connections (embedded store: for reading); 0 is the engine's default
	Uncompressed bool // store new documents without compression
	Rules        tpox.Rules
	// AsIs is for commands that only read: the database must exist, and an empty one is refused.
	AsIs bool
	// Notice is called with sentences for the operator, about the server or the database's files. It may be nil.
	Notice func(string)
	// Doing is called with a description of work during which a load stores no documents, and with "" when it stores them
	// again. It may be nil.
	Doing func(string)
	// Replicas are the URLs of read replicas; only for a database of PostgreSQL.
	Replicas []string
	Trace    Trace // called for each statement of a transaction; may be nil
}

// Open opens the store that a URL names.
func Open(ctx context.Context, url string, options Options) (tpox.Store, error) {
	d, err := Find(url)
	if err != nil {
		return nil, err
	}
	return d.Open(ctx, options)
}

// Published returns a URL, valid or not, in a form for results, which may be published: without folders, users,
// passwords and parameters.
func Published(url string) string {
	if d, err := Find(url); err == nil && d.Path() != "" {
		return d.Scheme + ":" + filepath.Base(d.Path())
	}
	return format.URL(url)
}

// Find returns the database that a URL names, or an error if it names none. It does not check whether the database
// exists. Its errors do not repeat what may be a password.
func Find(url string) (Database, error) {
	scheme, _, ok := strings.Cut(url, ":")
	i := slices.IndexFunc(engines, func(e *Engine) bool { return e.Scheme == scheme })
	// A connection string with a password always has one of "=@;", a path seldom.
	if !ok && url != "" && !strings.ContainsAny(url, "=@;") {
		return Database{}, fmt.Errorf("%q is not the URL of a database: did you mean sqlite:%s? Otherwise %s",
			url, url, usage())
	}
	if i < 0 {
		return Database{}, errors.New("this is not the URL of a database: " + usage())
	}
	if err := engines[i].Check(url); err != nil {
		return Database{}, err
	}
	return Database{engines[i], url}, nil
}

// usage lists the forms of URLs.
func usage() string {
	var list []string
	for _, e := range engines {
		list = append(list, e.Usage)
	}
	return "use one of " + strings.Join(list, ", ")
}
