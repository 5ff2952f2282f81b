package httpapi

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// requireSound requires that a response, whatever the request, is no 5xx, and that a refusal conforms to the
// contract. A request that hangs shows as a 504.
func requireSound(t testing.TB, method string, a answer) {
	t.Helper()
	require.Less(t, a.StatusCode, 500, a.body)
	require.NotEmpty(t, a.Header.Get("X-Request-Id"))
	switch {
	case method == http.MethodHead:
		require.Empty(t, a.body)
	case a.StatusCode >= 400:
		requireValidProblem(t, a)
	case a.StatusCode == http.StatusNoContent || a.StatusCode == http.StatusNotModified:
		require.Empty(t, a.body)
	}
}

// FuzzBody sends anything to every operation that takes a body.
func FuzzBody(f *testing.F) {
	s := fresh(f, Options{Timeout: 10 * time.Second})
	var taking []string
	for _, op := range s.operations() {
		if routeOf(f, op.name).Operation.RequestBody != nil && op != leaseIDs {
			taking = append(taking, op.name)
		}
	}
	for i, operation := range taking {
		f.Add(byte(i), "application/xml", "", []byte(example(f, operation+".request.xml")))
	}
	f.Add(byte(0), "text/xml; charset=utf-16", "k", []byte("\xfe\xff\x00<\x00a\x00/\x00>"))
	f.Add(byte(1), "application/json", "", []byte("{}"))
	f.Add(byte(2), "text/xml;;", "k", []byte(`<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`))
	f.Fuzz(func(t *testing.T, index byte, mediaType, key string, body []byte) {
		operation := taking[int(index)%len(taking)]
		r := newRequest(routeOf(t, operation).Method, target(t, operation), string(body))
		r.Header["Content-Type"] = []string{mediaType}
		if key != "" {
			r.Header["Idempotency-Key"] = []string{key}
		}
		a := given(s, r)
		requireSound(t, r.Method, a)
		requireConforms(t, operation, a)
	})
}

// FuzzPath sends any request that net/http lets through. The text after an empty line in its headers is its body.
func FuzzPath(f *testing.F) {
	s := fresh(f, Options{Timeout: 10 * time.Second})
	for _, op := range s.operations() {
		f.Add(op.method, target(f, op.name), "Accept: application/problem+json\r\nAccept-Encoding: gzip")
	}
	for _, path := range []string{
		"*", "//", "/..", "/%2F", "/v1/securities/%ff?%", "http://x/v1?a;b", "/docs/../x",
		"/v1/securities?sector=%00&peMin=1&peMax=&yieldMin=.", "/v1/orders/[1]",
	} {
		f.Add("GET", path, `If-None-Match: W/"x", "y"`)
		f.Add("OPTIONS", path, "Range: bytes=9-1\r\nContent-Length: 3\r\n\r\n<a>")
	}
	f.Fuzz(func(t *testing.T, method, path, headers string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " " + path + " HTTP/1.1\r\nHost: x\r\n" +
			headers + "\r\n\r\n")))
		if err != nil || r.URL.Path == "/v1/live" { // which does not end
			return
		}
		requireSound(t, r.Method, given(s, r))
	})
}
