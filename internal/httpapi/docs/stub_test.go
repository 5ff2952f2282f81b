package docs_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/httpapi/docs"
)

// token is the one that the stub takes.
const token = "a-token-for-reading"

// service is the page with a stub of the service behind it, which answers with the examples of the contract. What it
// was sent last is put into got.
func service(t testing.TB, got *http.Request) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/docs", docs.Handler(api.OpenAPI()))
	mux.Handle("/docs/", docs.Handler(api.OpenAPI()))
	answer := func(status int, example string) http.HandlerFunc {
		text, err := api.Examples.ReadFile("examples/" + example)
		require.NoError(t, err)
		return func(w http.ResponseWriter, r *http.Request) {
			*got = *r.Clone(t.Context())
			w.Header().Set("X-Request-Id", "01JGJ5C3T8XW")
			if r.Header.Get("Authorization") != "Bearer "+token {
				w.Header().Set("Content-Type", "application/problem+xml; charset=utf-8")
				w.WriteHeader(http.StatusUnauthorized)
				text, _ := api.Examples.ReadFile("examples/problem.unauthorized.xml")
				_, _ = w.Write(text)
				return
			}
			w.Header().Set("Content-Type", "application/xml; charset=utf-8")
			w.Header().Set("ETag", `"d41d8cd98f00b204e9800998ecf8427e"`)
			w.WriteHeader(status)
			_, _ = w.Write(text)
		}
	}
	mux.Handle("GET /v1/orders/{order}", answer(http.StatusOK, "get_order.response.xml"))
	mux.Handle("GET /v1/securities", answer(http.StatusOK, "search_securities.response.xml"))
	mux.Handle("GET /v1/securities/{symbol}", answer(http.StatusOK, "get_security.response.xml"))
	return mux
}
