// Package store opens the store that a URL names.
package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brokerage/internal/brokerage"
	"brokerage/internal/redact"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/null"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/store/trace"
)

// Options are what may be set for a store; one that has no use for an option
// ignores it.
type Options struct {
	Pool         int  // connections, of the embedded store those for reading; 0 is for the store to say
	Uncompressed bool // keep new documents as they are
	Rules        brokerage.Rules
	Notice       func(string) // is told, in a sentence, what opening does that takes long; may be nil
	Trace        trace.Begin  // is told of the statements of transactions; may be nil
}

// The schemes of URLs.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
	DB2      = "db2"
	Null     = "null"
)

// engine is a store that can be opened. Rest is what follows the scheme: it is
// for the engine to read, and taken literally, since a path may hold anything
// that a file system lets it.
type engine struct {
	scheme string
	usage  string
	check  func(rest string) error
	open   func(ctx context.Context, rest string, options Options) (brokerage.Store, error)
}

var engines = []engine{
	{SQLite, "sqlite:PATH", checkSQLite, openSQLite},
	{Postgres, "postgres://USER@HOST/DATABASE", checkPostgres, openPostgres},
	{DB2, "db2://USER@HOST:PORT/DATABASE", checkDB2, openDB2},
	{Null, "null:", checkNull, openNull},
}

// Parse takes a URL apart and refuses what names no store, without a look at
// whether it is there.
func Parse(url string) (scheme, rest string, err error) {
	e, rest, err := find(url)
	return e.scheme, rest, err
}

// Open opens the store that a URL names.
func Open(ctx context.Context, url string, options Options) (brokerage.Store, error) {
	e, rest, err := find(url)
	if err != nil {
		return nil, err
	}
	return e.open(ctx, rest, options)
}

// Name returns what messages may show of the URL of a store: no password, and no
// parameters, which may hold others.
func Name(url string) string {
	scheme, rest, err := Parse(url)
	switch {
	case err != nil:
		return redact.URL(url)
	case scheme == Postgres:
		return postgres.Name(url)
	case scheme == DB2:
		return db2.Name(url)
	}
	return scheme + ":" + rest
}

func find(url string) (e engine, rest string, err error) {
	scheme, rest, ok := strings.Cut(url, ":")
	if !ok && url != "" && !strings.ContainsAny(url, "=@;") { // which a file seldom has, and settings with a password always
		return e, "", fmt.Errorf("%q is not a database: did you mean sqlite:%s? Otherwise %s", url, url, usage())
	}
	if url == "" {
		return e, "", fmt.Errorf("%q is not a database: %s", url, usage())
	}
	if !ok || strings.ContainsFunc(scheme, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') }) {
		return e, "", errors.New("this is not a database: " + usage())
	}
	i := slices.IndexFunc(engines, func(e engine) bool { return e.scheme == scheme })
	if i < 0 {
		// Only the scheme is repeated: the rest may hold a password.
		return e, "", fmt.Errorf("there is no kind of databases %q: %s", scheme+":", usage())
	}
	if err := engines[i].check(rest); err != nil {
		return e, "", err
	}
	return engines[i], rest, nil
}

// usage lists what there is.
func usage() string {
	var list []string
	for _, e := range engines {
		list = append(list, e.usage)
	}
	return "it is one of " + strings.Join(list, ", ")
}

func checkSQLite(path string) error {
	if path == "" {
		return errors.New("sqlite: is without the path of a file: sqlite:PATH")
	}
	return nil
}

func openSQLite(ctx context.Context, path string, o Options) (brokerage.Store, error) {
	s, err := sqlite.Open(ctx, path, sqlite.Options{Pool: o.Pool, Uncompressed: o.Uncompressed, Rules: o.Rules, Notice: o.Notice, Trace: o.Trace})
	if err != nil {
		return nil, err // not s: a nil *sqlite.Store is no nil brokerage.Store
	}
	return s, nil
}

func checkPostgres(rest string) error { return postgres.CheckURL(Postgres + ":" + rest) }

func openPostgres(ctx context.Context, rest string, o Options) (brokerage.Store, error) {
	s, err := postgres.Open(ctx, Postgres+":"+rest, postgres.Options{Pool: o.Pool, Rules: o.Rules, Notice: o.Notice, Trace: o.Trace})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func checkDB2(rest string) error { return db2.CheckURL(DB2 + ":" + rest) }

func openDB2(ctx context.Context, rest string, o Options) (brokerage.Store, error) {
	s, err := db2.Open(ctx, DB2+":"+rest, db2.Settings{Pool: o.Pool, Rules: o.Rules, Notice: o.Notice, Trace: o.Trace})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func checkNull(rest string) error {
	if rest != "" {
		return errors.New("null: takes nothing after it")
	}
	return nil
}

func openNull(context.Context, string, Options) (brokerage.Store, error) {
	s, err := null.Open()
	if err != nil {
		return nil, err
	}
	return s, nil
}
