package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/telemetry"
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
	name:   func(path string) string { return SQLite + ":" + path },
	path:   func(path string) string { return path },
	open:   openSQLite,
	stats:  sqliteStats,
	script: func(string) (string, error) { return sqlite.Script() },
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

func openSQLite(ctx context.Context, path string, o Options) (brokerage.Store, error) {
	s, err := sqlite.Open(ctx, path, sqlite.Options{
		Pool: o.Pool, Uncompressed: o.Uncompressed, Rules: o.Rules, AsIs: o.AsIs, Notice: o.Notice, Doing: o.Doing,
		Trace: o.Trace,
	})
	if err != nil {
		return nil, err // not s: a nil *sqlite.Store is no nil brokerage.Store
	}
	return s, nil
}

func sqliteStats(s brokerage.Store) telemetry.StoreStats {
	stats := s.(*sqlite.Store).Stats()
	all := telemetry.StoreStats{
		Connections: stats.Pool,
		Open:        stats.Pool,
		InUse:       stats.InUse,
		Waits:       stats.Waits,
		Waited:      stats.Waited,
		Commits:     stats.Commits,
		Writes:      stats.Writes,
		Groups:      stats.Groups,
		Flushes:     stats.Flushes,
		Busy:        stats.Busy,
		Hits:        stats.Hits,
		Misses:      stats.Misses,
		PageHits:    stats.PageHits,
		PageMisses:  stats.PageMisses,
		Retries:     map[string]int64{"changed": stats.Redone},
		File:        stats.File,
		Journal:     stats.Journal,
	}
	for _, k := range stats.Kinds {
		all.Kinds = append(all.Kinds, telemetry.StoreKind{
			Kind: k.Kind, Known: k.Known, Documents: k.Documents, Stored: k.Stored,
			Packed: k.Packed, PackedFrom: k.PackedFrom, PackedTo: k.PackedTo,
		})
	}
	return all
}
