package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
)

// dataFile is a file of consecutive documents of one kind, one a line. Its name says which documents of which dataset
// it holds, so that files of different parts never collide. A file that has its name is complete:
//
//	tpox-2_XXS_seed-1_v1.order.000000100000-000000199999.xml.zst
//
// Files begin at multiples of a fixed number of documents, or where a part begins.
type dataFile struct {
	kind     dataset.Kind
	from, to int64 // documents [from, to)
}

// perFile is the number of documents in a file, over a hundred megabytes: an interruption loses about a second of work.
var perFile = [...]int64{dataset.Security: 25_000, dataset.Customer: 25_000, dataset.Order: 100_000}

// fileAt returns the file of a share [from, to) that holds document i.
func fileAt(kind dataset.Kind, from, to, i int64) dataFile {
	n := perFile[kind]
	return dataFile{kind, max(from, i/n*n), min(to, (i/n+1)*n)}
}

// dataFolder is a folder of files of one dataset.
type dataFolder struct {
	path   string
	prefix string // which dataset
	suffix string // ".xml" or ".xml.zst"
	parse  *regexp.Regexp
}

func newDataFolder(path string, spec dataset.Spec, compressed bool) dataFolder {
	f := dataFolder{
		path:   path,
		prefix: fmt.Sprintf("%s_%s_seed-%d_v%d", spec.Profile, spec.Scale, spec.Seed, dataset.Version),
		suffix: ".xml",
	}
	if compressed {
		f.suffix += ".zst"
	}
	f.parse = regexp.MustCompile(
		`^` + regexp.QuoteMeta(f.prefix) + `\.([a-z]+)\.(\d{12})-(\d{12})` + regexp.QuoteMeta(f.suffix) + `$`)
	return f
}

func (f dataFolder) name(file dataFile) string {
	return fmt.Sprintf("%s.%s.%012d-%012d%s", f.prefix, file.kind, file.from, file.to-1, f.suffix)
}

// survey returns the complete files of the folder, and the names of those that an earlier run left incomplete. Anything
// else in the folder is an error: files of another dataset, or of another division of this one, would be loaded
// together with these.
func (f dataFolder) survey(shares []share) (whole map[dataFile]bool, halves []string, err error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, nil, err
	}
	whole = make(map[dataFile]bool)
	for _, entry := range entries {
		name := entry.Name()
		finished, half := output.HalfOf(name)
		if half {
			name = finished
		}
		file, ok := f.file(name)
		if !ok || !entry.Type().IsRegular() {
			return nil, nil, fmt.Errorf("%s holds %s, which is not a file of this dataset: choose another folder", f.path,
				entry.Name())
		}
		for _, s := range shares {
			if s.kind != file.kind || file.to <= s.from || file.from >= s.to {
				continue
			}
			if file != fileAt(s.kind, s.from, s.to, max(file.from, s.from)) {
				return nil, nil, fmt.Errorf("%s holds %s, which is of another division into parts: choose another folder", f.path,
					entry.Name())
			}
			if half {
				halves = append(halves, entry.Name())
			} else {
				whole[file] = true
			}
		}
	}
	return whole, halves, nil
}

func (f dataFolder) file(name string) (file dataFile, ok bool) {
	m := f.parse.FindStringSubmatch(name)
	if m == nil {
		return file, false
	}
	kind, err := dataset.ParseKind(m[1])
	from, _ := strconv.ParseInt(m[2], 10, 64)
	last, _ := strconv.ParseInt(m[3], 10, 64)
	return dataFile{kind, from, last + 1}, err == nil && from <= last
}
