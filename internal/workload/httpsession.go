package workload

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"os"
	"strconv"
	"strings"
	"time"
)

// httpSession is a connection. net/http's client would hand each request to two
// goroutines of its own and make some forty allocations for what is one write
// and one read here, on processors that the service often shares.
type httpSession struct {
	checker
	requestWriter

	backend   *HTTP
	conn      net.Conn // nil: closed
	input     *bufio.Reader
	cancelled func() bool // ends the watch over the context
	dialed    time.Time
	renewed   time.Time // when the deadline was set: never on a connection that was not used yet

	headers string // that all requests have, from the end of the first line on
	line0   []byte
	content []byte
	out     []byte
	answer  answer
}

// answer is what came back, valid until the next request.
type answer struct {
	status   int
	body     []byte
	etag     []byte
	location []byte
	last     bool // of the connection

	long []byte // where a body goes that is longer than the input's buffer
}

const (
	statusOK        = 200
	statusCreated   = 201
	statusNoContent = 204
	statusConflict  = 409
	statusStale     = 412
)

// unusedFor is how long a connection may wait for its first request. Services close
// one that stays silent: brokerage serve does after --header-timeout.
const unusedFor = time.Second

// maxAnswer bounds what is read; nothing that a brokerage answers is near it.
const maxAnswer = 64 << 20

func (s *httpSession) close() {
	if s.conn != nil {
		s.cancelled()
		_ = s.conn.Close()
		s.conn = nil
	}
}

func (s *httpSession) recover(ctx context.Context) error {
	return persist(ctx, func() error { return s.dial(ctx) })
}

func (s *httpSession) do(ctx context.Context, c *call) outcome {
	if s.conn == nil || s.renewed.IsZero() && time.Since(s.dialed) > unusedFor {
		if err := s.dial(ctx); err != nil {
			return outcome{unanswered, reasonNoAnswer}
		}
	}
	if err := s.exchange(c); err != nil {
		s.close()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return outcome{unanswered, reasonTimeout}
		}
		return outcome{unanswered, reasonNoAnswer}
	}
	o := s.judge(c)
	if s.answer.last {
		s.close()
	}
	return o
}

// judge says whether the answer is the right one.
func (s *httpSession) judge(c *call) outcome {
	wrong := outcome{unexpected, reasonWrongAnswer}
	switch s.answer.status {
	case statusOK:
		if roots[c.transaction] == "" {
			return wrong
		}
		return s.check(c, s.answer.body)
	case statusCreated:
		// The path of what was created ends with its id.
		want := c.id
		switch c.transaction {
		case insertOrder, insertCustomer:
		case openAccount:
			want = c.account
		default:
			return wrong
		}
		s.key = id(append(s.key[:0], '/'), want)
		if !bytes.HasSuffix(s.answer.location, s.key) {
			return wrong
		}
		return done
	case statusNoContent:
		switch c.transaction {
		case closeAccount, deleteOrder, deleteCustomer, updCustacc, updSecurity:
			return done
		}
		return wrong
	default:
		return problemOutcome(s.answer.status, s.answer.body)
	}
}

// problemOutcome reads the type of a problem document.
func problemOutcome(status int, body []byte) outcome {
	_, rest, _ := bytes.Cut(body, []byte("<type>urn:brokerage:problem:"))
	name, _, _ := bytes.Cut(rest, []byte("<"))
	switch {
	case status == statusStale:
		return outcome{expected, reasonStale}
	case status == statusConflict && len(name) > 0:
		return conflict(string(name))
	default:
		return outcome{unexpected, strings.TrimSpace(fmt.Sprintf("%d %s", status, name))}
	}
}

// exchange sends what a call needs; the last answer counts.
func (s *httpSession) exchange(c *call) error {
	s.line0 = s.line(s.line0[:0], c)
	s.content = s.body(s.content[:0], c)
	if err := s.roundTrip(nil); err != nil || c.transaction != updCustacc && c.transaction != updSecurity {
		return err
	}
	// The older mix's update: what was read is written back, if it is what was asked for.
	if s.answer.status != statusOK || s.check(c, s.answer.body).class != good {
		return nil
	}
	s.line0 = validation(s.document(s.line0[:0], "PUT ", c), c)
	s.content = append(s.content[:0], s.answer.body...)
	return s.roundTrip(bytes.Clone(s.answer.etag))
}

// roundTrip sends line0 and content, under the condition of a version if there
// is one, and reads the answer.
func (s *httpSession) roundTrip(version []byte) error {
	s.out = append(append(s.out[:0], s.line0...), s.headers...)
	if version != nil {
		s.out = append(append(append(s.out, "If-Match: "...), version...), "\r\n"...)
	}
	if len(s.content) > 0 {
		s.out = append(s.out, "Content-Type: application/xml\r\nContent-Length: "...)
		s.out = append(strconv.AppendInt(s.out, int64(len(s.content)), 10), "\r\n"...)
	}
	s.out = append(append(s.out, "\r\n"...), s.content...)
	// Not for each request: setting it takes as long as half of the rest.
	if now := time.Now(); now.Sub(s.renewed) > answerWithin/10 {
		if err := s.conn.SetDeadline(now.Add(answerWithin)); err != nil {
			return err
		}
		s.renewed = now
	}
	if _, err := s.conn.Write(s.out); err != nil {
		return err
	}
	for {
		if err := s.answer.read(s.input); err != nil || s.answer.status >= statusOK {
			return err
		}
	}
}

var errAnswer = errors.New("not an answer of HTTP/1.1")

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
	a.body, a.etag, a.location = nil, a.etag[:0], a.location[:0]
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
		// Few begin with one of these letters, and of the others nothing is wanted.
		switch line[0] | 0x20 {
		case 'c':
			if value, ok := header(line, "content-length"); ok {
				if length, err = strconv.Atoi(string(value)); err != nil || length < 0 || length > maxAnswer {
					return errAnswer
				}
			} else if value, ok := header(line, "connection"); ok {
				a.last = a.last || bytes.EqualFold(value, []byte("close"))
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

// header gives the value of a line, if it is of that header.
func header(line []byte, name string) (value []byte, ok bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}

func (a *answer) readBody(in *bufio.Reader, length int, chunked bool) (err error) {
	switch {
	case a.status < statusOK || a.status == statusNoContent || a.status == 304:
		return nil
	case chunked:
		if a.long, err = appendAll(a.long[:0], httputil.NewChunkedReader(in)); err != nil {
			return err
		}
		for { // trailers, up to the empty line
			line, err := in.ReadSlice('\n')
			if err != nil {
				return err
			}
			if len(bytes.TrimRight(line, "\r\n")) == 0 {
				break
			}
		}
		a.body = a.long
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
		if cap(a.long) < length {
			a.long = make([]byte, length)
		}
		a.body = a.long[:length]
		_, err = io.ReadFull(in, a.body)
	}
	return err
}

func appendAll(dst []byte, r io.Reader) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	_, err := b.ReadFrom(io.LimitReader(r, maxAnswer))
	return b.Bytes(), err
}
