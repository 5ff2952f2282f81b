package store

import (
	"context"
	"errors"

	"brokerage/internal/store/archive"
	"brokerage/internal/store/postgres"
	"brokerage/internal/tpox"
)

var _ Bulk = (*postgres.Store)(nil)

var postgresEngine = &Engine{
	Scheme:    Postgres,
	Title:     "PostgreSQL",
	TraceName: "postgresql",
	usage:     "postgres://USER@HOST/DATABASE",
	check:     func(rest string) error { return postgres.CheckURL(Postgres + ":" + rest) },
	name:      func(rest string) string { return postgres.Name(Postgres + ":" + rest) },
	open: func(ctx context.Context, rest string, o Options) (tpox.Store, error) {
		return asStore(postgres.Open(ctx, Postgres+":"+rest, postgres.Options{
			Pool: o.Pool, Rules: o.Rules, AsIs: o.AsIs, Notice: o.Notice, Trace: o.Trace, Replicas: o.Replicas,
		}))
	},
	watch: func(ctx context.Context, rest string) (Observer, error) {
		a, err := postgres.Administer(ctx, Postgres+":"+rest)
		if err != nil {
			return nil, err
		}
		return a, nil
	},
	warnings: postgresWarnings,
	script:   func(rest string) (string, error) { return postgres.Script(Postgres + ":" + rest) },
	backup: backupEngine{
		manifest: postgres.ReadManifest,
		write: func(ctx context.Context, d Database, file string, o CopyOptions) (archive.Manifest, int64, error) {
			s, err := d.Open(ctx, Options{AsIs: true, Notice: o.Notice})
			if err != nil {
				return archive.Manifest{}, 0, err
			}
			m, written, err := s.(*postgres.Store).BackupTo(ctx, file, o.Replace, o.Progress)
			return m, written, errors.Join(err, s.Close())
		},
		restore: func(ctx context.Context, d Database, file string, o CopyOptions) (m archive.Manifest, err error) {
			s, err := d.Open(ctx, Options{Notice: o.Notice})
			if err != nil {
				return m, err
			}
			m, err = s.(*postgres.Store).Restore(ctx, file, o.Replace, o.Progress)
			return m, errors.Join(err, s.Close())
		},
	},
}

func postgresWarnings(s tpox.Store) (all []string) {
	if s.Describe().Durability != tpox.Durable {
		all = append(all, "the server's settings risk committed writes, or the whole database, in a power failure "+
			"(fsync, full_page_writes or synchronous_commit is off)")
	}
	if !s.(*postgres.Store).Checksums() {
		all = append(all, "the server has no page checksums (data_checksums is off): damage by a disk may go unnoticed")
	}
	return all
}
