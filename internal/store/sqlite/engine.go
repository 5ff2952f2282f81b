package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Scheme is the scheme of the URLs, which a path follows: it is taken literally, since it may hold anything that a
// file system allows.
const Scheme = "sqlite"

var _ store.Bulk = (*Store)(nil)

func init() {
	store.Register(&store.Engine{
		Scheme:    Scheme,
		Title:     "SQLite",
		TraceName: "sqlite",
		Usage:     "sqlite:PATH",
		Check: func(url string) error {
			if pathOf(url) == "" {
				return errors.New("sqlite: is without the path of a file: sqlite:PATH")
			}
			return nil
		},
		Name: func(url string) string { return url },
		Path: pathOf,
		Open: func(ctx context.Context, url string, o store.Options) (tpox.Store, error) {
			return Open(ctx, pathOf(url), o)
		},
		Script: func(string) (string, error) { return Script(), nil },
		Remove: func(ctx context.Context, url string) error {
			path := pathOf(url)
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return Remove(ctx, path)
		},
		Backup: func(
			ctx context.Context, url, file string, o store.CopyOptions,
		) (store.Manifest, int64, error) {
			done, err := BackupTo(ctx, pathOf(url), file, o.Replace, o.Progress)
			return done.Manifest, done.Written, err
		},
		Restore: func(ctx context.Context, url, file string, o store.CopyOptions) (store.Manifest, error) {
			return Restore(ctx, file, pathOf(url), o.Replace, o.Progress)
		},
	})
}

func pathOf(url string) string { return strings.TrimPrefix(url, Scheme+":") }
