package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
	"brokerage/internal/output"
)

//nolint:lll // a help text is one string
type generateCmd struct {
	datasetFlags

	Kind     []kindFlag `placeholder:"KIND" help:"Kinds of documents to write: security, customer, order. Default: all."`
	Part     partFlag   `default:"1/1" placeholder:"N/M" help:"Write only part N of M equal parts, so that M machines can share the work. Default: 1/1."`
	Out      string     `required:"" type:"path" placeholder:"DIR" help:"Folder for the files, created if it does not exist."`
	Compress string     `enum:"none,zstd" default:"none" placeholder:"HOW" help:"Compression of the files: zstd or none. Default: none."`
	Workers  int        `placeholder:"N" range:"0..1024" help:"Number of files written at once; 0 is one per processor. Default: 0."`
}

// share is a range of documents of one kind, [from, to), that a run writes.
type share struct {
	kind     dataset.Kind
	from, to int64
}

// zstdShare is the size of a file under zstd in proportion to its documents, by kind: slightly more than was measured
// at XXXS (0.19, 0.13 and, with both profiles, at most 0.28), so that the estimated space is sufficient.
var zstdShare = [...]float64{dataset.Security: 0.22, dataset.Customer: 0.16, dataset.Order: 0.32}

func (c *generateCmd) Run(ctx context.Context, s streams) error {
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	g := generation{
		data:   dataset.New(c.spec()),
		folder: newDataFolder(c.Out, c.spec(), c.Compress == "zstd"),
		zstd:   c.Compress == "zstd",
	}
	shares := c.shares(g.data)
	if len(shares) == 0 { // more parts than documents, so the last parts are empty: no error
		_, err := fmt.Fprintf(s.out, "nothing to do: part %d/%d holds no document\n", c.Part.number, c.Part.of)
		return err
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	whole, halves, err := g.folder.survey(shares)
	if err != nil {
		return err
	}
	expected, needed := g.remaining(shares, whole)
	if err := requireSpace(c.Out, needed); err != nil {
		return err
	}
	for _, name := range halves {
		if err := os.Remove(filepath.Join(c.Out, name)); err != nil {
			return err
		}
	}
	g.progress = startProgress(s.err, expected)
	err = g.run(ctx, c.Workers, shares, whole)
	g.progress.finish()
	return c.summary(ctx, s, &g, int64(len(whole)), err)
}

// shares returns the documents of each kind that the flags ask for.
func (c *generateCmd) shares(data *dataset.Dataset) (shares []share) {
	for _, kind := range dataset.Kinds {
		if len(c.Kind) > 0 && !slices.Contains(c.Kind, kindFlag{kind}) {
			continue
		}
		if from, to := c.Part.cut(data.Count(kind)); from < to {
			shares = append(shares, share{kind, from, to})
		}
	}
	return shares
}

// summary prints what a run wrote beside the files that existed before, or returns its error.
func (c *generateCmd) summary(ctx context.Context, s streams, g *generation, before int64, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return exitError{exitInterrupted, fmt.Errorf("interrupted: %s complete in %s, the same command continues there",
			format.Plural(before+g.files, "file"), c.Out)}
	}
	if err != nil {
		return err
	}
	if g.files == 0 {
		_, err = fmt.Fprintf(s.out, "nothing to do: %s already in %s\n", format.Plural(before, "file"), c.Out)
		return err
	}
	took := time.Since(g.progress.start)
	beside := ""
	if before > 0 {
		beside = fmt.Sprintf(", in addition to %s from before", format.Count(before))
	}
	_, err = fmt.Fprintf(s.out, "%s, %s, in %s%s in %s: %s, %s\n",
		format.Plural(g.documents, "document"), format.Bytes(g.bytes), format.Plural(g.files, "file"), beside, c.Out,
		format.Duration(took), format.ByteRate(g.bytes, took))
	return err
}

// generation is a run, in which each worker writes one file at a time.
type generation struct {
	data     *dataset.Dataset
	folder   dataFolder
	zstd     bool
	progress *progress

	mu                      sync.Mutex
	files, documents, bytes int64
}

// remaining returns the size of the documents that are not in whole files yet, and the space that they need.
func (g *generation) remaining(shares []share, whole map[dataFile]bool) (bytes, needed float64) {
	for _, s := range shares {
		n := s.to - s.from
		for file := range whole {
			if file.kind == s.kind {
				n -= file.to - file.from
			}
		}
		size := float64(n) * g.data.MeanSize(s.kind)
		bytes += size
		if g.zstd {
			size *= zstdShare[s.kind]
		}
		needed += size
	}
	return bytes, needed
}

func (g *generation) run(ctx context.Context, workers int, shares []share, whole map[dataFile]bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan dataFile)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			w, err := g.newWriter()
			for file := range jobs {
				if err == nil && ctx.Err() == nil {
					err = w.write(ctx, file)
				}
				if err != nil {
					cancel(err) // the first one is the cause
				}
			}
		})
	}
	for _, s := range shares {
		for i := s.from; i < s.to && ctx.Err() == nil; {
			file := fileAt(s.kind, s.from, s.to, i)
			i = file.to
			if !whole[file] {
				jobs <- file
			}
		}
	}
	close(jobs)
	wg.Wait()
	return context.Cause(ctx)
}

// fileWriter writes the files of one worker.
type fileWriter struct {
	*generation
	document []byte
	buffer   *bufio.Writer
	encoder  *zstd.Encoder
}

func (g *generation) newWriter() (*fileWriter, error) {
	w := &fileWriter{generation: g, buffer: bufio.NewWriterSize(nil, 256<<10)}
	if g.zstd {
		var err error
		// Workers run concurrently already, and a larger window than some hundred documents compresses no better.
		w.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// write writes one file, which gets its name when it is complete and on disk.
func (w *fileWriter) write(ctx context.Context, file dataFile) (err error) {
	var size int64
	path := filepath.Join(w.folder.path, w.folder.name(file))
	err = output.File{Path: path, Mode: output.Shared}.Write(ctx, func(f *os.File) error {
		size, err = w.fill(ctx, f, file)
		return err
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files++
	w.documents += file.to - file.from
	w.bytes += size
	return nil
}

func (w *fileWriter) fill(ctx context.Context, f *os.File, file dataFile) (size int64, err error) {
	w.buffer.Reset(f)
	var out io.Writer = w.buffer
	if w.zstd {
		w.encoder.Reset(w.buffer)
		out = w.encoder
	}
	for i := file.from; i < file.to; i++ {
		if ctx.Err() != nil {
			return size, ctx.Err()
		}
		w.document = append(w.data.Append(w.document[:0], file.kind, i), '\n')
		if _, err := out.Write(w.document); err != nil {
			return size, err
		}
		size += int64(len(w.document))
		w.progress.done.Add(int64(len(w.document)))
	}
	if w.zstd {
		if err := w.encoder.Close(); err != nil {
			return size, err
		}
	}
	return size, w.buffer.Flush()
}
