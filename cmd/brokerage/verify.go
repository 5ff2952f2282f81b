package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/store/sqlite"
)

type verifyCmd struct {
	DB dbFlag `name:"db" required:"" placeholder:"URL" help:"The database: sqlite:PATH."`
}

func (c *verifyCmd) Run(ctx context.Context, s streams) (err error) {
	if err := c.DB.existing(); err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, c.DB.path, sqlite.Options{AsIs: true})
	if err != nil {
		return err
	}
	defer func() {
		if closed := store.Close(); err == nil {
			err = closed
		}
	}()
	expected, err := storedBytes(ctx, store, c.DB.path)
	if err != nil {
		return err
	}
	progress := startProgress(s.err, expected)
	v, err := store.Verify(ctx, func(finding string) error {
		_, err := fmt.Fprintln(s.out, finding)
		return err
	}, func(bytes int64) { progress.done.Add(bytes) })
	progress.finish()
	if err != nil {
		return err
	}
	took := time.Since(progress.start)
	_, err = fmt.Fprintf(s.out, "%s, %s with %s, %s (%s) in %s: %s\n", securitiesText(v.Documents[dataset.Security]),
		plural(v.Documents[dataset.Customer], "customer"), plural(v.Accounts, "account"), plural(v.Documents[dataset.Order], "order"),
		bytesText(float64(sum(v.Bytes))), durationText(took), plural(v.Findings, "finding"))
	if err == nil && v.Findings > 0 {
		err = fmt.Errorf("%s: %s", c.DB.path, plural(v.Findings, "finding"))
	}
	if err != nil {
		return err // a damaged file cannot be measured either
	}
	space, err := store.Space(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(s.out); err != nil {
		return err
	}
	return writeSpace(s.out, v.Documents, v.Bytes, space)
}

// storedBytes is about how large the documents in a database are.
func storedBytes(ctx context.Context, store *sqlite.Store, path string) (float64, error) {
	c, err := store.Contents(ctx)
	if err != nil {
		return 0, err
	}
	profile, err := dataset.ParseProfile(c.Profile)
	if err == nil {
		d := dataset.New(dataset.Spec{Profile: profile})
		return float64(c.Securities)*d.MeanSize(dataset.Security) + float64(c.Customers)*d.MeanSize(dataset.Customer) +
			float64(c.Orders)*d.MeanSize(dataset.Order), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return 4 * float64(info.Size()), nil
}

func securitiesText(n int64) string {
	if n == 1 {
		return "1 security"
	}
	return countText(n) + " securities"
}
