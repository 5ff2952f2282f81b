package drive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"

	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// httpSession is a user of a service. It has a transport and so a connection of its own, as a client of a database has.
type httpSession struct {
	target    *HTTP
	transport *http.Transport

	maxAge string // that queries accept, "" for none
	tokens bool   // queries send the token of the last write
	token  string

	url     url.URL
	path    []byte
	content []byte
	body    bytes.Buffer // of the last answer
}

func (h *HTTP) session(transport *http.Transport) *httpSession {
	return &httpSession{target: h, transport: transport, url: *h.base}
}

// open connects a user.
func (h *HTTP) open(ctx context.Context, consistency Consistency) (session, error) {
	s := h.session(h.transport.Clone())
	s.maxAge, s.tokens = consistency.maxAge(), consistency == Token
	err := s.greet(ctx)
	return s, err
}

// greet sends a request that any service answers, so that the connection is open before anything counts.
func (s *httpSession) greet(ctx context.Context) error {
	_, err := s.fetch(ctx, http.MethodGet, "/version", "say its version")
	if tpox.Is[*refusedError](err) {
		return nil
	}
	return err
}

// fetch sends a request outside of the workload, and returns the body of the answer.
func (s *httpSession) fetch(ctx context.Context, method, path, what string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	header := maps.Clone(s.target.header)
	if method != http.MethodGet {
		header["Content-Type"] = xmlType
	}
	s.path, s.content = append(s.path[:0], path...), s.content[:0]
	status, _, err := s.roundTrip(ctx, method, header)
	switch service := format.URL(s.target.base.String()); {
	case errors.Is(err, errTooLong):
		return nil, fmt.Errorf("%s%s: the answer has more than %d MiB, so this is not a brokerage service", service, path,
			mostOf(path)>>20)
	case err != nil:
		return nil, fmt.Errorf("the service at %s does not answer: %w", service, err)
	case status != http.StatusOK:
		return nil, &refusedError{what, status}
	}
	return s.body.Bytes(), nil
}

func (s *httpSession) recover(ctx context.Context) error {
	return retry(ctx, func() error { return s.greet(ctx) })
}

func (s *httpSession) close() { s.transport.CloseIdleConnections() }

func (s *httpSession) do(ctx context.Context, c *workload.Call) result.Outcome {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	o, err := s.exchange(ctx, c)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return workload.TimedOut
	case err != nil:
		return workload.Unanswered
	}
	return o
}

// exchange sends the requests of a call and returns what its last answer means.
func (s *httpSession) exchange(ctx context.Context, c *workload.Call) (result.Outcome, error) {
	header := maps.Clone(s.target.header)
	if c.Transaction.Kind == tpox.Query {
		if s.maxAge != "" {
			header.Set("Max-Staleness", s.maxAge)
		}
		if s.token != "" {
			header.Set(tokenHeader, s.token)
		}
	}
	s.path, s.content = c.AppendPath(s.path[:0]), c.AppendBody(s.content[:0])
	status, answered, err := s.roundTrip(ctx, c.Method(), header)
	if err != nil {
		return result.Outcome{}, err
	}
	o := c.Judge(status, answered.Get("Location"), s.body.Bytes())
	if !c.Transaction.Replaces || o != result.Done {
		return o, nil
	}
	header = maps.Clone(s.target.header)
	header.Set("If-Match", answered.Get("ETag"))
	s.path, s.content = c.AppendReplacePath(s.path[:0]), append(s.content[:0], s.body.Bytes()...)
	if status, _, err = s.roundTrip(ctx, http.MethodPut, header); err != nil {
		return result.Outcome{}, err
	}
	return c.Judge(status, "", s.body.Bytes()), nil
}

const tokenHeader = "Consistency-Token"

// roundTrip sends a request with s.path and s.content, and reads the body of the answer into s.body.
func (s *httpSession) roundTrip(
	ctx context.Context, method string, header http.Header,
) (status int, answered http.Header, err error) {
	path, query, _ := bytes.Cut(s.path, []byte("?"))
	s.url.RawPath = s.target.base.EscapedPath() + string(path)
	if s.url.Path, err = url.PathUnescape(s.url.RawPath); err != nil {
		return 0, nil, err
	}
	s.url.RawQuery = string(query)
	request := &http.Request{Method: method, URL: &s.url, Host: s.url.Host, Header: header,
		ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody}
	if len(s.content) > 0 {
		if header["Content-Type"] == nil {
			header["Content-Type"] = xmlType
		}
		request.Body = io.NopCloser(bytes.NewReader(s.content))
		request.ContentLength = int64(len(s.content))
	}
	answer, err := s.transport.RoundTrip(request.WithContext(ctx))
	if err != nil {
		return 0, nil, err
	}
	s.body.Reset()
	most := mostOf(string(path))
	_, err = s.body.ReadFrom(io.LimitReader(answer.Body, most+1))
	if closed := answer.Body.Close(); err == nil {
		err = closed
	}
	if err == nil && int64(s.body.Len()) > most {
		err = errTooLong
	}
	if token := answer.Header.Get(tokenHeader); s.tokens && token != "" {
		s.token = token
	}
	return answer.StatusCode, answer.Header, err
}

// mostOf returns how many bytes of an answer are read.
func mostOf(path string) int64 {
	if path == metricsPath {
		return maxMetrics
	}
	return maxAnswer
}

var (
	xmlType    = []string{workload.XML}
	errTooLong = errors.New("the answer is too long")
)
