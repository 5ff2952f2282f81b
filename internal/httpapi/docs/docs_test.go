package docs_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/httpapi/docs"
)

var handler = docs.Handler(api.OpenAPI()) // kept, as the service keeps it

// paths are the paths of all files of the page.
var paths = []string{"/docs", "/docs/base.css", "/docs/docs.css", "/docs/base.js", "/docs/docs.js", "/docs/icon.svg"}

// ask sends a request; header is pairs of name and value.
func ask(t testing.TB, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func get(t testing.TB, path string) string {
	t.Helper()
	w := ask(t, http.MethodGet, path)
	require.Equal(t, http.StatusOK, w.Code, path)
	return w.Body.String()
}

func TestHandler_Methods(t *testing.T) {
	for _, path := range paths {
		full, head := ask(t, http.MethodGet, path), ask(t, http.MethodHead, path)
		require.Equal(t, http.StatusOK, full.Code, path)
		require.NotEmpty(t, full.Body.String(), path)
		require.Equal(t, http.StatusOK, head.Code, path)
		require.Empty(t, head.Body.String(), path)
		require.Equal(t, full.Header(), head.Header(), path)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
			w := ask(t, method, path)
			require.Equal(t, http.StatusMethodNotAllowed, w.Code, "%s %s", method, path)
			require.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
		}
	}
}

func TestHandler_OtherPaths(t *testing.T) {
	for _, path := range []string{"/docs/page.html", "/docs/assets/docs.css", "/docs/../docs.go", "/docs/docs.css/", "/"} {
		require.Equal(t, http.StatusNotFound, ask(t, http.MethodGet, path).Code, path)
	}
	w := ask(t, http.MethodGet, "/docs/")
	require.Equal(t, http.StatusPermanentRedirect, w.Code)
	require.Equal(t, "../docs", w.Header().Get("Location"))
}

func TestHandler_Policy(t *testing.T) {
	for _, path := range append(paths, "/docs/none") {
		h := ask(t, http.MethodGet, path).Header()
		policy := strings.Split(h.Get("Content-Security-Policy"), "; ")
		require.Equal(t, "default-src 'none'", policy[0], path)
		for _, directive := range policy[1:] {
			require.Regexp(t, `^[a-z-]+ '(self|none)'$`, directive, path)
		}
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		require.Equal(t, "no-referrer", h.Get("Referrer-Policy"), path)
	}
}

func TestHandler_Caching(t *testing.T) {
	seen := make(map[string]string)
	for _, path := range paths {
		plain := ask(t, http.MethodGet, path)
		packed := ask(t, http.MethodGet, path, "Accept-Encoding", "br, gzip;q=0.8")
		require.Empty(t, plain.Header().Get("Content-Encoding"), path)
		require.Equal(t, "gzip", packed.Header().Get("Content-Encoding"), path)
		unpacked, err := gzip.NewReader(packed.Body)
		require.NoError(t, err)
		body, err := io.ReadAll(unpacked)
		require.NoError(t, err)
		require.Equal(t, plain.Body.String(), string(body), path)

		for encoding, w := range map[string]*httptest.ResponseRecorder{"": plain, "gzip": packed} {
			h := w.Header()
			require.Equal(t, "no-cache", h.Get("Cache-Control"), path)
			require.Equal(t, "Accept-Encoding", h.Get("Vary"), path)
			require.Equal(t, plain.Header().Get("Content-Type"), h.Get("Content-Type"), path)
			etag := h.Get("ETag")
			require.Regexp(t, `^"[0-9a-f]{32}(-gzip)?"$`, etag)
			require.Empty(t, seen[etag], "an ETag is of one form of one file")
			seen[etag] = path

			again := ask(t, http.MethodGet, path, "Accept-Encoding", encoding, "If-None-Match", etag)
			require.Equal(t, http.StatusNotModified, again.Code, path)
			require.Empty(t, again.Body.String(), path)
			require.Equal(t, etag, again.Header().Get("ETag"), path)
		}
	}
}

func TestHandler_AcceptEncoding(t *testing.T) {
	for accept, packed := range map[string]bool{
		"":                       false,
		"gzip":                   true,
		"GZIP":                   true,
		"deflate, gzip, br":      true,
		"gzip; q=1.0, *;q=0.5":   true,
		"gzip;q=0":               false,
		"br, gzip; q=0.000, *":   false,
		"gzip;q=much":            false,
		"identity, xgzip, gzipx": false,
	} {
		w := ask(t, http.MethodGet, "/docs/icon.svg", "Accept-Encoding", accept)
		require.Equal(t, packed, w.Header().Get("Content-Encoding") == "gzip", accept)
	}
}

func TestHandler_NoContract(t *testing.T) {
	for name, contract := range map[string]string{
		"NotYAML":   "openapi: [",
		"Reference": "paths: {/x: {get: {parameters: [{$ref: '#/components/parameters/None'}]}}}",
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs", http.NoBody)
			require.Panics(t, func() { docs.Handler([]byte(contract)).ServeHTTP(httptest.NewRecorder(), r) })
		})
	}
}

// The page and its links load nothing from elsewhere.
func TestAssets_NothingExternal(t *testing.T) {
	page := get(t, "/docs")
	link := regexp.MustCompile(
		`<[a-z][^>]*\s(?:href|src|srcset|action|formaction|data|poster|background|ping)="([^"]*)"`)
	links := link.FindAllStringSubmatch(page, -1)
	require.NotEmpty(t, links)
	for _, link := range links {
		require.Regexp(t,
			`^(#[A-Za-z0-9_-]+|docs/((base|docs)\.(css|js)|icon\.svg)|openapi\.yaml|schema/[a-z-]+\.xsd|\./)$`, link[1])
	}
	// The page contains nothing that its policy would refuse.
	require.NotRegexp(t, `(?i)<style|<iframe|<object|<embed|<base|<meta http-equiv|<[a-z][^>]*\s(style|on[a-z]+)=`, page)
	require.NotRegexp(t, `<script(?:>|[^>]*>[^<])`, page)

	require.NotRegexp(t, `(?i)url\(|@import|@font-face|//[a-z]`, get(t, "/docs/base.css")+get(t, "/docs/docs.css"))

	script := get(t, "/docs/base.js") + get(t, "/docs/docs.js")
	require.NotRegexp(t, `(?i)https?:|['"\x60]//|\bimport\b|importScripts|sendBeacon|WebSocket|EventSource`, script)
	require.NotRegexp(t, `\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write`, script,
		"answers are text")
	require.NotRegexp(t, `localStorage|sessionStorage|document\.cookie|indexedDB`, script, "a token stays in the page")

	namespace := `xmlns="http://www.w3.org/2000/svg"`
	require.NotRegexp(t, `(?i)//|href|url\(|<script|<style`, strings.Replace(get(t, "/docs/icon.svg"), namespace, "", 1))
}

// The page loads fast on a phone with a poor connection: all files together are about as large as a photograph.
func TestAssets_Size(t *testing.T) {
	var sum int
	for _, path := range paths {
		var body bytes.Buffer
		_, err := body.ReadFrom(ask(t, http.MethodGet, path, "Accept-Encoding", "gzip").Body)
		require.NoError(t, err)
		t.Logf("%s: %d bytes packed, %d plain", path, body.Len(), len(get(t, path)))
		sum += body.Len()
	}
	require.Less(t, sum, 48<<10)
}
