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
)

//nolint:lll // a help text is one string
type loadCmd struct {
	datasetFlags

	DB         dbFlag `name:"db" required:"" placeholder:"URL" help:"Database: sqlite:PATH (created if missing), postgres://USER@HOST/DATABASE or db2://USER@HOST:PORT/DATABASE; USER must own the schema."`
	From       string `type:"path" placeholder:"DIR" help:"Folder of files to load instead of generating documents: written by brokerage generate, or batch files of the TPoX kit, .xml or .zst. Default: generate the dataset of --scale, --profile and --seed."`
	Validate   bool   `help:"With --from: also validate each document against its schema. Default: only well-formedness and keys are checked."`
	Strict     bool   `help:"With --from: stop at the first document that is refused. Default: it is reported and left out."`
	NotDurable bool   `help:"With sqlite: accept settings in the URL with which a power failure may take back acknowledged writes, such as sqlite:PATH?synchronous=off. Default: refused."`
	Replace    bool   `help:"Before loading, delete everything in the database. Default: an error if it holds another dataset, or a load that was not finished."`

	bar *progress // while documents are loaded
}

// storedShare is the space of documents in a database, with keys and indexes, in proportion to their size, by kind:
// slightly more than was measured at XXXS.
var storedShare = [...]float64{dataset.Security: 0.50, dataset.Customer: 0.30, dataset.Order: 0.45}

// mostRefusals is the largest number of refused documents that a load names.
const mostRefusals = 100

// journal is the space in bytes that a load may need in addition to the database.
const journal = 100e6

func (c *loadCmd) Run(ctx context.Context, s streams) (err error) {
	if c.From == "" && (c.Validate || c.Strict) {
		return usagef("--validate and --strict require --from: generated documents are valid")
	}
	if err := c.DB.RequireDurable(c.NotDurable); err != nil {
		return usagef("--db: %w", err)
	}
	var folder store.Folder
	if c.From != "" { // before a database is made, or emptied
		if folder, err = store.OpenFolder(c.From); err != nil {
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
	defer func() { err = errors.Join(err, db.Close()) }()
	if c.From != "" {
		return c.files(ctx, s, db, folder)
	}
	return c.generated(ctx, s, db)
}

// fits returns an error if a database that does not exist yet has no space on its disk. An existing one is checked
// after it is opened, since it may hold the dataset already.
func (c *loadCmd) fits(folder store.Folder) error {
	if _, err := os.Stat(c.DB.Path()); !c.DB.embedded() || err == nil {
		return nil
	}
	if c.From != "" {
		return c.space(folder.Needs())
	}
	_, needed := sizeOf(dataset.New(c.spec()))
	return c.space(needed)
}

// sizeOf returns the bytes of all documents of a dataset, and the bytes that a database of them needs.
func sizeOf(d *dataset.Dataset) (bytes, needed float64) {
	for _, k := range dataset.Kinds {
		size := float64(d.Count(k)) * d.MeanSize(k)
		bytes, needed = bytes+size, needed+size*storedShare[k]
	}
	return bytes, needed
}

// open opens the database. With --replace it empties the database first.
func (c *loadCmd) open(ctx context.Context, s streams) (store.Bulk, error) {
	if !c.Replace {
		return c.DB.open(ctx, s, false)
	}
	opened, err := c.DB.Empty(ctx, c.DB.options(s, false))
	return opened, c.DB.named(err)
}

// space returns an error if the disk of an embedded database has no room for the needed bytes and the journal.
func (c *loadCmd) space(needed float64) error {
	if !c.DB.embedded() {
		return nil // a server has its own disk
	}
	return requireSpace(filepath.Dir(c.DB.Path()), needed+journal)
}

// loading is a load into an open database, of generated documents or of files.
type loading struct {
	name, now     string // what is loaded, and a suffix to it, in messages
	same          func(held string) bool
	bytes, needed float64 // bytes to load, and the space that they take
	// run loads, and returns what was loaded, in words, and how many documents.
	run func() (what string, documents int64, err error)
}

func (c *loadCmd) load(ctx context.Context, s streams, db store.Bulk, l loading) error {
	unfinished, err := db.Loading(ctx)
	if err == nil && unfinished != "" {
		err = fmt.Errorf("%s: %w", c.DB.name(), store.Unfinished(unfinished))
	}
	if err != nil {
		return err
	}
	contents, err := db.Contents(ctx)
	switch held := contents.Fingerprint; {
	case err != nil:
		return err
	case held != "" && l.same(held):
		_, err := fmt.Fprintf(s.out, "nothing to do: %s holds %s, database %s\n", c.DB.name(), l.name,
			db.Describe().Identity)
		return err
	case held != "":
		return fmt.Errorf("%s holds %s, not %s%s: --replace empties the database first", c.DB.name(), held, l.name, l.now)
	}
	if err := c.space(l.needed); err != nil {
		return err
	}
	c.bar = startProgress(s.err, l.bytes)
	what, documents, err := l.run()
	c.bar.finish()
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitError{exitInterrupted, fmt.Errorf("interrupted: %s loaded into %s: load --replace starts again",
			format.Plural(documents, "document"), c.DB.name())}
	}
	if err != nil {
		return err
	}
	return c.summary(ctx, s, db, what, documents, time.Since(c.bar.start))
}

func (c *loadCmd) generated(ctx context.Context, s streams, db store.Bulk) error {
	d := dataset.New(c.spec())
	bytes, needed := sizeOf(d)
	return c.load(ctx, s, db, loading{
		name: d.Fingerprint(), same: func(held string) bool { return held == d.Fingerprint() },
		bytes: bytes, needed: needed,
		run: func() (string, int64, error) {
			documents := int64(0)
			err := db.LoadDataset(ctx, d, func(n int, bytes int64) {
				documents += int64(n)
				c.bar.done.Add(bytes)
			})
			return d.Fingerprint(), documents, err
		},
	})
}

func (c *loadCmd) files(ctx context.Context, s streams, db store.Bulk, folder store.Folder) error {
	last, err := db.LoadedFrom(ctx)
	if err != nil {
		return err
	}
	refused := 0
	source := folder.Source()
	source.Validate = c.Validate
	source.Refused = func(file string, line int, err error) error {
		if c.Strict {
			return fmt.Errorf("%s:%d: %w", file, line, err)
		}
		switch refused++; {
		case refused <= mostRefusals:
			c.bar.aside(func() { fmt.Fprintf(s.err, "%s:%d: %v\n", file, line, err) })
		case refused == mostRefusals+1:
			c.bar.aside(func() { s.notice("further documents that are refused are only counted") })
		}
		return nil
	}
	return c.load(ctx, s, db, loading{
		name: "the files in " + c.From, now: " as they are now",
		same:  func(string) bool { return last.Source == source.Name },
		bytes: float64(folder.Size), needed: folder.Needs(),
		run: func() (string, int64, error) {
			loaded, err := db.LoadBatches(ctx, source, func(_ int, bytes int64) { c.bar.done.Add(bytes) })
			what := c.From
			if loaded.Refused > 0 {
				what += fmt.Sprintf(", %s refused", format.Count(loaded.Refused))
			}
			return what, sum(loaded.Documents), err
		},
	})
}

func (c *loadCmd) summary(
	ctx context.Context, s streams, db store.Bulk, what string, loaded int64, took time.Duration,
) error {
	space, err := db.Space(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.out, "%s: %s in %s (%s/s); %s is %s, database %s\n\n",
		what, format.Plural(loaded, "document"),
		format.Duration(took), format.Count(int64(float64(loaded)/max(took.Seconds(), 1e-3))), c.DB.name(),
		format.Bytes(space.File), db.Describe().Identity); err != nil {
		return err
	}
	return writeSpace(s.out, space.Documents, space.Raw, space)
}

func sum(counts [len(dataset.Kinds)]int64) (n int64) {
	for _, count := range counts {
		n += count
	}
	return n
}
