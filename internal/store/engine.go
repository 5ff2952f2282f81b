package store

import (
	"context"
	"errors"
	"fmt"
	"os"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/bulk"
	"brokerage/internal/store/tally"
	"brokerage/internal/tpox"
)

// An Engine is a kind of database: its scheme, and how its databases are named, opened, measured and copied. Rest is
// what follows the scheme in a URL; the engine reads it, and takes it literally, since a path may hold anything that a
// file system allows.
type Engine struct {
	Scheme    string // of its URLs
	Title     string // its name in sentences
	TraceName string // db.system.name of OpenTelemetry

	usage string // the form of its URLs

	check func(rest string) error
	name  func(rest string) string // what messages may show
	path  func(rest string) string // the database's file; nil for a server
	open  func(ctx context.Context, rest string, options Options) (tpox.Store, error)

	// watch connects to the database's server to read what it counts; nil for an engine without a server.
	watch func(ctx context.Context, rest string) (Observer, error)
	// warnings returns sentences about settings of the server that put data at risk; nil for none.
	warnings func(s tpox.Store) []string
	// script returns the statements that make the schema in an empty database.
	script func(rest string) (string, error)
	// remove removes the database; nil if an open store is emptied instead.
	remove func(ctx context.Context, rest string) error
	backup backupEngine
}

// backupEngine copies databases of an engine; its zero value is an engine that has a backup of its own.
type backupEngine struct {
	manifest func(file string) (archive.Manifest, error)
	write    func(ctx context.Context, d Database, file string, o CopyOptions) (archive.Manifest, int64, error)
	restore  func(ctx context.Context, d Database, file string, o CopyOptions) (archive.Manifest, error)
}

// asStore returns a store as an interface that is nil after an error, and not an interface that holds a nil pointer.
func asStore[S tpox.Store](s S, err error) (tpox.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// engines is the registry: everything that depends on the kind of a database starts here.
var engines = []*Engine{sqliteEngine, postgresEngine, db2Engine, nullEngine}

// An Observer reads what the server of a database counts itself, by a connection of its own.
type Observer interface {
	// Observe returns the server's figures; with statements, also what it counts of each statement, which takes longer.
	Observe(ctx context.Context, statements bool) (tally.Server, error)
	// Process returns the parent process of the database, or 0 when it is not visible on this computer.
	Process() int
	Close() error
}

// A Settler is the Observer of a server that tunes its memory under load.
type Settler interface {
	// Settle waits, under the load of a warm-up, until the server has stopped tuning. It returns how that ended, or ""
	// when the database's URL does not ask for it.
	Settle(ctx context.Context) string
}

// Bulk is a store that can be loaded, verified and measured.
type Bulk interface {
	tpox.Store
	Loading(ctx context.Context) (string, error)
	LoadedDocuments(ctx context.Context, k dataset.Kind) (int64, error)
	LoadedFrom(ctx context.Context) (bulk.Loaded, error)
	Indexed(ctx context.Context) (bool, error)
	LoadDataset(ctx context.Context, d *dataset.Dataset, progress bulk.Progress) error
	LoadBatches(ctx context.Context, from bulk.Source, progress bulk.Progress) (bulk.Loaded, error)
	Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (bulk.Verified, error)
	Space(ctx context.Context) (bulk.Space, error)
	Made() bool // whether opening it has made the schema
}

// Holds returns the fingerprint of the dataset in a store, or of the load into it that is not finished; "" for an empty
// store.
func Holds(ctx context.Context, s Bulk) (string, error) {
	unfinished, err := s.Loading(ctx)
	if err != nil || unfinished != "" {
		return unfinished, err
	}
	contents, err := s.Contents(ctx)
	return contents.Fingerprint, err
}

// CopyOptions are the options of a backup or a restore.
type CopyOptions struct {
	Replace  bool                    // replace an existing file or database
	Notice   func(string)            // as in Options
	Progress func(done, total int64) // called with numbers of bytes
}

// A Database is a database that a URL names, and that need not exist.
type Database struct {
	*Engine

	rest string
}

// URL returns the whole URL, which may hold a password.
func (d Database) URL() string { return d.Scheme + ":" + d.rest }

// Name returns what messages may show of the URL: no password, and no parameters, which may hold others.
func (d Database) Name() string { return d.name(d.rest) }

// Path returns the path of the database's file, "" for a database of a server.
func (d Database) Path() string {
	if d.path == nil {
		return ""
	}
	return d.path(d.rest)
}

// RequireExisting returns an error if the database is a file that does not exist. Whether a database of a server exists
// shows when it is opened.
func (d Database) RequireExisting() error {
	path := d.Path()
	if path == "" {
		return nil
	}
	if err := output.RequireFolder(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", path)
	}
	return nil
}

// Open opens the database. Its engine makes the schema in an empty one, unless options.AsIs is set.
func (d Database) Open(ctx context.Context, options Options) (tpox.Store, error) {
	return d.open(ctx, d.rest, options)
}

// OpenBulk opens the database to load, verify or measure it. It fails for null:, which holds nothing.
func (d Database) OpenBulk(ctx context.Context, options Options) (Bulk, error) {
	opened, err := d.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	if s, ok := opened.(Bulk); ok {
		return s, nil
	}
	return nil, errors.Join(ErrNothingStored, opened.Close())
}

// ErrNothingStored is the error of loading, verifying or copying null:, which stores nothing.
var ErrNothingStored = errors.New("null: holds nothing that could be loaded or verified: use sqlite:PATH, " +
	"postgres://… or db2://…")

// Stores reports whether databases of this kind store documents.
func (d Database) Stores() bool { return d.script != nil }

// Script returns the statements that make the whole schema in an empty database, as one would run them by hand. It
// opens no database.
func (d Database) Script() (string, error) {
	if d.script == nil {
		return "", ErrNothingStored
	}
	return d.script(d.rest)
}

// Warnings returns sentences about settings of the server that put data at risk.
func (d Database) Warnings(s tpox.Store) []string {
	if d.warnings == nil {
		return nil
	}
	return d.warnings(s)
}

// Stats returns the function that reads the statistics of an open store, or nil for a store without statistics.
func Stats(s tpox.Store) func() tally.Stats {
	if measured, ok := s.(interface{ Stats() tally.Stats }); ok {
		return measured.Stats
	}
	return nil
}

// Watch returns an Observer of the database's server; nil for an engine without a server.
func (d Database) Watch(ctx context.Context) (Observer, error) {
	if d.watch == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	return d.watch(ctx, d.rest)
}

// Empty deletes everything in the database and opens it. An embedded database becomes a new file.
func (d Database) Empty(ctx context.Context, options Options) (Bulk, error) {
	if d.remove != nil {
		if err := d.remove(ctx, d.rest); err != nil {
			return nil, err
		}
	}
	opened, err := d.OpenBulk(ctx, options)
	if err != nil {
		return nil, err
	}
	if server, ok := opened.(interface {
		Empty(ctx context.Context) error
	}); ok {
		if err := server.Empty(ctx); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
	}
	return opened, nil
}

// Backup copies the database, which may be in use, to a checksummed file. It returns the manifest of the file and its
// size in bytes.
func (d Database) Backup(
	ctx context.Context, file string, o CopyOptions,
) (m archive.Manifest, written int64, err error) {
	if d.backup.write == nil {
		return m, 0, d.noBackup()
	}
	return d.backup.write(ctx, d, file, o)
}

// ReadManifest returns the manifest of a backup. Only Restore verifies it.
func (d Database) ReadManifest(file string) (archive.Manifest, error) {
	if d.backup.manifest == nil {
		return archive.Manifest{}, d.noBackup()
	}
	return d.backup.manifest(file)
}

// Restore replaces the contents of the database, which nothing may be using, by those of a backup.
func (d Database) Restore(ctx context.Context, file string, o CopyOptions) (archive.Manifest, error) {
	if d.backup.restore == nil {
		return archive.Manifest{}, d.noBackup()
	}
	return d.backup.restore(ctx, d, file, o)
}

func (d Database) noBackup() error {
	if !d.Stores() {
		return ErrNothingStored
	}
	return fmt.Errorf("%s has its own backup and restore, which work on a database in use: docs/%s.md has the commands",
		d.Title, d.Scheme)
}
