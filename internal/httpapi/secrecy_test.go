package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A client without access cannot find out what exists: the answers for an existing and for a missing id differ only
// in the path.
func TestSecrecy(t *testing.T) {
	s := fresh(t, Options{Tokens: allTokens})
	elsewhere := strings.NewReplacer(
		"/103282", "/999999999999999", "/1006", "/no-id-at-all", "/104000007", "/999999999999999", "/SDP", "/NOSUCH")
	asked := 0
	for _, token := range []string{"", "stranger", "reader", "trader", "admin"} {
		for _, op := range s.operations() {
			path := target(t, op.name)
			about := func(path string) answer {
				headers := []string{"X-Request-Id: me"}
				if token != "" {
					headers = append(headers, "Authorization: Bearer "+token)
				}
				a := ask(s, op.method, path, "", headers...)
				a.body = strings.ReplaceAll(a.body, path, "{}")
				a.Header.Del("Content-Length") // depends on the length of the path
				return a
			}
			other := elsewhere.Replace(path)
			if other == path || op.open {
				continue
			}
			missing := about(other)
			if missing.StatusCode != http.StatusUnauthorized && missing.StatusCode != http.StatusForbidden {
				continue // allowed to read
			}
			asked++
			exists := about(path)
			require.Equal(t, missing.StatusCode, exists.StatusCode)
			require.Equal(t, missing.body, exists.body)
			require.Equal(t, missing.Header, exists.Header)
		}
	}
	require.Greater(t, asked, 50)
}
