package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"brokerage/internal/format"
	"brokerage/internal/store"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/sqlite"
)

type backupCmd struct {
	DB      dbFlag `name:"db" required:"" placeholder:"URL" help:"The database: sqlite:PATH or postgres://…; it may be in use."`
	Out     string `required:"" type:"path" placeholder:"FILE" help:"The file for the backup."`
	Replace bool   `help:"Replace FILE if it is there."`
}

func (c *backupCmd) Run(ctx context.Context, s streams) error {
	if err := c.DB.existing(); err != nil {
		return err
	}
	bar := lateProgress{out: s}
	start := time.Now()
	done, written, err := c.backup(ctx, s, bar.report)
	bar.finish()
	if err != nil {
		return err
	}
	took := time.Since(start)
	_, err = fmt.Fprintf(s.out, "%s: %s, %s packed to %s in %s (%s)\n", c.Out, fingerprintText(done),
		format.Bytes(done.Bytes), format.Bytes(written), format.Duration(took), format.ByteRate(done.Bytes, took))
	return err
}

// backup gives the manifest, and the size of the file.
func (c *backupCmd) backup(ctx context.Context, s streams, report func(done, total int64)) (archive.Manifest, int64, error) {
	if c.DB.embedded() {
		done, err := sqlite.BackupTo(ctx, c.DB.path, c.Out, c.Replace, report)
		return done.Manifest, done.Written, err
	}
	if c.DB.scheme == store.DB2 {
		return archive.Manifest{}, 0, errOwnBackup
	}
	opened, err := c.DB.open(ctx, s, true)
	if err != nil {
		return archive.Manifest{}, 0, err
	}
	done, err := opened.(*postgres.Store).BackupTo(ctx, c.Out, c.Replace, report)
	return done.Manifest, done.Written, errors.Join(err, opened.Close())
}

// errOwnBackup is what backup and restore say of Db2.
var errOwnBackup = errors.New("Db2 has its own backup and restore, of a database in use too: docs/db2.md has the commands")

// lateProgress is a progress whose total is known once there is some.
type lateProgress struct {
	out streams
	bar *progress
}

func (p *lateProgress) report(done, total int64) {
	if p.bar == nil {
		p.bar = startProgress(p.out.err, float64(total))
	}
	p.bar.done.Store(done)
}

func (p *lateProgress) finish() {
	if p.bar != nil {
		p.bar.finish()
	}
}

// fingerprintText says which dataset a backup holds.
func fingerprintText(m archive.Manifest) string {
	if m.Fingerprint == "" {
		return "no dataset"
	}
	return m.Fingerprint
}
