package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"brokerage/internal/store/archive"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/tpox"
)

var _ Bulk = (*sqlite.Store)(nil)

var sqliteEngine = &Engine{
	Scheme:    SQLite,
	Title:     "SQLite",
	TraceName: "sqlite",
	usage:     "sqlite:PATH",
	check: func(path string) error {
		if path == "" {
			return errors.New("sqlite: is without the path of a file: sqlite:PATH")
		}
		return nil
	},
	name: func(path string) string { return SQLite + ":" + path },
	path: func(path string) string { return path },
	open: func(ctx context.Context, path string, o Options) (tpox.Store, error) {
		return asStore(sqlite.Open(ctx, path, sqlite.Options{
			Pool: o.Pool, Uncompressed: o.Uncompressed, Rules: o.Rules, AsIs: o.AsIs,
			Notice: o.Notice, Doing: o.Doing, Trace: o.Trace,
		}))
	},
	script: func(string) (string, error) { return sqlite.Script(), nil },
	remove: func(ctx context.Context, path string) error {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return sqlite.Remove(ctx, path)
	},
	backup: backupEngine{
		manifest: sqlite.ReadManifest,
		write: func(ctx context.Context, d Database, file string, o CopyOptions) (archive.Manifest, int64, error) {
			done, err := sqlite.BackupTo(ctx, d.rest, file, o.Replace, o.Progress)
			return done.Manifest, done.Written, err
		},
		restore: func(ctx context.Context, d Database, file string, o CopyOptions) (archive.Manifest, error) {
			return sqlite.Restore(ctx, file, d.rest, o.Replace, o.Progress)
		},
	},
}
