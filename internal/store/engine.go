package store

import (
	"context"
	"errors"
	"fmt"
	"os"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
	"brokerage/internal/tpox"
)

// An Engine is a kind of database: its scheme, and how its databases are named, opened, measured and copied. Each
// engine's package registers one. Its functions get whole URLs, which begin with the scheme and may hold a password.
type Engine struct {
	Scheme      string // of its URLs
	Title       string // its name in sentences
	TraceName   string // db.system.name of OpenTelemetry
	Usage       string // the form of its URLs
	HasReplicas bool   // it supports Options.Replicas

	Check func(url string) error
	Name  func(url string) string // what messages may show of a URL
	Path  func(url string) string // the database's file; nil if the engine has none
	Open  func(ctx context.Context, url string, options Options) (tpox.Store, error)

	// Watch connects to the database's server to read what it counts; nil for an engine without a server.
	Watch func(ctx context.Context, url string) (Observer, error)
	// Warnings returns sentences about settings of the server that put data at risk; nil for an engine without any.
	Warnings func(s tpox.Store) []string
	// Weak returns the setting of a URL with which a power failure may take back acknowledged writes, "" if it has none;
	// nil for an engine whose URLs have no such settings.
	Weak func(url string) string
	// Script returns the statements that make the schema in an empty database; nil for an engine that stores nothing.
	Script func(url string) (string, error)
	// Remove removes the database; nil if an open store is emptied instead.
	Remove func(ctx context.Context, url string) error

	// Backup and Restore copy databases; nil for an engine that this program cannot back up.
	Backup  func(ctx context.Context, url, file string, o CopyOptions) (Manifest, int64, error)
	Restore func(ctx context.Context, url, file string, o CopyOptions) (Manifest, error)
}

// engines are the registered engines.
var engines []*Engine

// Register makes an engine available. It is called by the init function of the engine's package, which a program
// imports to use the engine, as with the drivers of database/sql.
func Register(e *Engine) { engines = append(engines, e) }

// An Observer reads the counters of a database's server, over a connection of its own.
type Observer interface {
	// Pools returns the page hits and misses of each table or buffer pool so far, for all clients of the database.
	Pools(ctx context.Context) ([]PoolStats, error)
	// Process returns the id of the server's main process, or 0 when it is not visible on this computer.
	Process() int
	Close() error
}

// Bulk is a store that can be loaded, verified and measured.
type Bulk interface {
	tpox.Store
	Loading(ctx context.Context) (string, error)
	LoadedFrom(ctx context.Context) (Loaded, error)
	LoadDataset(ctx context.Context, d *dataset.Dataset, progress Progress) error
	LoadBatches(ctx context.Context, from Source, progress Progress) (Loaded, error)
	Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (Verified, error)
	Space(ctx context.Context) (Space, error)
	Made() bool // whether opening it has made the schema
}

// Holds returns the fingerprint of what was loaded into a store, or the name of its unfinished load if there is one;
// "" if nothing was loaded.
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
	Progress func(done, total int64) // called with numbers of bytes; may be nil
}

// A Database is a database that a URL names, and that need not exist.
type Database struct {
	*Engine

	url string
}

// URL returns the whole URL, which may hold a password.
func (d Database) URL() string { return d.url }

// Name returns what messages may show of the URL: for a server no password, and no parameters, which may hold secrets.
func (d Database) Name() string { return d.Engine.Name(d.url) }

// Path returns the path of the database's file, "" if it has none.
func (d Database) Path() string {
	if d.Engine.Path == nil {
		return ""
	}
	return d.Engine.Path(d.url)
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
	s, err := d.Engine.Open(ctx, d.url, options)
	if err != nil {
		return nil, err // and not an interface that holds a nil pointer
	}
	return s, nil
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
var ErrNothingStored = errors.New("null: stores nothing: name a database that does, " +
	"such as sqlite:PATH or postgres://…")

// Stores reports whether databases of this kind store documents.
func (d Database) Stores() bool { return d.Engine.Script != nil }

// Script returns the statements that make the whole schema in an empty database, as one would run them by hand. It
// opens no database.
func (d Database) Script() (string, error) {
	if d.Engine.Script == nil {
		return "", ErrNothingStored
	}
	return d.Engine.Script(d.url)
}

// RequireDurable returns an error if a setting of the URL lets a power failure take back acknowledged writes, unless
// accepted is set.
func (d Database) RequireDurable(accepted bool) error {
	if d.Weak == nil || accepted {
		return nil
	}
	if setting := d.Weak(d.url); setting != "" {
		return fmt.Errorf("with %s, a power failure may take back acknowledged writes: --not-durable accepts that", setting)
	}
	return nil
}

// Warnings returns sentences about settings of the server that put data at risk.
func (d Database) Warnings(s tpox.Store) []string {
	if d.Engine.Warnings == nil {
		return nil
	}
	return d.Engine.Warnings(s)
}

// StatsOf returns the function that reads the statistics of an open store, or nil for a store without statistics.
func StatsOf(s tpox.Store) func() Stats {
	if measured, ok := s.(interface{ Stats() Stats }); ok {
		return measured.Stats
	}
	return nil
}

// Watch returns an Observer of the database's server; nil for an engine without a server.
func (d Database) Watch(ctx context.Context) (Observer, error) {
	if d.Engine.Watch == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	o, err := d.Engine.Watch(ctx, d.url)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// Empty deletes everything in the database and opens it. An embedded database becomes a new file with a new identity.
func (d Database) Empty(ctx context.Context, options Options) (Bulk, error) {
	if d.Engine.Remove != nil {
		if err := d.Engine.Remove(ctx, d.url); err != nil {
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
) (m Manifest, written int64, err error) {
	if d.Engine.Backup == nil {
		return m, 0, d.noBackup()
	}
	return d.Engine.Backup(ctx, d.url, file, o)
}

// ReadManifest returns the manifest of a backup. Only Restore verifies it.
func (d Database) ReadManifest(file string) (Manifest, error) {
	if d.Engine.Restore == nil {
		return Manifest{}, d.noBackup()
	}
	b, err := OpenBackup(file, d.Scheme)
	if err != nil {
		return Manifest{}, err
	}
	return b.Manifest, b.Close()
}

// Restore replaces the contents of the database, which nothing may be using, by the database in a backup.
func (d Database) Restore(ctx context.Context, file string, o CopyOptions) (Manifest, error) {
	if d.Engine.Restore == nil {
		return Manifest{}, d.noBackup()
	}
	return d.Engine.Restore(ctx, d.url, file, o)
}

func (d Database) noBackup() error {
	if !d.Stores() {
		return ErrNothingStored
	}
	return fmt.Errorf("brokerage cannot back up or restore %s: use its own commands (docs/%s.md)", d.Title, d.Scheme)
}
