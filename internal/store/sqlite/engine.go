package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Scheme is the scheme of the URLs, which a path follows. It is taken literally, since it may hold anything that a file
// system allows, up to a question mark, which Settings follow.
const Scheme = "sqlite"

var _ store.Bulk = (*Store)(nil)

func init() {
	store.Register(&store.Engine{
		Scheme:    Scheme,
		Title:     "SQLite",
		TraceName: "sqlite",
		Usage:     "sqlite:PATH",
		Check: func(url string) error {
			path, _, err := parse(url)
			if path == "" {
				return errors.New("sqlite: is without the path of a file: sqlite:PATH")
			}
			return err
		},
		Name: func(url string) string { return url },
		Path: pathOf,
		Open: func(ctx context.Context, url string, o store.Options) (tpox.Store, error) {
			path, settings, err := parse(url)
			if err != nil {
				return nil, err
			}
			return OpenWith(ctx, path, settings, o)
		},
		Weak: func(url string) string {
			_, settings, _ := parse(url) // it was checked
			return settings.weak()
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

func pathOf(url string) string {
	path, _, _ := parse(url) // it was checked
	return path
}
