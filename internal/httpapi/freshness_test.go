package httpapi

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/null"
	"brokerage/internal/tpox"
)

const aToken = "00112233445566778899aabbccddeeff"

// withReplicas is a store that answers a trade with a token, and keeps the freshness that a read asks for.
type withReplicas struct {
	tpox.Store

	err   error
	token tpox.Token
	fresh tpox.Freshness
}

func (s *withReplicas) GetOrder(ctx context.Context, id tpox.ID) ([]byte, error) {
	s.fresh = tpox.FreshnessOf(ctx)
	return s.Store.GetOrder(ctx, id)
}

func (s *withReplicas) SearchSecurities(ctx context.Context, search tpox.Search) ([]byte, error) {
	s.fresh = tpox.FreshnessOf(ctx)
	return s.Store.SearchSecurities(ctx, search)
}

func (s *withReplicas) Trade(ctx context.Context, w tpox.Write, account tpox.ID, t tpox.Trade) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	*w.Token = s.token
	return s.Store.Trade(ctx, w, account, t)
}

// A read passes on what its headers ask for, and a write answers with the token of the store.
func TestFreshness(t *testing.T) {
	token, ok := tpox.ParseToken(aToken)
	require.True(t, ok)
	store := &withReplicas{Store: null.Open(), token: token}
	s := serverOf(t, store, Options{})
	for _, read := range []string{"get_order", "search_securities"} {
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
			a := play(t, s, read, c.headers...)
			require.Equal(t, 200, a.StatusCode, read)
			require.Equal(t, c.want, store.fresh, "%s %v", read, c.headers)
			require.NotContains(t, a.Header, "Consistency-Token")
		}
	}
	require.Equal(t, aToken, play(t, s, "buy_security").Header.Get("Consistency-Token"))
	store.err = &tpox.Unavailable{Cause: errors.New("a fault"), Unknown: true}
	require.NotContains(t, play(t, s, "buy_security").Header, "Consistency-Token")
}
