package httpapi

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

// accepts returns an error if the client accepts neither application/xml nor text/xml.
func (q *request) accepts() error {
	if _, ok := q.mediaType(); !ok {
		return errAcceptable
	}
	return nil
}

// mediaType returns the media type of XML that the client prefers, application/xml if it has no preference, and whether
// it accepts any.
func (q *request) mediaType() (mediaType string, accepted bool) {
	accept := strings.Join(q.Request.Header["Accept"], ",")
	application, text := quality(accept, "application/xml"), quality(accept, "text/xml")
	if text > application {
		return textType, true
	}
	return xmlType, application > 0
}

// quality returns the weight of a media type by a header Accept, 0 if it is not accepted. The most specific range
// counts (RFC 9110, 12.5.1).
func quality(accept, mediaType string) float64 {
	if strings.TrimSpace(accept) == "" {
		return 1
	}
	major, _, _ := strings.Cut(mediaType, "/")
	best, found := -1, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		rank := -1
		switch strings.ToLower(strings.TrimSpace(name)) {
		case mediaType:
			rank = 2
		case major + "/*":
			rank = 1
		case "*/*":
			rank = 0
		}
		if rank > best {
			best, found = rank, weight(parameters)
		}
	}
	return found
}

// weight returns the q of a media range.
func weight(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			w, err := strconv.ParseFloat(value, 64)
			if err != nil || !(w >= 0 && w <= 1) { // true for NaN
				return 0
			}
			return w
		}
	}
	return 1
}

// answer writes a response with a constructed document.
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

// acceptsGzip reports whether a client accepts gzip, by its name or by *, and does not prefer an uncompressed answer
// (RFC 9110, 12.5.3).
func acceptsGzip(accept []string) bool {
	gzip, identity, others := -1.0, -1.0, -1.0
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, parameters, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip":
			gzip = weight(parameters)
		case "identity":
			identity = weight(parameters)
		case "*":
			others = weight(parameters)
		}
	}
	if gzip < 0 {
		gzip = others
	}
	return gzip > 0 && gzip >= identity
}

// errGone means that the client closed the connection before the answer.
var errGone = errors.New("the client has closed the connection")

// noContent answers with a status and no body.
func (q *request) noContent(status int) error {
	q.record(status)
	q.setToken()
	q.Status(status)
	q.Writer.WriteHeaderNow()
	return nil
}

// setETag sets the entity tag of an answer.
func (q *request) setETag(tag string) { q.Writer.Header()["Etag"] = []string{`"` + tag + `"`} }
