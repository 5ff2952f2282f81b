package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/archive"
)

// watchEvery is how often the store looks whether its files are still there.
const watchEvery = time.Second

// An openFile is a file that the store has open, and the name that it must keep.
type openFile struct {
	path string
	info os.FileInfo
}

// watch looks at the files that are open, until stop. A file that is deleted or
// replaced by another can be written to as before, but only by who has it open:
// what is written is gone when the store is closed. So writes are refused until
// the name is again that of the file.
func (s *Store) watch() (stop func(), err error) {
	files := []openFile{{s.path, s.lock.info}}
	for _, suffix := range []string{"-wal", "-shm"} { // they are there as long as the database is open
		info, err := os.Stat(s.path + suffix)
		if err != nil {
			return nil, err
		}
		files = append(files, openFile{s.path + suffix, info})
	}
	s.journal = files[1]
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				s.look(files)
			}
		}
	}()
	return func() { close(end); <-ended }, nil
}

// look notes whether all files are still there, and tells when that has changed.
func (s *Store) look(files []openFile) {
	var gone *brokerage.Unavailable
	for _, f := range files {
		if !f.there() {
			gone = &brokerage.Unavailable{Cause: fmt.Errorf("%s was deleted or replaced by another file while it was in use: "+
				"writes are refused, since they would be lost when this process ends", f.path)}
			break
		}
	}
	switch before := s.writer.gone.Swap(gone); {
	case s.options.Notice == nil:
	case gone != nil && before == nil:
		s.options.Notice(gone.Cause.Error())
	case gone == nil && before != nil:
		s.options.Notice(s.path + " is there again: writes are accepted")
	}
}

// there tells whether the name is still that of the file. If nothing can be
// learned of the name, it is taken to be.
func (f openFile) there() bool {
	now, err := os.Stat(f.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return os.SameFile(now, f.info)
}

// setAside moves the journal away from a file that has taken the place of the
// database: SQLite leaves it there as it closes, and would take it for that of the
// other file at the next opening, and mix the two. Who wants the old database back
// finds in it what was written last. It is called after all is closed, and before
// the lock ends.
func (s *Store) setAside() error {
	there, err := os.Stat(s.path)
	if err != nil || os.SameFile(there, s.lock.info) {
		return nil //nolint:nilerr // no file is there that the journal could spoil: SQLite drops it before it makes one
	}
	journal := s.path + "-wal"
	if info, err := os.Stat(journal); err != nil || !s.journal.there() || info.Size() == 0 {
		return nil //nolint:nilerr // there is no journal of this store
	}
	aside := journal + time.Now().UTC().Format(".20060102T150405.000000000")
	if err := os.Rename(journal, aside); err != nil {
		return err
	}
	if s.options.Notice != nil {
		s.options.Notice(fmt.Sprintf("the journal of the file that was %s is kept as %s: it holds what was written last", s.path, aside))
	}
	return archive.SyncFolder(filepath.Dir(s.path))
}

// Ready tells whether the store can answer: what was to be loaded is there, and
// its files are still where they were.
func (s *Store) Ready(ctx context.Context) error {
	if gone := s.writer.gone.Load(); gone != nil {
		return gone
	}
	return s.Ledger.Ready(ctx)
}
