package httpapi

import (
	"errors"
	"net/http"
	"time"

	"brokerage/internal/access"
	"brokerage/internal/httpapi/live"
)

// takeWithin is how long one who watches has to take a frame. Who does not read
// is let go: what the kernel keeps for him would otherwise be kept for ever.
const takeWithin = 5 * time.Second

// endWithin is how long the last bytes may take once the service stops.
const endWithin = 100 * time.Millisecond

var watchService = &operation{
	name: "watch_service", method: http.MethodGet, path: "/v1/live", scope: access.Read, endless: true,
	handle: (*request).watchService,
}

// watchService sends figures each second, for as long as both sides want.
func (q *request) watchService() error {
	h := q.Writer.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-store"}
	h["X-Accel-Buffering"] = []string{"no"} // a proxy (nginx) is to pass on each frame at once
	h["Connection"] = []string{"close"}     // its deadlines are this stream's
	if q.Request.Method == http.MethodHead {
		q.Writer.WriteHeaderNow()
		return nil
	}
	w, err := q.server.live.Join()
	if err != nil {
		for _, name := range []string{"Cache-Control", "X-Accel-Buffering", "Connection"} {
			delete(h, name)
		}
		if errors.Is(err, live.ErrFull) {
			return errWatched
		}
		return errStopping
	}
	defer w.Leave()
	return q.stream(w)
}

// stream writes frames until one of the two sides ends it.
func (q *request) stream(w *live.Watcher) error {
	// What is no connection has no deadlines either.
	connection := http.NewResponseController(q.Writer)
	_ = connection.SetReadDeadline(time.Time{}) // the request is read; what comes after it is its end
	left := make(chan struct{})
	defer close(left)
	go func() {
		select {
		case <-q.server.live.Ended():
			_ = connection.SetWriteDeadline(time.Now().Add(endWithin)) // who is stuck in a frame holds up no stop
		case <-left:
		}
	}()
	frame := []byte("retry: 2000\n\n")
	for {
		_ = connection.SetWriteDeadline(time.Now().Add(takeWithin))
		if _, err := q.Writer.Write(frame); err != nil {
			return errGone
		}
		if err := connection.Flush(); err != nil {
			return errGone
		}
		var more bool
		select {
		case frame, more = <-w.Frames():
			if !more {
				return nil
			}
		case <-q.Request.Context().Done():
			return nil
		}
	}
}

// watched adds to the figures what only the server knows.
func (s *Server) watched(f *live.Figures) {
	f.Gate.Running, f.Gate.Waiting, f.Gate.Limit = s.gate.load()
	if s.options.Inside != nil {
		f.Store = s.options.Inside()
	}
}
