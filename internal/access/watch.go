package access

import (
	"context"
	"time"
)

// Watch checks at each interval whether the file has changed, and rereads it if so, until ctx is done. It calls changed
// after each change: with nil when the new tokens are in use, or with the reason why the file is refused; then the old
// tokens stay valid. The same fault is reported once.
func (t *Tokens) Watch(ctx context.Context, every time.Duration, changed func(error)) {
	t.file.Watch(ctx, every, func() {
		entries, err := read(t.path)
		if err == nil {
			t.entries.Store(&entries)
		}
		changed(err)
	})
}
