package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/store/null"
)

// limited returns a server that allows three requests per second and client, with a clock that the test sets.
func limited(t testing.TB, o Options) (s *Server, clock *time.Time, seen *counts) {
	t.Helper()
	seen = &counts{}
	o.Rate, o.Metrics = 3, seen
	s = serverOf(t, null.Open(), o)
	now := time.Unix(1_700_000_000, 0)
	s.now = func() time.Time { return now }
	return s, &now, seen
}

func send(s http.Handler, from string, headers ...string) answer {
	r := newRequest("GET", "/v1/orders/103282", "", headers...)
	r.RemoteAddr = from
	return given(s, r)
}

func TestQuota_ByAddress(t *testing.T) {
	s, now, seen := limited(t, Options{})
	for i := range 3 {
		require.Equal(t, 200, send(s, fmt.Sprintf("10.0.0.1:%d", 1000+i)).StatusCode, "a burst of a second's worth")
	}
	a := send(s, "10.0.0.1:1")
	requireProblem(t, a, 429, "too-many-requests")
	require.Equal(t, "1", a.Header.Get("Retry-After"))
	require.Equal(t, map[string]int{"rate_limit": 1}, seen.refused)
	require.Equal(t, 200, send(s, "10.0.0.2:1").StatusCode, "another client")
	for _, path := range []string{"/healthz", "/readyz", "/version"} {
		require.NotEqual(t, 429, ask(s, "GET", path, "").StatusCode)
	}

	// After the announced time, three more requests are allowed; a refused request does not prolong it.
	wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
	require.NoError(t, err)
	*now = now.Add(time.Duration(wait) * time.Second)
	for range 3 {
		require.Equal(t, 200, send(s, "10.0.0.1:1").StatusCode)
	}
	require.Equal(t, 429, send(s, "10.0.0.1:1").StatusCode)
}

func TestQuota_ByToken(t *testing.T) {
	reads := []access.Scope{access.Read}
	s, _, _ := limited(t, Options{Tokens: tokens{"a": {Name: "ann", Scopes: reads}, "b": {Name: "bob", Scopes: reads}}})
	for i := range 3 {
		require.Equal(t, 200, send(s, fmt.Sprintf("10.0.0.%d:1", i), "Authorization: a").StatusCode)
	}
	require.Equal(t, 429, send(s, "10.0.0.9:1", "Authorization: a").StatusCode, "from anywhere")
	require.Equal(t, 200, send(s, "10.0.0.1:1", "Authorization: b").StatusCode)
	require.Equal(t, 401, send(s, "10.0.0.1:1", "Authorization: nobody").StatusCode, "an unknown token uses up no quota")
}

// Once there are many clients, idle ones are removed, but a client that has used up its quota is not.
func TestQuota_Memory(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	q := quota{perSecond: 2}
	require.NoError(t, q.take("busy", now))
	require.NoError(t, q.take("busy", now))
	require.Error(t, q.take("busy", now))
	for i := range 3 * clientsKept {
		require.NoError(t, q.take(fmt.Sprint(i), now))
		now = now.Add(time.Microsecond)
		if i == clientsKept+1 {
			require.Error(t, q.take("busy", now))
			now = now.Add(time.Hour)
		}
	}
	require.LessOrEqual(t, len(q.clients), 3*clientsKept)
	now = now.Add(time.Hour)
	require.NoError(t, q.take("one more", now))
	require.Len(t, q.clients, 1)
}
