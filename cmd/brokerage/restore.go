package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"brokerage/internal/store/sqlite"
)

type restoreCmd struct {
	From    string `required:"" type:"path" placeholder:"FILE" help:"The backup."`
	DB      dbFlag `name:"db" required:"" placeholder:"URL" help:"The database: sqlite:PATH; nothing may be using it."`
	Replace bool   `help:"Replace the database if it is there."`
}

func (c *restoreCmd) Run(ctx context.Context, s streams) error {
	m, err := sqlite.ReadManifest(c.From)
	if err != nil {
		return err
	}
	// The old database stays until the new one is whole.
	folder := filepath.Dir(c.DB.path)
	if free, known := freeBytes(folder); known && free < float64(m.Bytes) {
		return fmt.Errorf("%s needs %s, but has %s free", folder, bytesText(float64(m.Bytes)), bytesText(free))
	}
	bar := lateProgress{out: s}
	start := time.Now()
	m, err = sqlite.Restore(ctx, c.From, c.DB.path, c.Replace, bar.report)
	bar.finish()
	if err != nil {
		return err
	}
	took := time.Since(start)
	_, err = fmt.Fprintf(s.out, "%s: %s of %s, %s in %s (%s)\n", c.DB.path, fingerprintText(m), m.Time.Format(time.RFC3339),
		bytesText(float64(m.Bytes)), durationText(took), rateText(m.Bytes, took))
	return err
}
