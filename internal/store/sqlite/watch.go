package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"brokerage/internal/output"
	"brokerage/internal/tpox"
)

// watchEvery is how often the store checks that its files are in place.
const watchEvery = time.Second

// An openFile is a file that the store has open, with the name that it must keep.
type openFile struct {
	path string
	info os.FileInfo
}

// watch checks the open files until stop is called. A file that was deleted or replaced can still be written to, but
// what is written is lost when the store is closed. So writes are refused until the name is again that of the open
// file.
func (s *Store) watch() (stop func(), err error) {
	files := []openFile{{s.path, s.lock.info}}
	for _, suffix := range []string{"-wal", "-shm"} { // they exist while the database is open
		info, err := os.Stat(s.path + suffix)
		if err != nil {
			return nil, err
		}
		files = append(files, openFile{s.path + suffix, info})
	}
	s.journal = files[1]
	end := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-time.After(watchEvery):
				s.checkFiles(files)
			}
		}
	})
	return func() { close(end); watching.Wait() }, nil
}

// checkFiles refuses writes while a file is not in place, and reports when that changes.
func (s *Store) checkFiles(files []openFile) {
	var gone *tpox.Unavailable
	if i := slices.IndexFunc(files, func(f openFile) bool { return !f.inPlace() }); i >= 0 {
		gone = &tpox.Unavailable{
			Cause: fmt.Errorf("%s was deleted or replaced by another file while it was in use: "+
				"writes are refused, since they would be lost when this process ends", files[i].path),
		}
	}
	switch before := s.writer.gone.Swap(gone); {
	case gone != nil && before == nil:
		s.options.Notice(gone.Cause.Error())
	case gone == nil && before != nil:
		s.options.Notice(s.path + " is in place again: writes are accepted")
	}
}

// inPlace reports whether the name is still that of the open file. It returns true when the name cannot be checked.
func (f openFile) inPlace() bool {
	now, err := os.Stat(f.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return os.SameFile(now, f.info)
}

// setAside renames the journal when another file has replaced the database. SQLite leaves the journal when it closes,
// and at the next opening would apply it to the other file. The renamed journal holds the last writes, for a
// repair of the old database. It is called when everything is closed but the lock.
func (s *Store) setAside() error {
	there, err := os.Stat(s.path)
	if err != nil || os.SameFile(there, s.lock.info) {
		return nil //nolint:nilerr // SQLite drops the journal before it makes a new file
	}
	journal := s.path + "-wal"
	if info, err := os.Stat(journal); err != nil || !s.journal.inPlace() || info.Size() == 0 {
		return nil //nolint:nilerr // there is no journal of this store
	}
	aside := journal + time.Now().UTC().Format(".20060102T150405.000000000")
	if err := os.Rename(journal, aside); err != nil {
		return err
	}
	s.options.Notice(fmt.Sprintf("the journal of the old %s is kept as %s: it holds its last writes",
		s.path, aside))
	return output.SyncFolder(filepath.Dir(s.path))
}

// Ready returns *tpox.Unavailable when a load is not finished or a file of the store is not in place.
func (s *Store) Ready(ctx context.Context) error {
	if gone := s.writer.gone.Load(); gone != nil {
		return gone
	}
	return s.Ledger.Ready(ctx)
}
