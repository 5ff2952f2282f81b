package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
	"brokerage/internal/store"
	"brokerage/internal/store/bulk"
)

//nolint:lll // a help text is one string
type loadCmd struct {
	datasetFlags

	DB       dbFlag `name:"db" required:"" placeholder:"URL" help:"Database: sqlite:PATH, created if it does not exist, or postgres://… or db2://…, as the role that owns its schema."`
	From     string `type:"path" placeholder:"DIR" help:"Folder of files to load instead of generating documents: written by generate, or batch files of the TPoX kit, .xml or .zst."`
	Validate bool   `help:"With --from: validate each document against its schema. Default: only parsed."`
	Strict   bool   `help:"With --from: stop at the first document that is refused. Default: it is reported and left out."`
	Replace  bool   `help:"Delete what the database holds first. Default: an error if it holds another dataset."`

	bar *progress // while documents are loaded
}

// storedShare is the space of documents in a database, with keys and indexes, in proportion to their size, by kind:
// slightly more than was measured at XXXS.
var storedShare = [...]float64{dataset.Security: 0.50, dataset.Customer: 0.30, dataset.Order: 0.45}

// journal is the space in bytes that a load may need in addition to the database.
const journal = 100e6

func (c *loadCmd) Run(ctx context.Context, s streams) (err error) {
	if c.From == "" && (c.Validate || c.Strict) {
		return usagef("--validate and --strict are for --from: what is generated is valid")
	}
	var folder sourceFolder
	if c.From != "" { // before a database is made, or emptied
		if folder, err = surveyFiles(c.From); err != nil {
			return err
		}
	}
	if err := c.fits(folder); err != nil {
		return err
	}
	c.DB.doing = func(what string) { c.bar.doing(what) }
	db, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer func() {
		if closed := db.Close(); err == nil {
			err = closed
		}
	}()
	if c.From != "" {
		return c.files(ctx, s, db, folder)
	}
	return c.generated(ctx, s, db)
}

// fits returns an error if a database that does not exist yet has no room on its disk. An existing one is opened first,
// since it may hold a part of the dataset.
func (c *loadCmd) fits(folder sourceFolder) error {
	if _, err := os.Stat(c.DB.Path()); !c.DB.embedded() || err == nil {
		return nil
	}
	if c.From != "" {
		return c.space(float64(folder.needs(bulk.Loaded{}.Position)) + journal)
	}
	d, needed := dataset.New(c.spec()), journal
	for _, k := range dataset.Kinds {
		needed += float64(d.Count(k)) * d.MeanSize(k) * storedShare[k]
	}
	return c.space(needed)
}

// open opens the database, without what it held if it is to be replaced.
func (c *loadCmd) open(ctx context.Context, s streams) (store.Bulk, error) {
	if !c.Replace {
		return c.DB.open(ctx, s, false)
	}
	opened, err := c.DB.Empty(ctx, c.DB.options(s, false))
	return opened, c.DB.named(err)
}

// finished reports whether nothing is left to load.
func finished(ctx context.Context, db store.Bulk) (bool, error) {
	unfinished, err := db.Loading(ctx)
	if err != nil || unfinished != "" {
		return false, err
	}
	return db.Indexed(ctx)
}

func (c *loadCmd) space(needed float64) error {
	if !c.DB.embedded() {
		return nil // the server has the disk
	}
	if free, known := freeBytes(filepath.Dir(c.DB.Path())); known && free < needed {
		return fmt.Errorf("%s needs about %s, but has %s free", filepath.Dir(c.DB.Path()), format.Bytes(needed),
			format.Bytes(free))
	}
	return nil
}

// outcome returns the error of the command for the error of a load.
func (c *loadCmd) outcome(ctx context.Context, err error, documents int64) error {
	if err == nil || ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	advice := "the same command continues"
	if c.Replace {
		advice += ", without --replace"
	}
	return exitError{exitInterrupted, fmt.Errorf("interrupted: %s loaded into %s, %s",
		format.Plural(documents, "document"), c.DB.name(), advice)}
}

func (c *loadCmd) generated(ctx context.Context, s streams, db store.Bulk) error {
	d := dataset.New(c.spec())
	there, err := store.Holds(ctx, db)
	if err != nil {
		return err
	}
	if there != "" && there != d.Fingerprint() {
		return fmt.Errorf("%s holds %s, not %s: --replace begins with an empty database", c.DB.name(), there, d.Fingerprint())
	}
	var before, total int64
	var expected, needed float64
	for _, k := range dataset.Kinds {
		n, err := db.LoadedDocuments(ctx, k)
		if err != nil {
			return err
		}
		before, total = before+n, total+d.Count(k)
		size := float64(d.Count(k)-n) * d.MeanSize(k)
		expected, needed = expected+size, needed+size*storedShare[k]
	}
	if done, err := finished(ctx, db); err != nil {
		return err
	} else if done && before == total {
		_, err := fmt.Fprintf(s.out, "nothing to do: %s holds %s\n", c.DB.name(), d.Fingerprint())
		return err
	}
	if err := c.space(needed + journal); err != nil {
		return err
	}
	progress := startProgress(s.err, expected)
	c.bar = progress
	loaded := int64(0)
	err = db.LoadDataset(ctx, d, func(documents int, bytes int64) {
		loaded += int64(documents)
		progress.done.Add(bytes)
	})
	progress.finish()
	if err != nil {
		return c.outcome(ctx, err, before+loaded)
	}
	return c.summary(ctx, s, db, d.Fingerprint(), before, loaded, time.Since(progress.start))
}

func (c *loadCmd) summary(
	ctx context.Context, s streams, db store.Bulk, what string, before, loaded int64, took time.Duration,
) error {
	space, err := db.Space(ctx)
	if err != nil {
		return err
	}
	beside := ""
	if before > 0 {
		beside = fmt.Sprintf(" beside %s from before", format.Count(before))
	}
	if _, err := fmt.Fprintf(s.out, "%s: %s%s in %s (%s/s); %s is %s\n\n", what, format.Plural(loaded, "document"), beside,
		format.Duration(took),
		format.Count(int64(float64(loaded)/max(took.Seconds(), 1e-3))), c.DB.name(), format.Bytes(space.File)); err != nil {
		return err
	}
	return writeSpace(s.out, space.Documents, space.Raw, space)
}

func (c *loadCmd) files(ctx context.Context, s streams, db store.Bulk, folder sourceFolder) error {
	there, err := store.Holds(ctx, db)
	if err != nil {
		return err
	}
	before, err := db.LoadedFrom(ctx)
	if err != nil {
		return err
	}
	if there != "" && before.Source != folder.name() {
		return fmt.Errorf("%s holds %s, not the files in %s as they are now: --replace begins with an empty database",
			c.DB.name(), there, c.From)
	}
	if done, err := finished(ctx, db); err != nil {
		return err
	} else if done && before.Done {
		_, err := fmt.Fprintf(s.out, "nothing to do: %s holds the files in %s\n", c.DB.name(), c.From)
		return err
	}
	expected := folder.size - folder.upTo(before.Position)
	if err := c.space(float64(folder.needs(before.Position)) + journal); err != nil {
		return err
	}
	progress := startProgress(s.err, float64(expected))
	c.bar = progress
	source := bulk.Source{
		Name:     folder.name(),
		Contents: folder.contents(),
		Sample:   folder.sample,
		Batches:  folder.batches,
		Validate: c.Validate,
		Refused: func(file string, line int, err error) error {
			if c.Strict {
				return fmt.Errorf("%s:%d: %w", file, line, err)
			}
			progress.aside(func() { fmt.Fprintf(s.err, "%s:%d: %v\n", file, line, err) })
			return nil
		},
	}
	after, err := db.LoadBatches(ctx, source, func(_ int, bytes int64) { progress.done.Add(bytes) })
	progress.finish()
	if err != nil {
		return c.outcome(ctx, err, sum(after.Documents))
	}
	what := c.From
	if after.Refused > 0 {
		what += fmt.Sprintf(", %s refused", format.Count(after.Refused))
	}
	return c.summary(ctx, s, db, what, sum(before.Documents), sum(after.Documents)-sum(before.Documents),
		time.Since(progress.start))
}

func sum(counts [len(dataset.Kinds)]int64) (n int64) {
	for _, count := range counts {
		n += count
	}
	return n
}
