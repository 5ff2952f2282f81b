// Package pages contains what the service's pages in the browser share: serving their files, their content security
// policy, their style, and showing XML.
package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed assets templates
var shared embed.FS

// policy allows the page to load its own files and to send requests to the service, and nothing else: no inline script
// or style, no frame, no form that leaves the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page is HTML at a path, and files below another path.
type Page struct {
	Path   string // of the page itself
	Files  string // prefix of its files, and of the shared ones
	Assets fs.FS  // assets/page.html, the template of the page, and other files in assets
	// Make returns the data of the template, and files by name. It is called once, for the first request, which panics on
	// an error: that is a bug of the program.
	Make func() (data any, files map[string][]byte, err error)
}

var mediaTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".json": "application/json",
}

// Handler returns the handler of the page and its files.
func (p Page) Handler() http.Handler {
	made := sync.OnceValue(p.assets)
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
		if p.Path != "/" && r.URL.Path == p.Path+"/" {
			// Relative, so that it is right behind a proxy that serves the service below a path.
			h.Set("Location", ".."+p.Path)
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		}
		a, ok := made()[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		a.serve(w, r)
	})
}

func (p Page) assets() map[string]*asset {
	html, files, err := p.make()
	if err != nil {
		panic(fmt.Sprintf("pages: %s: %v", p.Path, err))
	}
	all := map[string]*asset{p.Path: newAsset("text/html; charset=utf-8", html)}
	for name, body := range files {
		all[p.Files+name] = newAsset(mediaTypes[path.Ext(name)], body)
	}
	return all
}

// make returns the HTML of the page and its files by name. A file that Make returns replaces the asset of that name.
func (p Page) make() (html []byte, files map[string][]byte, err error) {
	data, made, err := p.Make()
	if err != nil {
		return nil, nil, err
	}
	layout := template.Must(template.New("page.html").ParseFS(shared, "templates/*.html"))
	var out bytes.Buffer
	if err := template.Must(layout.ParseFS(p.Assets, "assets/page.html")).Execute(&out, data); err != nil {
		return nil, nil, err
	}
	files = make(map[string][]byte)
	for _, from := range []fs.FS{shared, p.Assets} {
		names, err := fs.Glob(from, "assets/*.*")
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			if files[path.Base(name)], err = fs.ReadFile(from, name); err != nil {
				return nil, nil, err
			}
		}
	}
	delete(files, "page.html")
	maps.Copy(files, made)
	return out.Bytes(), files, nil
}

// An asset is a file, uncompressed and compressed.
type asset struct {
	contentType, etag string
	plain, compressed []byte
}

func newAsset(contentType string, body []byte) *asset {
	var compressed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&compressed, gzip.BestCompression) // the level is valid
	_, _ = w.Write(body)                                           // a buffer never fails
	_ = w.Close()
	sum := sha256.Sum256(body)
	return &asset{contentType: contentType, etag: fmt.Sprintf("%x", sum[:16]), plain: body, compressed: compressed.Bytes()}
}

// serve answers with the asset, or with 304. Browsers revalidate each time (no-cache), since the names of files do not
// change between versions.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	body, etag := a.plain, a.etag
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		body, etag = a.compressed, etag+"-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", `"`+etag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// acceptsGzip reports whether a client accepts gzip by its name, as browsers do; it ignores `*`.
func acceptsGzip(accept string) bool {
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
