package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"brokerage/internal/tpox"
)

const (
	// watchEvery is how often the store checks that its files are in place and, after a failed write, writes a probe.
	watchEvery = time.Second
	// maxUnwritten is how long writes may fail or wait until the store is not ready.
	maxUnwritten = 5 * time.Second
)

// watch starts to check every second, until stop is called, that the store's files still have their names. A file that
// was deleted or replaced can still be written to, but what is written is lost when the store is closed. So writes
// are refused until the name is again that of the open file.
func (s *Store) watch() (stop func(), err error) {
	files := map[string]os.FileInfo{s.path: s.lock.info}
	for _, name := range []string{s.path + "-wal", s.path + "-shm"} { // they exist while the database is open
		if files[name], err = os.Stat(name); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(watchEvery):
				s.checkFiles(files)
				s.writer.probe(ctx)
			}
		}
	})
	return func() { cancel(); watching.Wait() }, nil
}

// checkFiles refuses writes while a file is not in place, and reports when that changes. A name that cannot be checked
// counts as in place.
func (s *Store) checkFiles(files map[string]os.FileInfo) {
	var misplaced *tpox.Unavailable
	for name, info := range files {
		now, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, info) {
			misplaced = &tpox.Unavailable{
				Cause: fmt.Errorf("%s was deleted or replaced by another file while it was in use: "+
					"writes are refused, since they would be lost when this process ends", name),
				Detail: "a file of the database was deleted or replaced",
			}
		}
	}
	switch before := s.writer.misplaced.Swap(misplaced); {
	case misplaced != nil && before == nil:
		s.options.Notice(misplaced.Cause.Error())
	case misplaced == nil && before != nil:
		s.options.Notice(s.path + " is in place again: writes are accepted")
	}
}

// Ready returns *tpox.Unavailable when a load is not finished, a file of the store is not in place, or nothing could be
// written for some seconds.
func (s *Store) Ready(ctx context.Context) error {
	if misplaced := s.writer.misplaced.Load(); misplaced != nil {
		return misplaced
	}
	if unwritten := s.writer.unwritten(); unwritten >= maxUnwritten {
		cause := errors.New("a write has not finished")
		if failed := s.writer.failed.Load(); failed != nil {
			cause = *failed
		}
		return &tpox.Unavailable{
			Cause:  fmt.Errorf("nothing could be written for %s: %w", unwritten.Round(time.Second), cause),
			Detail: "nothing could be written for some seconds",
		}
	}
	return s.LoadRecord.Ready(ctx)
}
