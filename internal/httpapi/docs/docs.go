// Package docs is the contract as a page, to read and to try it from.
//
// The page is made from the contract itself, once, when it is first asked for: HTML that reads without a script, one style
// sheet, and one script for what a page cannot do alone, which is sending requests, indenting XML and filtering. It asks nobody
// but the service for anything, and its policy holds the browser to that.
package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed assets
var files embed.FS

// policy lets the browser load the page's own files and send requests to the service, and do nothing else: no inline script or
// style, no frame, no form that leaves the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page of a contract (OpenAPI 3.1, YAML, complete in itself) at /docs and its files below. Only the first
// request pays for making the page, so a handler is to be kept. A contract that cannot be read is a bug of the program, and
// the first request panics.
func Handler(contract []byte) http.Handler {
	pages := sync.OnceValue(func() map[string]*asset {
		html, err := render(contract)
		if err != nil {
			panic(fmt.Sprintf("docs: %v", err))
		}
		return map[string]*asset{
			"/docs":           newAsset("text/html; charset=utf-8", html),
			"/docs/style.css": newAsset("text/css; charset=utf-8", embedded("style.css")),
			"/docs/script.js": newAsset("text/javascript; charset=utf-8", embedded("script.js")),
			"/docs/icon.svg":  newAsset("image/svg+xml", embedded("icon.svg")),
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		if r.URL.Path == "/docs/" {
			// Relative, so that it also holds behind a proxy that gives the service a path of its own.
			h.Set("Location", "../docs")
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		}
		page, ok := pages()[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		page.serve(w, r)
	})
}

// asset is an answer, made once, in both of its forms.
type asset struct {
	contentType, etag string
	plain, packed     []byte
}

func newAsset(contentType string, body []byte) *asset {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that there is
	_, _ = w.Write(body)                                       // a buffer takes everything
	_ = w.Close()
	sum := sha256.Sum256(body)
	return &asset{contentType: contentType, etag: fmt.Sprintf("%x", sum[:16]), plain: body, packed: packed.Bytes()}
}

// serve answers with the asset, or with 304. A browser asks each time (no-cache), since the names of the files stay the same
// from version to version.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	body, etag := a.plain, a.etag
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		body, etag = a.packed, etag+"-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", `"`+etag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// takesGzip reads Accept-Encoding. Browsers name gzip; `*` is not worth the packed form.
func takesGzip(accept string) bool {
	for coding := range strings.SplitSeq(accept, ",") {
		name, parameter, _ := strings.Cut(coding, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		weight, given := strings.CutPrefix(strings.TrimSpace(parameter), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !given || err == nil && q > 0
	}
	return false
}

func embedded(name string) []byte {
	body, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic(fmt.Sprintf("docs: %v", err)) // part of the program
	}
	return body
}
