package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Scheme is the scheme of the URLs. The path after it is taken literally, since a path may hold anything that a file
// system allows, but only up to a question mark, after which settings follow.
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
				return errors.New("sqlite: names no file: use sqlite:PATH")
			}
			return err
		},
		Name: func(url string) string { return url },
		Path: pathOf,
		Open: func(ctx context.Context, url string, o store.Options) (tpox.Store, error) {
			return Open(ctx, url, o)
		},
		Weak: func(url string) string {
			_, settings, _ := parse(url) // it was checked
			if v := settings["synchronous"]; v == "off" || v == "normal" {
				return "synchronous=" + v
			}
			return ""
		},
		// The script is only for people to read: documents are packed, so only this program can fill the tables.
		Script: func(string) (string, error) {
			const form = "-- The schema of brokerage in SQLite, version %d, for an empty file.\n\nBEGIN;\n\n%s\n\nCOMMIT;\n"
			return fmt.Sprintf(form, store.SchemaVersion, strings.TrimSpace(schemaText)), nil
		},
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
			return BackupTo(ctx, pathOf(url), file, o.Replace, o.Progress)
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
