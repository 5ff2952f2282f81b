package httpapi

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
	"brokerage/internal/tpox/tpoxtest"
)

const aToken = "00112233445566778899aabbccddeeff"

// withReplicas is a store that answers each write with a token, and keeps the freshness that a read asks for.
type withReplicas struct {
	tpoxtest.Stub
	err   error
	fresh tpox.Freshness
}

func newWithReplicas(t testing.TB) *withReplicas {
	t.Helper()
	token, ok := tpox.ParseToken(aToken)
	require.True(t, ok)
	s := &withReplicas{}
	s.Inner = costless(t)
	s.Do = func(ctx context.Context) error { s.fresh = tpox.FreshnessOf(ctx); return s.err }
	s.Called = func(_ string, args ...any) {
		if w, ok := args[0].(tpox.Write); ok && s.err == nil {
			*w.Token = token
		}
	}
	return s
}

// Each read passes on what its headers ask for, and each write answers with the token of the store.
func TestFreshness(t *testing.T) {
	store := newWithReplicas(t)
	s := serverOf(t, store, Options{})
	token, _ := tpox.ParseToken(aToken)
	reads, writes := 0, 0
	for _, op := range s.operations() {
		route := routeOf(t, op.name)
		accepts := func(header string) bool {
			return route.Operation.Parameters.GetByInAndName("header", header) != nil
		}
		if accepts("Consistency-Token") {
			reads++
			for _, c := range []struct {
				headers []string
				want    tpox.Freshness
			}{
				{nil, tpox.Freshness{}},
				{[]string{"Consistency-Token: " + aToken}, tpox.Freshness{After: token}},
				{[]string{"Max-Staleness: 1500ms"}, tpox.Freshness{Within: 1500 * time.Millisecond}},
				{
					[]string{"Max-Staleness: 2s", "Consistency-Token: " + aToken},
					tpox.Freshness{After: token, Within: 2 * time.Second},
				},
				{[]string{"Max-Staleness: 0s", "Consistency-Token: " + aToken}, tpox.Freshness{}},
			} {
				store.fresh = tpox.Freshness{After: tpox.Token{9}}
				a := play(t, s, op.name, c.headers...)
				require.Equal(t, 200, a.StatusCode, op.name)
				require.Equal(t, c.want, store.fresh, "%s %v", op.name, c.headers)
				require.NotContains(t, a.Header, "Consistency-Token")
			}
		} else if route.Method != http.MethodGet && op.name != "lease_ids" {
			writes++
			require.Equal(t, aToken, play(t, s, op.name).Header.Get("Consistency-Token"), op.name)
			store.err = &tpox.Unavailable{Cause: errors.New("a fault"), Unknown: true}
			require.NotContains(t, play(t, s, op.name).Header, "Consistency-Token", op.name)
			store.err = nil
		}
	}
	require.Equal(t, 9, reads)
	require.Equal(t, 12, writes)
}
