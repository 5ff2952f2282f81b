package httpapi

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"brokerage/internal/access"
	"brokerage/internal/httpapi/pages"
)

const (
	frameTimeout = 5 * time.Second        // for writing a frame to a client; a slower client is disconnected
	stopTimeout  = 100 * time.Millisecond // for the last bytes once the service stops
)

var watchService = &operation{
	name: "watch_service", method: http.MethodGet, path: "/v1/live", scope: access.Read, endless: true,
	handle: (*request).watchService,
}

// watchService streams figures each second until either side ends the stream.
func (q *request) watchService() error {
	h := q.Writer.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-store"}
	h["X-Accel-Buffering"] = []string{"no"} // makes a proxy (nginx) forward each frame at once
	h["Connection"] = []string{"close"}     // the stream changes the connection's deadlines
	if q.Request.Method == http.MethodHead {
		q.Writer.WriteHeaderNow()
		return nil
	}
	w, err := q.server.live.Join()
	if err != nil {
		for _, name := range []string{"Cache-Control", "X-Accel-Buffering", "Connection"} {
			delete(h, name)
		}
		if errors.Is(err, pages.ErrFull) {
			return errManyStreams
		}
		return errStopping
	}
	defer w.Leave()
	return q.stream(w)
}

// stream writes frames until either side ends the stream.
func (q *request) stream(w *pages.Watcher) error {
	// Setting a deadline only fails without a connection.
	connection := http.NewResponseController(q.Writer)
	_ = connection.SetReadDeadline(time.Time{}) // no more input is expected
	// Gin reuses the writer for another request after this one, so wait until the goroutine below has stopped using the
	// connection.
	var stopping sync.WaitGroup
	defer stopping.Wait()
	left := make(chan struct{})
	defer close(left)
	stopping.Go(func() {
		select {
		case <-q.server.live.Ended():
			_ = connection.SetWriteDeadline(time.Now().Add(stopTimeout)) // a blocked write must not delay the stop
		case <-left:
		}
	})
	frame := []byte("retry: 2000\n\n")
	for {
		_ = connection.SetWriteDeadline(time.Now().Add(frameTimeout))
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
