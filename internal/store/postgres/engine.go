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
		Check:       CheckURL,
		Name:        Name,
		Open: func(ctx context.Context, url string, o store.Options) (tpox.Store, error) {
			return Open(ctx, url, o)
		},
		Watch:    func(ctx context.Context, url string) (store.Observer, error) { return Administer(ctx, url) },
		Warnings: warnings,
		Script:   Script,
		Backup: func(
			ctx context.Context, url, file string, o store.CopyOptions,
		) (store.Manifest, int64, error) {
			s, err := Open(ctx, url, Options{AsIs: true, Notice: o.Notice})
			if err != nil {
				return store.Manifest{}, 0, err
			}
			m, written, err := s.BackupTo(ctx, file, o.Replace, o.Progress)
			return m, written, errors.Join(err, s.Close())
		},
		Restore: func(ctx context.Context, url, file string, o store.CopyOptions) (store.Manifest, error) {
			s, err := Open(ctx, url, Options{Notice: o.Notice})
			if err != nil {
				return store.Manifest{}, err
			}
			m, err := s.Restore(ctx, file, o.Replace, o.Progress)
			return m, errors.Join(err, s.Close())
		},
	})
}

func warnings(s tpox.Store) (all []string) {
	if s.Describe().Durability != tpox.Durable {
		all = append(all, "the server's settings risk committed writes, or the whole database, in a power failure "+
			"(fsync, full_page_writes or synchronous_commit is off)")
	}
	if !s.(*Store).hasSetting("data_checksums", "on") {
		all = append(all, "the server has no page checksums (data_checksums is off): damage by a disk may go unnoticed")
	}
	return all
}
