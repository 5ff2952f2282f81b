package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"brokerage/internal/format"
	"brokerage/internal/store"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/sqlite"
)

type restoreCmd struct {
	From    string `required:"" type:"path" placeholder:"FILE" help:"The backup."`
	DB      dbFlag `name:"db" required:"" placeholder:"URL" help:"The database: sqlite:PATH or postgres://…; nothing may be using it."`
	Replace bool   `help:"Replace the database if it is there."`
}

func (c *restoreCmd) Run(ctx context.Context, s streams) error {
	bar := lateProgress{out: s}
	start := time.Now()
	restore := c.server
	if c.DB.embedded() {
		restore = c.file
	}
	m, err := restore(ctx, s, bar.report)
	bar.finish()
	if err != nil {
		return err
	}
	took := time.Since(start)
	_, err = fmt.Fprintf(s.out, "%s: %s of %s, %s in %s (%s)\n", c.DB.name(), fingerprintText(m), m.Time.Format(time.RFC3339),
		format.Bytes(m.Bytes), format.Duration(took), format.ByteRate(m.Bytes, took))
	return err
}

// file restores the embedded store.
func (c *restoreCmd) file(ctx context.Context, _ streams, report func(done, total int64)) (archive.Manifest, error) {
	m, err := sqlite.ReadManifest(c.From)
	if err != nil {
		return m, err
	}
	// The old database stays until the new one is whole.
	folder := filepath.Dir(c.DB.path)
	if free, known := freeBytes(folder); known && free < float64(m.Bytes) {
		return m, fmt.Errorf("%s needs %s, but has %s free", folder, format.Bytes(m.Bytes), format.Bytes(free))
	}
	return sqlite.Restore(ctx, c.From, c.DB.path, c.Replace, report)
}

// server restores a database of a server.
func (c *restoreCmd) server(ctx context.Context, s streams, report func(done, total int64)) (archive.Manifest, error) {
	if c.DB.scheme == store.DB2 {
		return archive.Manifest{}, errOwnBackup
	}
	if m, err := postgres.ReadManifest(c.From); err != nil {
		return m, err
	}
	opened, err := c.DB.open(ctx, s, false)
	if err != nil {
		return archive.Manifest{}, err
	}
	m, err := opened.(*postgres.Store).Restore(ctx, c.From, c.Replace, report)
	return m, errors.Join(err, opened.Close())
}
