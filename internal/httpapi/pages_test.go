package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/httpapi/pages"
)

// Pages and their files are compressed, sent again only when they have changed, and have a policy of their own.
func TestPages_Files(t *testing.T) {
	s := serverOf(t, nil, Options{})
	for _, path := range []string{
		"/", "/docs", "/page/base.css", "/page/base.js", "/page/icon.svg", "/page/templates.json",
	} {
		plain, packed := ask(s, "GET", path, ""), ask(s, "GET", path, "", "Accept-Encoding: br, gzip")
		require.Equal(t, 200, plain.StatusCode, path)
		require.Equal(t, []string{pages.Policy}, plain.Header["Content-Security-Policy"])
		require.Equal(t, []string{"no-referrer"}, plain.Header["Referrer-Policy"])
		require.Equal(t, []string{"no-cache"}, plain.Header["Cache-Control"])
		require.Equal(t, notSniffed, plain.Header["X-Content-Type-Options"])
		if len(plain.body) >= compressedFrom {
			require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"), path)
			require.Equal(t, plain.body, unpacked(t, packed), path)
			require.NotEqual(t, plain.Header.Get("Etag"), packed.Header.Get("Etag"))
		}
		again := ask(s, "GET", path, "", "If-None-Match: "+packed.Header.Get("Etag"))
		require.Equal(t, 304, again.StatusCode, path)
		require.Empty(t, again.body)
		require.Empty(t, ask(s, "HEAD", path, "").body)
		require.Equal(t, 200, ask(s, "GET", path, "", "If-None-Match: x", "Range: bytes=9-1").StatusCode, path)
	}
	for _, path := range []string{
		"/page", "/page/", "/page/front.html", "/page/none.js", "/docs/docs.css", "/index.html",
	} {
		requireProblem(t, ask(s, "GET", path, ""), 404, "not-found")
	}
	redirected := ask(s, "GET", "/docs/", "")
	require.Equal(t, 308, redirected.StatusCode)
	require.Equal(t, "../docs", redirected.Header.Get("Location"))
}
