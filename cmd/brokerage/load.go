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
	"brokerage/internal/store/bulk"
	"brokerage/internal/store/sqlite"
)

type loadCmd struct {
	datasetFlags

	DB       dbFlag `name:"db" required:"" placeholder:"URL" help:"The database: sqlite:PATH, made if it is not there, or postgres://… or db2://…, as the owner of its schema."`
	From     string `type:"path" placeholder:"DIR" help:"Load the files in this folder instead of generating: what generate wrote, or batch files of the TPoX kit; .zst too."`
	Validate bool   `help:"With --from: check each document against its schema as well."`
	Strict   bool   `help:"With --from: end at the first document that is refused."`
	Replace  bool   `help:"Begin with an empty database, whatever it holds."`

	bar *progress // while documents are loaded
}

// storedShare is how much of their size documents of a kind take in a database,
// with keys and indexes: some more than was measured at XXXS.
var storedShare = [...]float64{dataset.Security: 0.50, dataset.Customer: 0.30, dataset.Order: 0.45}

// journal is what a load may need beside the database.
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
	store, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer func() {
		if closed := store.Close(); err == nil {
			err = closed
		}
	}()
	if c.From != "" {
		return c.files(ctx, s, store, folder)
	}
	return c.generated(ctx, s, store)
}

// fits refuses what has no room, before a file is made for it. One that is there is
// looked into first: it may hold a part.
func (c *loadCmd) fits(folder sourceFolder) error {
	if _, err := os.Stat(c.DB.path); !c.DB.embedded() || err == nil {
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

// open opens the database, an empty one if it is to be replaced.
func (c *loadCmd) open(ctx context.Context, s streams) (bulkStore, error) {
	if c.Replace && c.DB.embedded() {
		if _, err := os.Stat(c.DB.path); err == nil {
			if err := sqlite.Remove(ctx, c.DB.path); err != nil {
				return nil, err
			}
		}
	}
	opened, err := c.DB.open(ctx, s, false)
	if err != nil {
		return nil, err
	}
	if server, ok := opened.(interface {
		Empty(ctx context.Context) error
	}); ok && c.Replace {
		if err := server.Empty(ctx); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
	}
	return opened, nil
}

// holding is what the database holds, or the load of it that is not finished.
func holding(ctx context.Context, store bulkStore) (string, error) {
	unfinished, err := store.Loading(ctx)
	if err != nil || unfinished != "" {
		return unfinished, err
	}
	there, err := store.Contents(ctx)
	return there.Fingerprint, err
}

// finished tells whether nothing is left to load.
func finished(ctx context.Context, store bulkStore) (bool, error) {
	unfinished, err := store.Loading(ctx)
	if err != nil || unfinished != "" {
		return false, err
	}
	return store.Indexed(ctx)
}

func (c *loadCmd) space(needed float64) error {
	if !c.DB.embedded() {
		return nil // the disk is the server's
	}
	if free, known := freeBytes(filepath.Dir(c.DB.path)); known && free < needed {
		return fmt.Errorf("%s needs about %s, but has %s free", filepath.Dir(c.DB.path), format.Bytes(needed), format.Bytes(free))
	}
	return nil
}

// outcome makes an ended load the error of the command.
func (c *loadCmd) outcome(ctx context.Context, err error, documents int64) error {
	if err == nil || ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	advice := "the same command continues"
	if c.Replace {
		advice += ", without --replace"
	}
	return interrupted{fmt.Sprintf("%s loaded into %s, %s", format.Plural(documents, "document"), c.DB.name(), advice)}
}

func (c *loadCmd) generated(ctx context.Context, s streams, store bulkStore) error {
	d := dataset.New(c.spec())
	there, err := holding(ctx, store)
	if err != nil {
		return err
	}
	if there != "" && there != d.Fingerprint() {
		return fmt.Errorf("%s holds %s, not %s: --replace begins with an empty database", c.DB.name(), there, d.Fingerprint())
	}
	var before, total int64
	var expected, needed float64
	for _, k := range dataset.Kinds {
		n, err := store.LoadedDocuments(ctx, k)
		if err != nil {
			return err
		}
		before, total = before+n, total+d.Count(k)
		size := float64(d.Count(k)-n) * d.MeanSize(k)
		expected, needed = expected+size, needed+size*storedShare[k]
	}
	if done, err := finished(ctx, store); err != nil {
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
	err = store.LoadDataset(ctx, d, func(documents int, bytes int64) {
		loaded += int64(documents)
		progress.done.Add(bytes)
	})
	progress.finish()
	if err != nil {
		return c.outcome(ctx, err, before+loaded)
	}
	return c.summary(ctx, s, store, d.Fingerprint(), before, loaded, time.Since(progress.start))
}

func (c *loadCmd) summary(ctx context.Context, s streams, store bulkStore, what string, before, loaded int64, took time.Duration) error {
	space, err := store.Space(ctx)
	if err != nil {
		return err
	}
	beside := ""
	if before > 0 {
		beside = fmt.Sprintf(" beside %s from before", format.Count(before))
	}
	if _, err := fmt.Fprintf(s.out, "%s: %s%s in %s (%s/s); %s is %s\n\n", what, format.Plural(loaded, "document"), beside, format.Duration(took),
		format.Count(int64(float64(loaded)/max(took.Seconds(), 1e-3))), c.DB.name(), format.Bytes(space.File)); err != nil {
		return err
	}
	return writeSpace(s.out, space.Documents, space.Raw, space)
}

func (c *loadCmd) files(ctx context.Context, s streams, store bulkStore, folder sourceFolder) error {
	there, err := holding(ctx, store)
	if err != nil {
		return err
	}
	before, err := store.LoadedFrom(ctx)
	if err != nil {
		return err
	}
	if there != "" && before.Source != folder.name() {
		return fmt.Errorf("%s holds %s, not the files in %s as they are now: --replace begins with an empty database", c.DB.name(), there, c.From)
	}
	if done, err := finished(ctx, store); err != nil {
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
	after, err := store.LoadBatches(ctx, source, func(_ int, bytes int64) { progress.done.Add(bytes) })
	progress.finish()
	if err != nil {
		return c.outcome(ctx, err, sum(after.Documents))
	}
	what := c.From
	if after.Refused > 0 {
		what += fmt.Sprintf(", %s refused", format.Count(after.Refused))
	}
	return c.summary(ctx, s, store, what, sum(before.Documents), sum(after.Documents)-sum(before.Documents), time.Since(progress.start))
}

func sum(counts [len(dataset.Kinds)]int64) (n int64) {
	for _, count := range counts {
		n += count
	}
	return n
}
