package workload

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/tpox"
)

// httpSession is one connection. The client of net/http would pass each request to two goroutines of its own and make
// some forty allocations for what is one write and one read here, on processors that the service often shares.
type httpSession struct {
	checker

	backend   *HTTP
	conn      net.Conn // nil: closed
	input     *bufio.Reader
	room      io.LimitedReader // what is left of conn for the answer that is being read
	cancelled func() bool      // stops watching the context
	dialed    time.Time
	renewed   time.Time // when the deadline was set; zero on a connection that has not been used yet

	base    string // path of the service
	headers string // of all requests, from the end of the first line on
	fresh   []byte // the header of queries that says how fresh their answers must be
	tokens  bool   // fresh is the token of the last write
	own     []byte // headers of an own transaction
	content []byte
	out     []byte
	answer  answer
}

// answer is a response, valid until the next request.
type answer struct {
	status   int
	body     []byte
	etag     []byte
	location []byte
	token    []byte
	last     bool // of the connection

	long []byte // holds a body that is longer than the input's buffer
}

// unusedFor is how long a connection may wait for its first request. Services close one that stays silent: brokerage
// serve does after --header-timeout.
const unusedFor = time.Second

// maxHead is how much longer than its body an answer may be, in bytes: headers, chunks and trailers.
const maxHead = 64 << 10

func (s *httpSession) dial(ctx context.Context) error {
	s.close()
	base := s.backend.base
	port := base.Port()
	if port == "" {
		port = base.Scheme // net knows the ports of http and https
	}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(base.Hostname(), port))
	if err != nil {
		return fmt.Errorf("the service at %s does not answer: %w", base.Redacted(), err)
	}
	if base.Scheme == "https" {
		config := s.backend.security.Clone()
		config.ServerName = base.Hostname()
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return fmt.Errorf("the service at %s: %w", base.Redacted(), err)
		}
		conn = secure
	}
	s.conn = conn
	s.dialed, s.renewed = time.Now(), time.Time{}
	s.room.R = conn
	s.input.Reset(&s.room)
	s.cancelled = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	return nil
}

func (s *httpSession) close() {
	if s.conn != nil {
		s.cancelled()
		_ = s.conn.Close()
		s.conn = nil
	}
}

func (s *httpSession) recover(ctx context.Context) error {
	return retry(ctx, func() error { return s.dial(ctx) })
}

func (s *httpSession) do(ctx context.Context, c *call) outcome {
	if s.conn == nil || s.renewed.IsZero() && time.Since(s.dialed) > unusedFor {
		if err := s.dial(ctx); err != nil {
			return noAnswer
		}
	}
	if err := s.exchange(c); err != nil {
		s.close()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return timedOut
		}
		return noAnswer
	}
	o := s.judge(c)
	if s.answer.last {
		s.close()
	}
	return o
}

// judge returns the outcome of the last answer.
func (s *httpSession) judge(c *call) outcome {
	t := c.transaction
	switch status := s.answer.status; {
	case t.own && !t.accepts(status):
		return problemOutcome(t, status, s.answer.body)
	case t.own && status > 299:
		return done
	case t.own:
		return s.check(c, s.answer.body)
	case status == http.StatusOK && t.Answer != "":
		return s.check(c, s.answer.body)
	case status == http.StatusCreated && t.location != nil:
		s.key = t.location.fill(s.key[:0], c)
		if bytes.HasSuffix(s.answer.location, s.key) {
			return done
		}
	case status == http.StatusNoContent && t.location == nil && (t.Answer == "" || t.Replaces):
		return done
	case status != http.StatusOK && status != http.StatusCreated && status != http.StatusNoContent:
		return problemOutcome(t, status, s.answer.body)
	}
	return wrongAnswer
}

// problemOutcome returns the outcome of a problem document.
func problemOutcome(t *Transaction, status int, body []byte) outcome {
	_, rest, _ := bytes.Cut(body, []byte("<type>urn:brokerage:problem:"))
	name, _, _ := bytes.Cut(rest, []byte("<"))
	switch {
	case status == http.StatusPreconditionFailed:
		return t.refused(reasonStale)
	case status == http.StatusConflict && len(name) > 0:
		return t.refused(tpox.Reason(name))
	default:
		return outcome{unexpected, strings.TrimSpace(fmt.Sprintf("%d %s", status, name))}
	}
}

// exchange sends the requests of a call and leaves the last answer in s.answer.
func (s *httpSession) exchange(c *call) error {
	t := c.transaction
	s.content = t.request.body.fill(s.content[:0], c)
	s.own = s.own[:0]
	if t.request.headers != nil {
		s.own = t.request.headers.fill(s.own, c)
	}
	s.startRequest(t.request.method, c)
	if err := s.roundTrip(t.Kind == tpox.Query, nil); err != nil || !t.Replaces {
		s.keepToken()
		return err
	}
	if s.answer.status != http.StatusOK || s.check(c, s.answer.body).class != good {
		return nil
	}
	s.content = append(s.content, s.answer.body...)
	s.startRequest(http.MethodPut, c)
	s.out = gaps["validation"](s.out, c)
	err := s.roundTrip(false, bytes.Clone(s.answer.etag))
	s.keepToken()
	return err
}

// keepToken keeps the token of a write for the queries that follow.
func (s *httpSession) keepToken() {
	if s.tokens && len(s.answer.token) > 0 {
		s.fresh = append(append(append(s.fresh[:0], tokenHeader...), s.answer.token...), "\r\n"...)
	}
}

const xmlContent = "Content-Type: application/xml\r\n"

const tokenHeader = "Consistency-Token: "

// startRequest puts the method and the path of a request into s.out.
func (s *httpSession) startRequest(method string, c *call) {
	s.out = append(append(append(s.out[:0], method...), ' '), s.base...)
	s.out = c.transaction.request.path.fill(s.out, c)
}

// roundTrip completes and sends the request that startRequest has begun, with s.content as its body, and reads the
// answer. A query says how fresh its answer must be. A version is sent as If-Match.
func (s *httpSession) roundTrip(query bool, version []byte) error {
	s.out = append(s.out, s.headers...)
	if query {
		s.out = append(s.out, s.fresh...)
	}
	if version != nil {
		s.out = append(append(append(s.out, "If-Match: "...), version...), "\r\n"...)
	}
	s.out = append(s.out, s.own...)
	if len(s.content) > 0 {
		if len(s.own) == 0 { // an own transaction with a body has a header that says its type
			s.out = append(s.out, xmlContent...)
		}
		s.out = append(s.out, "Content-Length: "...)
		s.out = append(strconv.AppendInt(s.out, int64(len(s.content)), 10), "\r\n"...)
	}
	s.out = append(append(s.out, "\r\n"...), s.content...)
	// Not for each request, because setting a deadline takes half as long as everything else here.
	if now := time.Now(); now.Sub(s.renewed) > answerWithin/10 {
		if err := s.conn.SetDeadline(now.Add(answerWithin)); err != nil {
			return err
		}
		s.renewed = now
	}
	if _, err := s.conn.Write(s.out); err != nil {
		return err
	}
	s.room.N = maxAnswer + maxHead
	for {
		err := s.answer.read(s.input)
		switch {
		case s.room.N <= 0:
			return errAnswer // an endless one, which only seems to end
		case err != nil || s.answer.status >= http.StatusOK:
			return err
		}
	}
}

var errAnswer = errors.New("not an HTTP/1.1 response")

func (a *answer) read(in *bufio.Reader) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, []byte("HTTP/1.")) {
		return errAnswer
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return errAnswer
	}
	a.body, a.etag, a.location, a.token = nil, a.etag[:0], a.location[:0], a.token[:0]
	a.last = line[7] == '0'
	length, chunked := -1, false
	for {
		if line, err = in.ReadSlice('\n'); err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		// Few headers begin with these letters, and no others are needed.
		switch line[0] | 0x20 {
		case 'c':
			if value, ok := header(line, "content-length"); ok {
				if length, err = strconv.Atoi(string(value)); err != nil || length < 0 || length > maxAnswer {
					return errAnswer
				}
			} else if value, ok := header(line, "connection"); ok {
				a.last = a.last || bytes.EqualFold(value, []byte("close"))
			} else if value, ok := header(line, "consistency-token"); ok {
				a.token = append(a.token, value...)
			}
		case 't':
			_, coded := header(line, "transfer-encoding")
			chunked = chunked || coded
		case 'e':
			if value, ok := header(line, "etag"); ok {
				a.etag = append(a.etag, value...)
			}
		case 'l':
			if value, ok := header(line, "location"); ok {
				a.location = append(a.location, value...)
			}
		}
	}
	return a.readBody(in, length, chunked)
}

// header returns the value of a header line, if it is the named one.
func header(line []byte, name string) (value []byte, ok bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}

func (a *answer) readBody(in *bufio.Reader, length int, chunked bool) (err error) {
	switch {
	case a.status < http.StatusOK || a.status == http.StatusNoContent || a.status == http.StatusNotModified:
		return nil
	case chunked:
		if a.long, err = appendAll(a.long[:0], httputil.NewChunkedReader(in)); err != nil {
			return err
		}
		a.body = a.long
		_, err = textproto.NewReader(in).ReadMIMEHeader() // the trailers, up to the empty line
	case length < 0:
		a.last = true
		a.long, err = appendAll(a.long[:0], in)
		a.body = a.long
	case length <= in.Size():
		if a.body, err = in.Peek(length); err != nil {
			return err
		}
		_, err = in.Discard(length) // which leaves the bytes where they are
	default:
		a.long = slices.Grow(a.long[:0], length)
		a.body = a.long[:length]
		_, err = io.ReadFull(in, a.body)
	}
	return err
}

func appendAll(dst []byte, r io.Reader) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}
