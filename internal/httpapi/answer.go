package httpapi

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"

	"brokerage/internal/tpox"
)

const (
	xmlType        = "application/xml; charset=utf-8"
	textType       = "text/xml; charset=utf-8" // the same bytes under XML's other name (RFC 7303)
	vary           = "Accept, Accept-Encoding"
	compressedFrom = 1024 // bytes; a smaller answer is not worth compressing
)

// answer writes a response whose document has no entity tag.
func (q *request) answer(body []byte) error {
	q.link()
	mediaType, _ := q.mediaType()
	return q.write200(mediaType, body, q.compresses(body))
}

// document answers with a stored document, or 304 if the client has it.
func (q *request) document(body []byte) error {
	version := tpox.ETag(body)
	mediaType, _ := q.mediaType()
	compressed := q.compresses(body)
	tag := version // each representation has its own strong tag (RFC 9110, 8.8.3)
	if mediaType == textType {
		tag += textSuffix
	}
	if compressed {
		tag += gzipSuffix
	}
	q.setETag(tag)
	if header := q.Request.Header["If-None-Match"]; len(header) > 0 {
		tags, anything, err := etags(header)
		if err != nil {
			return err
		}
		if hasVersion(tags, anything, version) {
			return q.noContent(http.StatusNotModified)
		}
	}
	q.link()
	return q.write200(mediaType, body, compressed)
}

// link sets the header Link.
func (q *request) link() {
	links := q.op.links
	if q.related != "" {
		links = append(slices.Clip(links), q.related)
	}
	if links != nil {
		q.Writer.Header()["Link"] = links
	}
}

// write200 answers with 200, compressed if compressed is set.
func (q *request) write200(mediaType string, body []byte, compressed bool) error {
	if !compressed {
		return q.send(http.StatusOK, mediaType, body)
	}
	p, _ := compressors.Get().(*compressor)
	defer compressors.Put(p)
	p.out.Reset()
	p.gzip.Reset(&p.out)
	_, _ = p.gzip.Write(body) // to memory, which never fails
	_ = p.gzip.Close()
	q.Writer.Header()["Content-Encoding"] = []string{"gzip"}
	return q.send(http.StatusOK, mediaType, p.out.Bytes())
}

// send writes an answer; for HEAD, only its header.
func (q *request) send(status int, mediaType string, body []byte) error {
	q.record(status)
	q.setToken()
	h := q.Writer.Header()
	h["Content-Type"] = []string{mediaType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	q.Status(status)
	if q.Request.Method == http.MethodHead {
		q.Writer.WriteHeaderNow()
		return nil
	}
	if _, err := q.Writer.Write(body); err != nil {
		return errGone
	}
	return nil
}

type compressor struct {
	gzip *gzip.Writer
	out  bytes.Buffer
}

var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // only for an unknown level
	}
	return &compressor{gzip: w}
}}

// compresses reports whether an answer is to be compressed, and sets Vary.
func (q *request) compresses(body []byte) bool {
	q.Writer.Header()["Vary"] = []string{vary}
	return len(body) >= compressedFrom && acceptsGzip(q.Request.Header["Accept-Encoding"])
}

// errGone means that the client closed the connection before it had the whole answer.
var errGone = errors.New("the client has closed the connection")

// noContent answers with a status and no body.
func (q *request) noContent(status int) error {
	q.record(status)
	q.setToken()
	q.Status(status)
	q.Writer.WriteHeaderNow()
	return nil
}

// setToken sets the header with the token of a write.
func (q *request) setToken() {
	if q.token != (tpox.Token{}) {
		q.Writer.Header()[tokenHeader] = []string{q.token.String()}
	}
}

// setETag sets the entity tag of an answer.
func (q *request) setETag(tag string) { q.Writer.Header()["Etag"] = []string{`"` + tag + `"`} }
