package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"brokerage/internal/brokerage"
)

const (
	xmlType  = "application/xml; charset=utf-8"
	textType = "text/xml; charset=utf-8" // the same bytes under XML's other name (RFC 7303)
	vary     = "Accept, Accept-Encoding"
	// packedFrom is from what size on an answer is worth packing.
	packedFrom = 1024
)

// accepts refuses a client that takes XML by neither of its names.
func (q *request) accepts() error {
	if _, ok := q.mediaType(); !ok {
		return errAcceptable
	}
	return nil
}

// mediaType returns the media type of XML that the client likes better, application/xml if it likes both as well, and whether it
// takes any of them.
func (q *request) mediaType() (mediaType string, accepted bool) {
	accept := strings.Join(q.Request.Header["Accept"], ",")
	application, text := quality(accept, "application/xml"), quality(accept, "text/xml")
	if text > application {
		return textType, true
	}
	return xmlType, application > 0
}

// quality is how much a header Accept likes a media type, 0 if it does not take
// it: what is most particular counts (RFC 9110, 12.5.1).
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

// weight reads the q of a media range.
func weight(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			w, err := strconv.ParseFloat(value, 64)
			if err != nil || !(w >= 0 && w <= 1) { // NaN is neither
				return 0
			}
			return w
		}
	}
	return 1
}

// answer writes an answer that was constructed.
func (q *request) answer(body []byte) error {
	mediaType, _ := q.mediaType()
	return q.write200(mediaType, body, q.packs(body))
}

// document writes a stored document, or 304 if the client has it.
func (q *request) document(body []byte) error {
	version := brokerage.ETag(body)
	mediaType, _ := q.mediaType()
	packed := q.packs(body)
	tag := version // each representation has its own: a strong tag names one of them (RFC 9110, 8.8.3)
	if mediaType == textType {
		tag += textSuffix
	}
	if packed {
		tag += packedSuffix
	}
	q.Writer.Header()["Etag"] = []string{`"` + tag + `"`}
	if header := q.Request.Header["If-None-Match"]; len(header) > 0 {
		tags, anything, err := etags(header)
		if err != nil {
			return err
		}
		for _, t := range tags {
			anything = anything || t.version() == version
		}
		if anything {
			q.Status(http.StatusNotModified)
			q.Writer.WriteHeaderNow()
			return nil
		}
	}
	return q.write200(mediaType, body, packed)
}

// write200 writes an answer, packed or as it is.
func (q *request) write200(mediaType string, body []byte, packed bool) error {
	if !packed {
		return q.send(http.StatusOK, mediaType, body)
	}
	p, _ := packers.Get().(*packer)
	defer packers.Put(p)
	p.out.Reset()
	p.gzip.Reset(&p.out)
	_, _ = p.gzip.Write(body) // into memory
	_ = p.gzip.Close()
	q.Writer.Header()["Content-Encoding"] = []string{"gzip"}
	return q.send(http.StatusOK, mediaType, p.out.Bytes())
}

// send writes an answer; for HEAD, what goes before its body.
func (q *request) send(status int, mediaType string, body []byte) error {
	q.record(status)
	h := q.Writer.Header()
	h["Content-Type"] = []string{mediaType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	q.Status(status)
	if q.Request.Method == http.MethodHead {
		q.Writer.WriteHeaderNow()
		return nil
	}
	expect(q.Request.Context(), len(body))
	if _, err := q.Writer.Write(body); err != nil {
		return errGone
	}
	return nil
}

type packer struct {
	gzip *gzip.Writer
	out  bytes.Buffer
}

var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is that level
	}
	return &packer{gzip: w}
}}

// packs tells whether an answer is to be packed, and says that it depends on the
// request.
func (q *request) packs(body []byte) bool {
	q.Writer.Header()["Vary"] = []string{vary}
	return len(body) >= packedFrom && takesGzip(q.Request.Header["Accept-Encoding"])
}

// takesGzip tells whether a client names gzip, or everything, and does not like
// it less than an answer as it is (RFC 9110, 12.5.3).
func takesGzip(accept []string) bool {
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

// errGone is a client that did not wait for its answer.
var errGone = errors.New("the client is gone")

// read answers a query by one key, which may be wrong: what the store says,
// written as an answer or as a document.
func read[K any](q *request, key K, wrong error, query func(context.Context, K) ([]byte, error), write func([]byte) error) error {
	if wrong != nil {
		return wrong
	}
	if err := q.accepts(); err != nil {
		return err
	}
	body, err := query(q.ctx, key)
	if err != nil {
		return err
	}
	return write(body)
}

// remove deletes what the path names.
func (q *request) remove(what string, del func(context.Context, brokerage.Write, brokerage.ID) error) error {
	id, err := q.key(what)
	if err != nil {
		return err
	}
	if err := del(q.ctx, brokerage.Write{Now: q.server.now()}, id); err != nil {
		return err
	}
	return q.done(nil)
}

// change answers an update of what a key names, which may be wrong, by what the
// body says.
func change[K, T any](q *request, key K, wrong error, parse func([]byte) (T, error),
	update func(context.Context, brokerage.Write, K, T) ([]byte, error),
) error {
	if wrong != nil {
		return wrong
	}
	if err := q.accepts(); err != nil {
		return err
	}
	body, err := q.body()
	if err != nil {
		return err
	}
	wanted, err := parse(body)
	if err != nil {
		return err
	}
	answer, err := update(q.ctx, brokerage.Write{Now: q.server.now()}, key, wanted)
	if err != nil {
		return err
	}
	return q.answer(answer)
}

// replace puts the body in the place of the document that a key names, which may
// be wrong.
func replace[K any](q *request, key K, wrong error, put func(context.Context, brokerage.Write, K, []byte, bool, brokerage.Match) error) error {
	if wrong != nil {
		return wrong
	}
	validate, err := q.flag("validate", "yes", "no", true)
	if err != nil {
		return err
	}
	match, err := q.match()
	if err != nil {
		return err
	}
	doc, err := q.body()
	if err != nil {
		return err
	}
	if err := put(q.ctx, brokerage.Write{Now: q.server.now()}, key, doc, validate, match); err != nil {
		return err
	}
	return q.done(doc)
}

// insert creates what the body is, at its id under a path; once, if the client
// has given a key.
func (q *request) insert(body []byte, under string, insert func(brokerage.Write) (brokerage.ID, error)) error {
	w, done, err := q.write(body)
	if err != nil {
		return err
	}
	defer done()
	id, err := insert(w)
	if err != nil {
		return err
	}
	return q.created(under + id.String())
}

// created is 201: what was created is at location.
func (q *request) created(location string) error {
	q.made(location)
	q.record(http.StatusCreated)
	q.Header("Location", location)
	q.Status(http.StatusCreated)
	q.Writer.WriteHeaderNow()
	return nil
}

// done is 204, with the version of a document that was replaced.
func (q *request) done(replacedBy []byte) error {
	if replacedBy != nil {
		q.Writer.Header()["Etag"] = []string{`"` + brokerage.ETag(replacedBy) + `"`}
	}
	q.record(http.StatusNoContent)
	q.Status(http.StatusNoContent)
	q.Writer.WriteHeaderNow()
	return nil
}
