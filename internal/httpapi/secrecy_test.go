package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A client without access cannot find out what exists: the answers for an id that exists and for one that does not
// differ only in their path.
func TestSecrecy(t *testing.T) {
	s := fresh(t, Options{Tokens: allTokens})
	pairs := []struct{ path, exists, missing string }{
		{"/v1/orders/{}", "103282", "999999999999999"},
		{"/v1/orders/{}/status", "103282", "999999999999999"},
		{"/v1/customers/{}", "1006", "999999999999999"},
		{"/v1/customers/{}/profile", "1006", "no-id-at-all"},
		{"/v1/customers/{}/statement", "1006", "999999999999999"},
		{"/v1/customers/{}/orders/largest", "1006", "999999999999999"},
		{"/v1/customers/{}/accounts", "1006", "999999999999999"},
		{"/v1/customers/1006/accounts/{}", "104000007", "999999999999999"},
		{"/v1/accounts/{}", "104000007", "999999999999999"},
		{"/v1/accounts/{}/buy", "104000007", "999999999999999"},
		{"/v1/accounts/{}/sell", "104000007", "999999999999999"},
		{"/v1/securities/{}", "SDP", "NOSUCH"},
		{"/v1/securities/{}/price", "SDP", "NOSUCH"},
	}
	asked := 0
	for _, token := range []string{"", "stranger", "reader", "trader", "admin"} {
		for _, p := range pairs {
			for _, method := range []string{
				http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
			} {
				about := func(id string) answer {
					headers := []string{"X-Request-Id: me"}
					if token != "" {
						headers = append(headers, "Authorization: Bearer "+token)
					}
					a := ask(s, method, strings.Replace(p.path, "{}", id, 1), "", headers...)
					a.body = strings.ReplaceAll(a.body, id, "{}")
					return a
				}
				missing := about(p.missing)
				if missing.StatusCode != http.StatusUnauthorized && missing.StatusCode != http.StatusForbidden {
					continue // allowed to read, or no such method
				}
				asked++
				exists := about(p.exists)
				require.Equal(t, missing.StatusCode, exists.StatusCode)
				require.Equal(t, missing.body, exists.body)
				missing.Header.Del("Content-Length") // the path's own length
				exists.Header.Del("Content-Length")
				require.Equal(t, missing.Header, exists.Header)
			}
		}
	}
	require.Greater(t, asked, 60)
}
