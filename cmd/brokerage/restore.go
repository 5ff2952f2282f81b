package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"brokerage/internal/format"
)

//nolint:lll // a help text is one string
type restoreCmd struct {
	From    string `required:"" type:"path" placeholder:"FILE" help:"Backup to read; of a folder, its newest brokerage-DATE.bak by name, if all of them are of one database. Those of users other than you, root and the folder's owner are ignored."`
	DB      dbFlag `name:"db" required:"" placeholder:"URL" help:"Database to write: sqlite:PATH or postgres://USER@HOST/DATABASE; it must not be in use. Db2 is not supported; use its own RESTORE DATABASE."`
	Replace bool   `help:"Overwrite the database if it exists. Default: an error."`
}

func (c *restoreCmd) Run(ctx context.Context, s streams) error {
	bar := lateProgress{out: s}
	start := time.Now()
	if info, err := os.Stat(c.From); err == nil && info.IsDir() {
		if c.From, err = c.DB.newest(c.From); err != nil {
			return err
		}
	}
	m, err := c.DB.ReadManifest(c.From)
	if err == nil {
		err = c.fits(m.Bytes)
	}
	if err == nil {
		m, err = c.DB.Restore(ctx, c.From, c.DB.copying(s, c.Replace, bar.report))
	}
	bar.finish()
	if err != nil {
		return err
	}
	took := time.Since(start)
	_, err = fmt.Fprintf(s.out, "%s: %s at %s, %s in %s (%s)\n", c.DB.name(), contentsText(m),
		m.Time.Format(time.RFC3339),
		format.Bytes(m.Bytes), format.Duration(took), format.ByteRate(m.Bytes, took))
	return err
}

// fits returns an error if the disk of an embedded database has no space for the backup; the old database stays until
// the new one is complete.
func (c *restoreCmd) fits(size int64) error {
	if !c.DB.embedded() {
		return nil
	}
	return requireSpace(filepath.Dir(c.DB.Path()), float64(size))
}
