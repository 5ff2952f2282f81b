// Package output writes the files that commands make, and reads their input files.
package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"brokerage/internal/format"
)

// A File is an output of a command, under a name that a user has chosen.
type File struct {
	Path   string
	Kind   Kind        // of existing files that it may replace or be appended to; zero for none
	New    bool        // an existing file is an error: --replace is not given
	Mode   os.FileMode // of the file that Write makes
	Inputs []string    // files that the command reads, "" for none; each may be a database
	Others []string    // further outputs of the command, "" for none
}

// Refused is the error for an output that would destroy a file, or is a folder or pipe.
type Refused struct{ Path, Reason string }

func (e *Refused) Error() string { return e.Path + " " + e.Reason }

// beside are the endings of the names of files that belong to a database.
var beside = []string{"-wal", "-shm", "-journal"}

// Check returns *Refused if the output would destroy a file that is not its predecessor: an input or another output of
// the command, by whatever name, a file that belongs to a database, or a file of another kind; also for a folder or a
// pipe. It returns another error if there is no folder for the file, or if the file exists and Kind is zero or New set.
//
// It opens no input: closing a database that the process has open would end SQLite's locks on it.
func (f File) Check() error {
	path, err := Resolve(f.Path)
	if err != nil {
		return err
	}
	for _, input := range f.Inputs {
		if input == "" {
			continue
		}
		if end, err := Resolve(input); err == nil {
			input = end
		}
		if same(path, input) {
			return &Refused{f.Path, "is a file that this command reads, and is not overwritten"}
		}
		for _, ending := range beside {
			if same(path, input+ending) {
				return &Refused{f.Path, "belongs to the database " + input + ", and is not overwritten"}
			}
		}
	}
	for _, other := range f.Others {
		if end, err := Resolve(other); other != "" && err == nil && same(path, end) {
			return &Refused{f.Path, "is named for two outputs: choose another name for one of them"}
		}
	}
	if err := NotBesideDatabase(f.Path); err != nil {
		return err
	}
	info, err := os.Lstat(f.Path)
	if err == nil && f.Kind.appended {
		info, err = os.Stat(f.Path) // it is not replaced, and may be behind a link
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case f.Kind.appended && info.Mode()&fs.ModeCharDevice != 0:
		return nil
	case f.Kind.appended && info.Mode()&fs.ModeNamedPipe != 0:
		return &Refused{f.Path, "is a pipe, whose reader could stop all writes"}
	case !info.Mode().IsRegular():
		return &Refused{f.Path, "is not a file"}
	case f.New:
		return fmt.Errorf("%s exists already: see --replace", f.Path)
	case f.Kind.is == nil:
		return fmt.Errorf("%s exists already", f.Path)
	}
	own, err := f.Kind.recognises(f.Path)
	if err == nil && !own {
		return &Refused{f.Path, "is not " + f.Kind.name + ", and is not overwritten: choose another name"}
	}
	return err
}

// same reports whether two paths without symbolic links name the same file, or would if it existed.
func same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	return a == b
}

// NotBesideDatabase returns *Refused for a file that by its name belongs to an existing database.
func NotBesideDatabase(path string) error {
	end, err := Resolve(path)
	if err != nil {
		return err
	}
	for _, ending := range beside {
		database, ok := strings.CutSuffix(end, ending)
		if info, err := os.Stat(database); ok && err == nil && info.Mode().IsRegular() {
			return &Refused{path, "belongs to the database " + database + ", and is not overwritten"}
		}
	}
	return nil
}

// half ends the name of a file until it is complete.
const half = ".partial"

// Write writes a file under a random name in the same folder, .NAME.RANDOM.partial, and gives it its name and its
// permissions when it is whole and on disk: no reader ever sees half of it, even after an interruption. What a killed
// process leaves under such a name is never read. Write returns the errors of Check.
func (f File) Write(ctx context.Context, write func(*os.File) error) error {
	if err := f.Check(); err != nil {
		return err
	}
	// Others may write to the folder too. CreateTemp opens nothing that they have planted there, link or file, because
	// O_EXCL accepts only a new file; its mode is 0600.
	out, err := os.CreateTemp(filepath.Dir(f.Path), "."+filepath.Base(f.Path)+".*"+half)
	if err != nil {
		return err
	}
	if err = write(out); err == nil {
		err = errors.Join(out.Chmod(f.Mode), out.Sync())
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = f.Check() // a file may have appeared meanwhile
	}
	err = errors.Join(err, out.Close())
	if err == nil {
		err = os.Rename(out.Name(), f.Path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return SyncFolder(filepath.Dir(f.Path))
}

// Append opens the file to append to it, and creates it for its owner alone if it does not exist. torn reports whether
// its last line is unfinished. Append returns the errors of Check.
func (f File) Append() (out *os.File, torn bool, err error) {
	if err := f.Check(); err != nil {
		return nil, false, err
	}
	mode := os.O_RDWR
	if info, err := os.Stat(f.Path); err == nil && !info.Mode().IsRegular() {
		mode = os.O_WRONLY // a device, which has no last line
	}
	out, err = os.OpenFile(f.Path, mode|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil || mode == os.O_WRONLY {
		return out, false, err
	}
	last := []byte{'\n'}
	size, err := out.Seek(0, io.SeekEnd)
	if err == nil && size > 0 {
		_, err = out.ReadAt(last, size-1)
	}
	if err != nil {
		return nil, false, errors.Join(err, out.Close())
	}
	return out, last[0] != '\n', nil
}

// Create makes the file for its owner alone, to be written bit by bit. A file that exists is an error. Create returns
// the errors of Check.
func (f File) Create() (*os.File, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	return os.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// HalfOf reports whether the name of a file is one under which Write writes until the file is whole, and returns the
// name that the file gets then.
func HalfOf(name string) (whole string, ok bool) {
	name, hidden := strings.CutPrefix(name, ".")
	name, ok = strings.CutSuffix(name, half)
	random := strings.LastIndexByte(name, '.')
	if !hidden || !ok || random < 0 {
		return "", false
	}
	return name[:random], true
}

// RequireFolder returns an error that names the folder of a file, if that folder does not exist. Without this check, an
// error would name what is made first in that folder, such as a lock.
func RequireFolder(path string) error {
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return &noFolder{path}
	}
	return nil
}

// noFolder is fs.ErrNotExist for the folder of a file.
type noFolder struct{ path string }

func (e *noFolder) Error() string { return e.path + ": there is no folder " + filepath.Dir(e.path) }
func (e *noFolder) Unwrap() error { return fs.ErrNotExist }

// Resolve returns the path that a path leads to when its symbolic links are followed, also to a file that does not
// exist.
func Resolve(path string) (string, error) {
	if err := RequireFolder(path); err != nil {
		return "", err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	const maxLinks = 40 // as in the kernel
	for at, n := path, 0; n < maxLinks; n++ {
		end, err := filepath.EvalSymlinks(at)
		if !errors.Is(err, fs.ErrNotExist) {
			return end, err
		}
		folder, err := filepath.EvalSymlinks(filepath.Dir(at))
		if err != nil {
			return "", err
		}
		at = filepath.Join(folder, filepath.Base(at))
		target, err := os.Readlink(at)
		if err != nil {
			return at, nil //nolint:nilerr // it is no link, so there is no file
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(folder, target)
		}
		at = target
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

// OpenInput opens a regular file to read it. Anything else is refused before it is opened: opening a pipe waits for a
// writer.
func OpenInput(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	return os.Open(path)
}

// ReadInput reads a regular file. The limit most is in bytes; a larger file is an error.
func ReadInput(path string, most int64) ([]byte, error) {
	file, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	return ReadAtMost(file, most)
}

// ReadAtMost is ReadInput for an open file.
func ReadAtMost(file *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is larger than %s", file.Name(), format.Bytes(most))
	}
	return text, err
}

// Counting adds the number of bytes read to *Bytes.
type Counting struct {
	io.Reader

	Bytes *int64
}

func (c Counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	*c.Bytes += int64(n)
	return n, err
}

// leastUnpacked is the number of bytes that any packed file may unpack to.
const leastUnpacked = 64 << 20

// Unpacking reads unpacked bytes. Packed is the number of packed bytes so far, as Counting counts them. It is an error
// if a file unpacks to more than Most times its size and more than 64 MiB: it may be meant to fill memory or a disk.
type Unpacking struct {
	io.Reader

	Packed *int64
	Most   int64
	read   int64
}

func (u *Unpacking) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	most := max(*u.Packed*u.Most, leastUnpacked)
	if u.read += int64(n); u.read > most {
		return 0, fmt.Errorf("it unpacks to more than %s and more than %s times its size", format.Bytes(most),
			format.Count(u.Most))
	}
	return n, err
}

// A Kind is a kind of file that commands write, and recognise by its content. An empty file is of every kind.
type Kind struct {
	name     string
	appended bool // to an existing file, which is not replaced
	is       func(head, tail string) bool
}

// The kinds of files that commands write.
var (
	// A Backup is a zstd stream that ends in the frame with its manifest.
	Backup = Kind{name: "a backup", is: func(head, tail string) bool {
		return strings.HasPrefix(head, "\x28\xB5\x2F\xFD") && strings.Contains(tail, "\x5B\x2A\x4D\x18")
	}}
	Database = Kind{name: "a database", is: begins("^SQLite format 3\x00")}
	Result   = Kind{name: "a result", is: begins(`^{\s*"format":\s*"brokerage-`)}
	Page     = Kind{name: "a report", is: begins(`(?s)^<!DOCTYPE html>.*<meta name="generator" content="brokerage">`)}
	// The first record of an AuditLog may be torn.
	AuditLog = Kind{name: "an audit log", appended: true,
		is: begins(`^{"time":"([^"]*","(client|address)":|[^\n]{0,43}(\n|$))`)}
	Tokens = Kind{name: "a file of tokens", appended: true, is: begins(`^\s*(#|[\w.@-]+:)`)}
)

func begins(pattern string) func(head, tail string) bool {
	head := regexp.MustCompile(pattern)
	return func(text, _ string) bool { return head.MatchString(text) }
}

const headBytes, tailBytes = 4 << 10, 64 << 10

// recognises reports whether a file is empty or of the kind.
func (k Kind) recognises(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err == nil, err
	}
	head, tail := make([]byte, min(info.Size(), headBytes)), make([]byte, min(info.Size(), tailBytes))
	_, err = io.ReadFull(f, head)
	if err == nil {
		_, err = f.ReadAt(tail, info.Size()-int64(len(tail)))
	}
	return err == nil && k.is(string(head), string(tail)), err
}
