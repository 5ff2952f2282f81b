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
)

//nolint:lll // a help text is one string
type generateCmd struct {
	datasetFlags

	Kind     []kindFlag `placeholder:"KIND" help:"Kinds of documents to write: security, customer, order. Default: all."`
	Part     partFlag   `default:"1/1" placeholder:"N/M" help:"Write only part N of M equal parts, so that M machines can share the work. Default: 1/1."`
	Out      string     `required:"" type:"path" placeholder:"DIR" help:"Folder for the files, created if it does not exist."`
	Compress string     `enum:"none,zstd" default:"none" placeholder:"HOW" help:"Compression of the files: zstd or none. Default: none."`
	Workers  int        `placeholder:"N" range:"0..1024" help:"Number of files written at once. Default: one for each processor."`
}

// share is what a run is to write of one kind: documents [from, to).
type share struct {
	kind     dataset.Kind
	from, to int64
}

// zstdShare is how much of its size a file keeps under zstd, by kind: some more than was measured at XXXS (0.19, 0.13
// and, of either profile, at most 0.28), so that whoever has the space foreseen here has enough.
var zstdShare = [...]float64{dataset.Security: 0.22, dataset.Customer: 0.16, dataset.Order: 0.32}

func (c *generateCmd) Run(ctx context.Context, s streams) error {
	if c.Workers < 0 {
		return usagef("--workers must be positive")
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	g := generation{
		data:   dataset.New(c.spec()),
		folder: newDataFolder(c.Out, c.spec(), c.Compress == "zstd"),
		zstd:   c.Compress == "zstd",
	}
	var shares []share
	for _, kind := range dataset.Kinds {
		if len(c.Kind) > 0 && !slices.Contains(c.Kind, kindFlag{kind}) {
			continue
		}
		if from, to := c.Part.cut(g.data.Count(kind)); from < to {
			shares = append(shares, share{kind, from, to})
		}
	}
	if len(shares) == 0 { // more parts than documents: right for the last of many machines
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
	var expected, space float64
	var there int64
	for _, s := range shares {
		n := s.to - s.from
		for file := range whole {
			if file.kind == s.kind {
				n -= file.to - file.from
				there++
			}
		}
		bytes := float64(n) * g.data.MeanSize(s.kind)
		expected += bytes
		if g.zstd {
			bytes *= zstdShare[s.kind]
		}
		space += bytes
	}
	if free, known := freeBytes(c.Out); known && free < space {
		return fmt.Errorf("%s needs about %s, but has %s free", c.Out, format.Bytes(space), format.Bytes(free))
	}
	for _, name := range halves {
		if err := os.Remove(filepath.Join(c.Out, name)); err != nil {
			return err
		}
	}

	g.progress = startProgress(s.err, expected)
	err = g.run(ctx, c.Workers, shares, whole)
	g.progress.finish()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return interrupted{fmt.Sprintf(
			"%s complete in %s, the same command continues there", format.Plural(there+g.files, "file"), c.Out,
		)}
	}
	if err != nil {
		return err
	}
	took := time.Since(g.progress.start)
	if g.files == 0 {
		_, err = fmt.Fprintf(s.out, "nothing to do: %s already in %s\n", format.Plural(there, "file"), c.Out)
		return err
	}
	before := ""
	if there > 0 {
		before = fmt.Sprintf(" beside %s from before", format.Count(there))
	}
	_, err = fmt.Fprintf(s.out, "%s, %s, in %s%s in %s: %s, %s\n",
		format.Plural(g.documents, "document"), format.Bytes(g.bytes), format.Plural(g.files, "file"), before, c.Out,
		format.Duration(took), format.ByteRate(g.bytes, took))
	return err
}

// generation is one run: workers that each write a whole file at a time.
type generation struct {
	data     *dataset.Dataset
	folder   dataFolder
	zstd     bool
	progress *progress

	mu                      sync.Mutex
	files, documents, bytes int64
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
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return syncFolder(g.folder.path)
}

// fileWriter is what a worker keeps from file to file.
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
		// Workers run beside each other already, and a window of some hundred documents finds what there is to find.
		w.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// write makes one file. It gets its name only once it is whole and on disk.
func (w *fileWriter) write(ctx context.Context, file dataFile) (err error) {
	name := w.folder.name(file)
	temporary := filepath.Join(w.folder.path, "."+name+partial)
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// The first error is the one to tell; the file may be closed already.
			_ = f.Close()
			_ = os.Remove(temporary)
		}
	}()

	size, err := w.fill(ctx, f, file)
	if err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(temporary, filepath.Join(w.folder.path, name)); err != nil {
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

// syncFolder makes the names of new files as durable as the files.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
