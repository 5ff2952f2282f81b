package dataset

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"brokerage/internal/output"
)

// ZstdShare is the size of a file under zstd in proportion to its documents, by kind: slightly more than was measured
// at XXXS (0.17, 0.13 and, with both profiles, at most 0.28), so that an estimated space is sufficient.
var ZstdShare = [...]float64{Security: 0.22, Customer: 0.16, Order: 0.32}

// Part is one of several equal parts of a dataset, such as 3/16, the third of sixteen.
type Part struct{ Number, Of int64 }

// UnmarshalText parses a part such as 3/16.
func (p *Part) UnmarshalText(text []byte) error {
	number, of, ok := strings.Cut(string(text), "/")
	var err1, err2 error
	p.Number, err1 = strconv.ParseInt(number, 10, 32)
	p.Of, err2 = strconv.ParseInt(of, 10, 32)
	if !ok || err1 != nil || err2 != nil || p.Number < 1 || p.Number > p.Of {
		return fmt.Errorf("%q is not a part such as 3/16", text)
	}
	return nil
}

// cut returns the part's share of count documents: [from, to). The shares of all parts cover every document once, and
// differ by at most one document.
func (p Part) cut(count int64) (from, to int64) {
	at := func(k int64) int64 { return count/p.Of*k + min(k, count%p.Of) }
	return at(p.Number - 1), at(p.Number)
}

// share is a range of documents of one kind, [from, to).
type share struct {
	kind     Kind
	from, to int64
}

// perFile is the largest number of documents in a file, 150 to 190 MB: an interruption loses about a second of work.
var perFile = [...]int64{Security: 25_000, Customer: 25_000, Order: 100_000}

// at returns the share's file that holds document i. Files begin at multiples of a fixed number of documents, or
// where a part begins.
func (s share) at(i int64) share {
	n := perFile[s.kind]
	return share{s.kind, max(s.from, i/n*n), min(s.to, (i/n+1)*n)}
}

// Files are files of consecutive documents of one kind, one a line, in a folder. The name of a file says which
// documents of which dataset it holds, so that files of different parts never collide. A file gets its name when it is
// complete:
//
//	tpox-2_XXS_seed-1_v1.order.000000100000-000000199999.xml.zst
type Files struct {
	data       *Dataset
	folder     string
	compressed bool
	prefix     string // which dataset
	suffix     string // ".xml" or ".xml.zst"
	shares     []share

	whole  map[share]bool // files that exist
	halves []string       // names of files that an earlier run left incomplete
}

// Files returns the files of a part of the dataset, of some kinds of documents or, if none is named, of all.
func (d *Dataset) Files(folder string, kinds []Kind, part Part, compressed bool) *Files {
	spec := d.Spec()
	f := &Files{
		data: d, folder: folder, compressed: compressed, suffix: ".xml",
		prefix: fmt.Sprintf("%s_%s_seed-%d_v%d", spec.Profile, spec.Scale, spec.Seed, Version),
	}
	if compressed {
		f.suffix += ".zst"
	}
	for _, kind := range Kinds {
		if len(kinds) > 0 && !slices.Contains(kinds, kind) {
			continue
		}
		if from, to := part.cut(d.Count(kind)); from < to {
			f.shares = append(f.shares, share{kind, from, to})
		}
	}
	return f
}

// Empty reports whether the part holds no document, which happens if there are more parts than documents.
func (f *Files) Empty() bool { return len(f.shares) == 0 }

func (f *Files) name(file share) string {
	return fmt.Sprintf("%s.%s.%012d-%012d%s", f.prefix, file.kind, file.from, file.to-1, f.suffix)
}

// Survey makes the folder if there is none, and returns the number of the part's complete files in it, the expected
// bytes of the missing documents, and the space on disk that they need. Anything in the folder but files of this
// dataset, and files of another division that overlap the part, are an error: they would be loaded together.
func (f *Files) Survey() (whole int64, bytes, needed float64, err error) {
	if err := os.MkdirAll(f.folder, 0o777); err != nil {
		return 0, 0, 0, err
	}
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return 0, 0, 0, err
	}
	names := regexp.MustCompile(
		`^` + regexp.QuoteMeta(f.prefix) + `\.([a-z]+)\.(\d{12})-(\d{12})` + regexp.QuoteMeta(f.suffix) + `$`)
	f.whole = make(map[share]bool)
	for _, entry := range entries {
		name := entry.Name()
		finished, half := output.HalfOf(name)
		if half {
			name = finished
		}
		file, ok := parse(names.FindStringSubmatch(name))
		if !ok || !entry.Type().IsRegular() {
			return 0, 0, 0, fmt.Errorf("%s holds %s, which is not a file of this dataset: choose another folder", f.folder,
				entry.Name())
		}
		for _, s := range f.shares {
			if s.kind != file.kind || file.to <= s.from || file.from >= s.to {
				continue
			}
			if file != s.at(max(file.from, s.from)) {
				return 0, 0, 0, fmt.Errorf("%s holds %s, which was written with another --part: choose another folder",
					f.folder, entry.Name())
			}
			if half {
				f.halves = append(f.halves, entry.Name())
			} else {
				f.whole[file] = true
			}
		}
	}
	for _, s := range f.shares {
		n := s.to - s.from
		for file := range f.whole {
			if file.kind == s.kind {
				n -= file.to - file.from
			}
		}
		size := float64(n) * f.data.MeanSize(s.kind)
		bytes += size
		if f.compressed {
			size *= ZstdShare[s.kind]
		}
		needed += size
	}
	return int64(len(f.whole)), bytes, needed, nil
}

// parse returns the kind and range of a file from the submatches of its name; ok is false if they are nil or invalid.
func parse(m []string) (file share, ok bool) {
	if m == nil {
		return file, false
	}
	kind, err := ParseKind(m[1])
	from, _ := strconv.ParseInt(m[2], 10, 64)
	last, _ := strconv.ParseInt(m[3], 10, 64)
	return share{kind, from, last + 1}, err == nil && from <= last
}

// Written counts what Write has written. Bytes are those of the lines, before compression.
type Written struct{ Files, Documents, Bytes int64 }

// Write writes the files that Survey has not found, with the given number of workers. They call progress concurrently,
// with the bytes of each line. Write ends at the first error, or when the context is done; files that are complete by
// then stay.
func (f *Files) Write(ctx context.Context, workers int, progress func(bytes int)) (all Written, err error) {
	for _, name := range f.halves {
		if err := os.Remove(filepath.Join(f.folder, name)); err != nil {
			return all, err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan share)
	var mu sync.Mutex // guards all
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			w, err := f.newWriter(progress)
			for file := range jobs {
				var size int64
				if err == nil && ctx.Err() == nil {
					if size, err = w.write(ctx, file); err == nil {
						mu.Lock()
						all.Files, all.Documents, all.Bytes = all.Files+1, all.Documents+file.to-file.from, all.Bytes+size
						mu.Unlock()
					}
				}
				if err != nil {
					cancel(err) // the first one is the cause
				}
			}
		})
	}
	for _, s := range f.shares {
		for i := s.from; i < s.to && ctx.Err() == nil; {
			file := s.at(i)
			i = file.to
			if !f.whole[file] {
				jobs <- file
			}
		}
	}
	close(jobs)
	wg.Wait()
	return all, context.Cause(ctx)
}

// fileWriter writes the files of one worker.
type fileWriter struct {
	*Files

	progress func(bytes int)
	document []byte
	buffer   *bufio.Writer
	encoder  *zstd.Encoder
}

func (f *Files) newWriter(progress func(bytes int)) (w *fileWriter, err error) {
	w = &fileWriter{Files: f, progress: progress, buffer: bufio.NewWriterSize(nil, 256<<10)}
	if f.compressed {
		// Workers run concurrently already, and a larger window than some hundred documents compresses no better.
		w.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	}
	return w, err
}

// write writes one file, which gets its name when it is complete and on disk, and returns the size of its lines.
func (w *fileWriter) write(ctx context.Context, file share) (size int64, err error) {
	path := filepath.Join(w.folder, w.name(file))
	err = output.File{Path: path, Mode: output.Shared}.Write(ctx, func(f *os.File) error {
		size, err = w.fill(ctx, f, file)
		return err
	})
	return size, err
}

func (w *fileWriter) fill(ctx context.Context, f *os.File, file share) (size int64, err error) {
	w.buffer.Reset(f)
	var out io.Writer = w.buffer
	if w.compressed {
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
		w.progress(len(w.document))
	}
	if w.compressed {
		if err := w.encoder.Close(); err != nil {
			return size, err
		}
	}
	return size, w.buffer.Flush()
}
