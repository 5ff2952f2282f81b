package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"brokerage/internal/format"
	"brokerage/internal/store"
)

//nolint:lll // a help text is one string
type restoreCmd struct {
	From    string `required:"" type:"path" placeholder:"FILE" help:"Backup to read, or a folder, of which the newest brokerage-DATE.bak by name is read. It is an error if the folder has backups of several databases. Files of users other than you, root and the folder's owner are ignored."`
	DB      dbFlag `name:"db" required:"" placeholder:"URL" help:"Database to write: sqlite:PATH or postgres://USER@HOST/DATABASE; it must not be in use. Db2 is not supported; use its own RESTORE DATABASE."`
	Replace bool   `help:"Overwrite the database if it exists. Default: an error."`
}

func (c *restoreCmd) Run(ctx context.Context, s streams) error {
	if info, err := os.Stat(c.From); err == nil && info.IsDir() {
		if c.From, err = c.DB.newest(c.From); err != nil {
			return err
		}
	}
	m, err := c.DB.ReadManifest(c.From)
	if err == nil && c.DB.embedded() { // the old database stays until the new one is complete
		err = requireSpace(filepath.Dir(c.DB.Path()), float64(m.Bytes))
	}
	if err != nil {
		return err
	}
	bar := startProgress(s.err, 0)
	m, err = c.DB.Restore(ctx, c.From, store.CopyOptions{Replace: c.Replace, Notice: s.notice, Progress: bar.of})
	bar.finish()
	if err != nil {
		return err
	}
	took := time.Since(bar.start)
	_, err = fmt.Fprintf(s.out, "%s: %s at %s, %s in %s (%s)\n", c.DB.name(), contentsText(m),
		m.Time.Format(time.RFC3339),
		format.Bytes(m.Bytes), format.Duration(took), format.ByteRate(m.Bytes, took))
	return err
}
