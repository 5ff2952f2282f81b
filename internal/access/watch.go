package access

import (
	"context"
	"time"
)

// Watch looks every so often whether the file has changed, and reads it again if it has, until ctx is done. Changed is
// told of each change: nil, and the new tokens count from then on; or why the file cannot be taken, and the old ones go
// on to count. It is called at most once between two looks, and for one and the same fault once.
func (t *Tokens) Watch(ctx context.Context, every time.Duration, changed func(error)) {
	t.file.Watch(ctx, every, func() {
		entries, err := read(t.path)
		if err == nil {
			t.entries.Store(&entries)
		}
		changed(err)
	})
}
