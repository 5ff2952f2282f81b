package drive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// The largest sizes in bytes: of the body of an answer of the workload, for which each user keeps a buffer; of the
// body of any other answer, such as the metrics; of the header of any answer.
const (
	maxAnswer = 1 << 20
	maxOther  = 16 << 20
	maxHeader = 64 << 10
)

const tokenHeader = "Consistency-Token"

// httpSession is a user of a service. It has a transport and so a connection of its own, as a client of a database has.
type httpSession struct {
	target      *HTTP
	transport   *http.Transport
	consistency Consistency
	token       string // of the last write

	path, content []byte
	body          bytes.Buffer // of the last answer
}

// open connects a user, so that the connection is there before anything counts.
func (h *HTTP) open(ctx context.Context, consistency Consistency) (session, error) {
	s := &httpSession{target: h, transport: h.transport.Clone(), consistency: consistency}
	err := s.ping(ctx)
	return s, err
}

// ping sends a request that any service answers.
func (s *httpSession) ping(ctx context.Context) error {
	_, _, err := s.fetch(ctx, http.MethodGet, "/version")
	return err
}

func (s *httpSession) close() { s.transport.CloseIdleConnections() }

// fetch sends a request outside of the workload.
func (s *httpSession) fetch(ctx context.Context, method, path string) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	status, _, err = s.send(ctx, method, path, nil, maps.Clone(s.target.header), maxOther)
	if err != nil {
		return 0, nil, fmt.Errorf("the service at %s does not answer: %w", format.URL(s.target.base), err)
	}
	return status, s.body.Bytes(), nil
}

// do sends the requests of a call and returns the outcome of the last answer.
func (s *httpSession) do(ctx context.Context, c *workload.Call) result.Outcome {
	header := maps.Clone(s.target.header)
	if c.Transaction.Kind == tpox.Query {
		if age, ok := strings.CutPrefix(string(s.consistency), stale); ok {
			header.Set("Max-Staleness", age)
		}
		if s.token != "" {
			header.Set(tokenHeader, s.token)
		}
	}
	s.path, s.content = c.AppendPath(s.path[:0]), c.AppendBody(s.content[:0])
	status, answered, err := s.send(ctx, c.Method(), string(s.path), s.content, header, maxAnswer)
	if err != nil {
		return unanswered(err)
	}
	o := c.Judge(status, answered.Get("Location"), s.body.Bytes())
	if !c.Transaction.Replaces || o != result.Done {
		return o
	}
	header = maps.Clone(s.target.header)
	header.Set("If-Match", answered.Get("ETag"))
	s.path, s.content = c.AppendReplacePath(s.path[:0]), append(s.content[:0], s.body.Bytes()...)
	if status, _, err = s.send(ctx, http.MethodPut, string(s.path), s.content, header, maxAnswer); err != nil {
		return unanswered(err)
	}
	return c.Judge(status, "", s.body.Bytes())
}

func unanswered(err error) result.Outcome {
	if errors.Is(err, context.DeadlineExceeded) {
		return workload.TimedOut
	}
	return workload.Unanswered
}

// send sends a request, and reads the body of the answer into s.body. A body larger than most is an error.
func (s *httpSession) send(
	ctx context.Context, method, path string, content []byte, header http.Header, most int64,
) (status int, answered http.Header, err error) {
	request, err := http.NewRequestWithContext(ctx, method, s.target.base+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, err
	}
	if request.Header = header; method != http.MethodGet {
		header.Set("Content-Type", workload.XML)
	}
	answer, err := s.transport.RoundTrip(request)
	if err != nil {
		return 0, nil, err
	}
	s.body.Reset()
	read, err := s.body.ReadFrom(io.LimitReader(answer.Body, most+1))
	if read > most {
		err = fmt.Errorf("an answer has more than %s: not a brokerage service", format.Bytes(most))
	}
	if closed := answer.Body.Close(); err == nil {
		err = closed
	}
	if token := answer.Header.Get(tokenHeader); token != "" && s.consistency == Token {
		s.token = token
	}
	return answer.StatusCode, answer.Header, err
}
