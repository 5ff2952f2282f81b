package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"brokerage/internal/service"
	"brokerage/internal/store"
	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

//nolint:lll // a help text is one string
type migrateCmd struct {
	DB    dbFlag `name:"db" required:"" placeholder:"URL" help:"Database: sqlite:PATH (created if missing), postgres://USER@HOST/DATABASE or db2://USER@HOST:PORT/DATABASE; USER must own the schema."`
	Wait  bool   `help:"Retry until the database can be reached. Default: fail at once."`
	Print bool   `help:"Print the SQL statements that would create the schema in --db, without connecting to it. Default: create the schema in an empty database."`
}

// Run creates the schema and does nothing else, so that the service can run as a role that may not create it. Other
// commands that change a database create it as well.
func (c *migrateCmd) Run(ctx context.Context, s streams) error {
	if c.Print {
		text, err := c.DB.Script()
		if err == nil {
			_, err = io.WriteString(s.out, text)
		}
		return err
	}
	var opened store.Bulk
	open := func(ctx context.Context) (_ tpox.Store, err error) {
		opened, err = c.DB.open(ctx, s, false)
		return opened, err
	}
	if _, err := open(ctx); err != nil {
		if !c.Wait {
			return err
		}
		log := telemetry.Logger(s.err, isTerminal(s.err), slog.LevelInfo)
		retry := service.Retry{Open: open, Log: log, DB: c.DB.name()}
		if _, err := retry.Until(ctx, err); err != nil {
			return err
		}
	}
	text := "%s: nothing to do, the schema has version %d\n"
	if opened.Made() {
		text = "%s: created the schema, version %d\n"
	}
	if err := opened.Close(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, text, c.DB.name(), store.SchemaVersion)
	return err
}
