package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
	"brokerage/internal/store"
)

//nolint:lll // a help text is one string
type verifyCmd struct {
	DB     dbFlag `name:"db" required:"" placeholder:"URL" help:"Database: sqlite:PATH, postgres://USER@HOST/DATABASE or db2://USER@HOST:PORT/DATABASE."`
	Ledger string `type:"path" placeholder:"FILE" help:"File written by brokerage drive --ledger: only find out whether the database has its changes. No other client may have changed the database since that run began. Exits with 4 if changes were lost or applied twice. Default: none; read and check the whole database."`
}

func (c *verifyCmd) Run(ctx context.Context, s streams) (err error) {
	if err := c.DB.RequireExisting(); err != nil {
		return err
	}
	db, err := c.DB.open(ctx, s, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if c.Ledger != "" {
		return c.ledger(ctx, s, db)
	}
	expected, err := storedBytes(ctx, db)
	if err != nil {
		return err
	}
	progress := startProgress(s.err, expected)
	v, err := db.Verify(ctx, func(finding string) (err error) {
		progress.aside(func() { _, err = fmt.Fprintln(s.out, finding) }) // standard output may be the same terminal
		return err
	}, func(bytes int64) { progress.done.Add(bytes) })
	progress.finish()
	if err != nil {
		return err
	}
	took := time.Since(progress.start)
	_, err = fmt.Fprintf(s.out, "%s, %s with %s, %s (%s) in %s: %s\n", securitiesText(v.Documents[dataset.Security]),
		format.Plural(v.Documents[dataset.Customer],
			"customer"), format.Plural(v.Accounts, "account"), format.Plural(v.Documents[dataset.Order], "order"),
		format.Bytes(sum(v.Bytes)), format.Duration(took), format.Plural(v.Findings, "finding"))
	if err == nil && v.Findings > 0 {
		err = fmt.Errorf("%s: %s", c.DB.name(), format.Plural(v.Findings, "finding"))
	}
	if err != nil {
		return err // a damaged database cannot be measured
	}
	space, err := db.Space(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.out, "database %s\n\n", db.Describe().Identity); err != nil {
		return err
	}
	return writeSpace(s.out, v.Documents, v.Bytes, space)
}

// ledger compares a ledger with the database.
func (c *verifyCmd) ledger(ctx context.Context, s streams, db store.Bulk) error {
	proof, err := verifyLedger(ctx, s, db, c.Ledger)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(s.out, proof); err != nil {
		return err
	}
	if proof.Faulty() {
		return exitError{exitInvalid, fmt.Errorf("%s: acknowledged changes were lost or applied twice", c.DB.name())}
	}
	return nil
}

// storedBytes returns the approximate size of the documents in a database.
func storedBytes(ctx context.Context, db store.Bulk) (float64, error) {
	c, err := db.Contents(ctx)
	if err != nil {
		return 0, err
	}
	profile, err := dataset.ParseProfile(c.Profile)
	if err == nil {
		d := dataset.New(dataset.Spec{Profile: profile})
		return float64(c.Securities)*d.MeanSize(dataset.Security) + float64(c.Customers)*d.MeanSize(dataset.Customer) +
			float64(c.Orders)*d.MeanSize(dataset.Order), nil
	}
	space, err := db.Space(ctx)
	return float64(space.Raw[dataset.Security] + space.Raw[dataset.Customer] + space.Raw[dataset.Order]), err
}

func securitiesText(n int64) string {
	if n == 1 {
		return "1 security"
	}
	return format.Count(n) + " securities"
}
