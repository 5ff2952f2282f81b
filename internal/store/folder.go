package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// A Folder holds files of documents, which are loaded in the order of their names.
type Folder struct {
	Size int64 // of all files

	path  string
	files []folderFile
}

type folderFile struct {
	name string // path in the folder
	size int64
}

// OpenFolder lists the .xml and .zst files below a folder. Any other file is an error; a hidden one only if incomplete.
func OpenFolder(path string) (f Folder, err error) {
	f.path = path
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		_, half := output.HalfOf(base)
		switch {
		case half:
			return fmt.Errorf("%s is incomplete: let the command that writes it finish, "+
				"or remove what it left when it was killed", name)
		case strings.HasPrefix(base, ".") && entry.IsDir() && name != path:
			return fs.SkipDir
		case entry.IsDir() || strings.HasPrefix(base, "."):
			return nil
		case !strings.HasSuffix(base, ".xml") && !strings.HasSuffix(base, ".zst"):
			return fmt.Errorf("%s is neither .xml nor .zst: choose another folder", name)
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a file", name)
		}
		inside, err := filepath.Rel(path, name)
		f.files = append(f.files, folderFile{inside, info.Size()})
		f.Size += info.Size()
		return err
	})
	slices.SortFunc(f.files, func(a, b folderFile) int { return strings.Compare(a.name, b.name) })
	if err == nil && len(f.files) == 0 {
		err = fmt.Errorf("%s holds no .xml or .zst files", path)
	}
	return f, err
}

// Source returns the documents of the files as the source of a load.
func (f Folder) Source() Source {
	return Source{Name: f.name(), Contents: f.contents(), Sample: f.sample, Batches: f.batches}
}

// name identifies the files by their names and sizes, so that the same files are not loaded twice.
func (f Folder) name() string {
	h := sha256.New()
	for _, file := range f.files {
		_, _ = fmt.Fprintf(h, "%q %d\n", file.name, file.size) // a hash never fails
	}
	return fmt.Sprintf("files-%x", h.Sum(nil)[:6])
}

var generatedName = regexp.MustCompile(`^([^_]+)_([^_]+)_seed-(\d+)_v(\d+)\.`)

// contents returns the dataset that the names of the files declare, zero if they declare none.
func (f Folder) contents() (c tpox.Contents) {
	first := generatedName.FindStringSubmatch(f.files[0].name)
	if len(first) == 0 || first[4] != strconv.Itoa(dataset.Version) {
		return c
	}
	for _, file := range f.files {
		if !strings.HasPrefix(file.name, first[0]) {
			return c
		}
	}
	seed, err1 := strconv.ParseUint(first[3], 10, 64)
	spec, err2 := dataset.ParseSpec(first[2], first[1], seed)
	if errors.Join(err1, err2) != nil {
		return c
	}
	return ContentsOf(dataset.New(spec))
}

// Needs estimates the bytes of the documents in an embedded database, which compresses each by itself and has keys
// and indexes: half the size of plain files, or twice the size of files compressed by zstd.
func (f Folder) Needs() float64 {
	if strings.HasSuffix(f.files[0].name, ".zst") {
		return 2 * float64(f.Size)
	}
	return float64(f.Size) / 2
}

const (
	batchDocuments = 1000
	batchBytes     = 2 << 20
)

// batches reads all files.
func (f Folder) batches(yield func(RawBatch, error) bool) {
	for _, file := range f.files {
		if !f.fileBatches(file.name, yield) {
			return
		}
	}
}

// fileBatches reads a file. It returns false if yield does, or if the opened file cannot be read to its end.
func (f Folder) fileBatches(name string, yield func(RawBatch, error) bool) bool {
	path := filepath.Join(f.path, name)
	file, err := os.Open(path)
	if err != nil {
		return yield(RawBatch{}, err)
	}
	defer func() { _ = file.Close() }() // only read
	var read, before int64              // from disk
	var in io.Reader = output.Counting{Reader: file, Bytes: &read}
	if strings.HasSuffix(name, ".zst") {
		unpacked, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return yield(RawBatch{}, fmt.Errorf("%s: %w", path, err))
		}
		defer unpacked.Close()
		in = &output.Unpacking{Reader: unpacked, Packed: &read, Most: 1000} // documents grow about tenfold
	}
	split := xmldoc.NewSplitter(in, 0)
	for ; ; before = read {
		batch, err := readBatch(split)
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			yield(batch, fmt.Errorf("%s: %w", path, err))
			return false
		}
		batch.File, batch.Bytes = path, read-before
		if !yield(batch, nil) {
			return false
		}
		if end {
			return true
		}
	}
}

// readBatch returns a batch in memory of its own, and io.EOF with the last one.
func readBatch(split *xmldoc.Splitter) (b RawBatch, err error) {
	var all []byte
	var ends []int
	for len(ends) < batchDocuments && len(all) < batchBytes {
		var p xmldoc.Piece
		if p, err = split.Next(); err != nil {
			break
		}
		if p.Blank {
			continue
		}
		if all == nil {
			all = make([]byte, 0, batchBytes+batchBytes/8)
		}
		all = append(all, p.Bytes...)
		ends = append(ends, len(all))
		b.Documents = append(b.Documents, RawDocument{Line: p.Line, Broken: p.Broken})
	}
	begin := 0
	for i, end := range ends {
		b.Documents[i].Bytes = all[begin:end:end]
		begin = end
	}
	return b, err
}

// sample returns documents of a kind from the beginnings of the files, to train the compression, and adds generated
// ones if there are too few.
func (f Folder) sample(k dataset.Kind, n int) (docs [][]byte) {
	const fromEach, enough = 500, 100
	for _, file := range f.files {
		if len(docs) >= n {
			break
		}
		most := min(n, len(docs)+fromEach)
		f.fileBatches(file.name, func(b RawBatch, _ error) bool { // the load reports the error
			for _, raw := range b.Documents {
				if len(docs) >= most {
					return false
				}
				doc, err := xmldoc.Admit(raw.Bytes, xmldoc.Limits{})
				if err != nil {
					continue
				}
				if kind, err := kindOf(doc); err != nil || kind != k {
					return false // the file is of another kind
				}
				docs = append(docs, doc)
			}
			return true
		})
	}
	if len(docs) < enough {
		d := dataset.New(dataset.Spec{Seed: 1})
		for i := range min(int64(n), d.Count(k)) {
			docs = append(docs, d.Append(nil, k, i))
		}
	}
	return docs
}
