package access

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// Files are files that are polled together, such as a certificate and its key. File system events would miss a file
// that is replaced behind a symbolic link, as Kubernetes does with secrets. Files are not safe for concurrent use.
type Files struct {
	paths []string
	seen  []fs.FileInfo // nil for a file that could not be read
}

// Look returns files whose changes from now on are detected. Call it before reading them, so that no change is missed.
func Look(paths ...string) *Files {
	f := &Files{paths: paths, seen: make([]fs.FileInfo, len(paths))}
	f.Changed()
	return f
}

// Changed reports whether any of the files has changed since the last call, or since Look. A file that was removed has
// changed once.
func (f *Files) Changed() bool {
	changed := false
	for i, path := range f.paths {
		now, err := os.Stat(path)
		if err != nil {
			now = nil
		}
		before := f.seen[i]
		same := before == nil && now == nil
		if before != nil && now != nil {
			same = os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime()) &&
				before.Mode() == now.Mode()
		}
		if !same {
			f.seen[i], changed = now, true
		}
	}
	return changed
}

// Watch polls the files until ctx is done, and calls changed after each change.
func (f *Files) Watch(ctx context.Context, every time.Duration, changed func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if f.Changed() {
				changed()
			}
		}
	}
}
