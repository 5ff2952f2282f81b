// Package filewatch tells when files have changed, by looking at them every so
// often. It does not ask for events: a file that is replaced behind a symbolic
// link, as Kubernetes does with secrets, has none.
package filewatch

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// Files are files that are looked at together: a certificate and its key are one
// thing. They are one goroutine's at a time.
type Files struct {
	paths []string
	seen  []fs.FileInfo // nil for one that could not be looked at
}

// Look looks at files for the first time. Who reads them looks before, so that a
// change while they are read is seen later, and none is missed.
func Look(paths ...string) *Files {
	f := &Files{paths: paths, seen: make([]fs.FileInfo, len(paths))}
	f.Changed()
	return f
}

// Changed tells whether any of the files is another than at the last look. One
// that has gone has changed once.
func (f *Files) Changed() bool {
	changed := false
	for i, path := range f.paths {
		now, err := os.Stat(path)
		if err != nil {
			now = nil
		}
		if !same(f.seen[i], now) {
			f.seen[i], changed = now, true
		}
	}
	return changed
}

// Watch calls changed after each look that has found a change, until ctx is done.
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

func same(before, now fs.FileInfo) bool {
	if before == nil || now == nil {
		return before == nil && now == nil
	}
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime()) && before.Mode() == now.Mode()
}
