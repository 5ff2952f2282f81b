package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"brokerage/internal/format"
	"brokerage/internal/store"
)

//nolint:lll // a help text is one string
type backupCmd struct {
	DB      dbFlag `name:"db" required:"" placeholder:"URL" help:"Database to copy: sqlite:PATH or postgres://USER@HOST/DATABASE; it may be in use. Db2 is not supported; use its own BACKUP DATABASE."`
	Out     string `required:"" type:"path" placeholder:"FILE" help:"File to write the backup to."`
	Replace bool   `help:"Overwrite FILE if it exists. Default: an error."`
}

func (c *backupCmd) Run(ctx context.Context, s streams) error {
	if err := c.DB.RequireExisting(); err != nil {
		return err
	}
	bar := lateProgress{out: s}
	start := time.Now()
	m, written, err := c.DB.Backup(ctx, c.Out, c.DB.copying(s, c.Replace, bar.report))
	bar.finish()
	if err != nil {
		return err
	}
	took := time.Since(start)
	_, err = fmt.Fprintf(s.out, "%s: %s, %s packed to %s in %s (%s)\n", c.Out, contentsText(m),
		format.Bytes(m.Bytes), format.Bytes(written), format.Duration(took), format.ByteRate(m.Bytes, took))
	return err
}

// lateProgress is a progress whose total is known at its first report.
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

// contentsText returns the dataset and the database that a backup holds.
func contentsText(m store.Manifest) string {
	return cmp.Or(m.Fingerprint, "no dataset") + " of database " + m.Identity
}
