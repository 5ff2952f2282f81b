package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealth(t *testing.T) {
	i := serving(t, "", "--wait", "--db", "postgres://me@"+freeAddress(t)+"/db")
	r := brokerage(t.Context(), "health", "--url", i.url+"/healthz")
	require.Equal(t, exited{exitOK, i.url + "/healthz: 200 OK\n", ""}, r)
	requireOneLine(t, brokerage(t.Context(), "health", "--url", i.url+"/readyz"), exitFailed,
		"/readyz: 503 Service Unavailable")

	t.Setenv("BROKERAGE_LISTEN", strings.Replace(strings.TrimPrefix(i.url, "http://"), "127.0.0.1", "0.0.0.0", 1))
	require.Equal(t, exited{exitOK, i.url + "/healthz: 200 OK\n", ""}, brokerage(t.Context(), "health"))
	i.stop(t)
	requireOneLine(t, brokerage(t.Context(), "health"), exitFailed, "connection refused")
}

// health accepts the URLs that drive --url accepts, and paths below them.
func TestHealth_URL(t *testing.T) {
	asked := ""
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.Path }))
	defer service.Close()
	for url, want := range map[string]string{
		"/": "/healthz", "/readyz": "/readyz", "/at/a/prefix/": "/at/a/prefix/healthz",
		"/at/a/prefix/readyz": "/at/a/prefix/readyz",
	} {
		r := brokerage(t.Context(), "health", "--url", service.URL+url)
		require.Equal(t, exited{exitOK, service.URL + want + ": 200 OK\n", ""}, r)
		require.Equal(t, want, asked)
	}
}

// Without --tls-ca, health does not check the certificate: a real service's does not name the loopback address.
func TestHealth_TLS(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	requireOneLine(t, brokerage(t.Context(), "health", "--url", server.URL), exitFailed, "404 Not Found")
}

func TestHealth_Failures(t *testing.T) {
	t.Parallel()
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hanging.Close()
	requireOneLine(t, brokerage(t.Context(), "health", "--timeout", "50ms", "--url", hanging.URL), exitFailed,
		"deadline exceeded")
	for _, url := range []string{"localhost:8080", "http://me:secret@localhost/", "http://localhost/?a=b"} {
		drive, health := brokerage(t.Context(), "drive", "--url", url), brokerage(t.Context(), "health", "--url", url)
		requireOneLine(t, health, exitUsage, "URL of a service")
		require.Equal(t, strings.Replace(drive.err, "drive", "health", 1), health.err)
	}
}
