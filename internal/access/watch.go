package access

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// Watch looks every so often whether the file has changed, and reads it again if
// it has, until ctx is done. Changed is told of each change: nil, and the new
// tokens count from then on; or why the file cannot be taken, and the old ones
// go on to count. It is called at most once between two looks, and for one and
// the same fault once.
//
// It looks at the file rather than asking for events: a file that is replaced
// behind a symbolic link, as Kubernetes does with secrets, has no events.
func (t *Tokens) Watch(ctx context.Context, every time.Duration, changed func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if look, err := t.reload(); look {
				changed(err)
			}
		}
	}
}

// reload reads the file if it is another than the last time.
func (t *Tokens) reload() (different bool, err error) {
	now, err := os.Stat(t.path)
	if err != nil {
		// Told once: t.info is nil from then until the file is there again.
		different, t.info = t.info != nil, nil
		return different, err
	}
	if same(t.info, now) {
		return false, nil
	}
	entries, info, err := read(t.path)
	if info == nil {
		// It could be looked at but not be opened, which is one fault as long
		// as it looks the same.
		info = now
	}
	t.info = info
	if err == nil {
		t.entries.Store(&entries)
	}
	return true, err
}

func same(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() &&
		before.ModTime().Equal(now.ModTime()) && before.Mode() == now.Mode()
}
