package postgres

import (
	"context"
	"errors"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Scheme is the scheme of the URLs.
const Scheme = "postgres"

var _ store.Bulk = (*Store)(nil)

func init() {
	store.Register(&store.Engine{
		Scheme:      Scheme,
		Title:       "PostgreSQL",
		TraceName:   "postgresql",
		Usage:       "postgres://USER@HOST/DATABASE",
		HasReplicas: true,
		Check:       checkURL,
		Name:        databaseName,
		Open:        func(ctx context.Context, url string, o Options) (tpox.Store, error) { return Open(ctx, url, o) },
		Watch:       func(ctx context.Context, url string) (store.Observer, error) { return Administer(ctx, url) },
		Warnings:    warnings,
		Script:      schemaScript,
		Backup: func(
			ctx context.Context, url, file string, o store.CopyOptions,
		) (m store.Manifest, written int64, err error) {
			s, err := Open(ctx, url, Options{AsIs: true, Notice: o.Notice})
			if err == nil {
				m, written, err = s.backup(ctx, file, o)
				err = errors.Join(err, s.Close())
			}
			return m, written, err
		},
		Restore: func(ctx context.Context, url, file string, o store.CopyOptions) (m store.Manifest, err error) {
			s, err := Open(ctx, url, Options{Notice: o.Notice})
			if err == nil {
				m, err = s.restore(ctx, file, o)
				err = errors.Join(err, s.Close())
			}
			return m, err
		},
	})
}

func warnings(s tpox.Store) (all []string) {
	if s.Describe().Durability != tpox.Durable {
		all = append(all, "a power failure can destroy committed writes, or the whole database, because fsync, "+
			"full_page_writes or synchronous_commit is off")
	}
	if !s.(*Store).hasSetting("data_checksums", "on") {
		all = append(all, "the server has no page checksums (data_checksums is off): damage by a disk may go unnoticed")
	}
	return all
}
