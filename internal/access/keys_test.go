package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (j *JWTs) knows(t testing.TB, s signer) bool {
	t.Helper()
	_, ok := j.Client(t.Context(), "Bearer "+s.sign(t, nil, nil))
	return ok
}

// An unknown key causes a refresh, and a withdrawn key is refused.
func TestKeys_Rotation(t *testing.T) {
	old, young, unknown := newSigner(t, "1", ES256), newSigner(t, "2", ES256), newSigner(t, "3", ES256)
	i := newIssuer(t, jwks(t, old.jwk(t)))
	j := openedJWTs(t, i.URL, func(o *JWTOptions) { o.pause = time.Nanosecond })
	require.True(t, j.knows(t, old))
	require.Equal(t, 1, i.times())
	i.set(http.StatusOK, jwks(t, old.jwk(t), young.jwk(t)))
	require.True(t, j.knows(t, young))
	require.True(t, j.knows(t, old))
	require.Equal(t, 2, i.times())
	i.set(http.StatusOK, jwks(t, young.jwk(t)))
	require.False(t, j.knows(t, unknown))
	require.False(t, j.knows(t, old))
	require.True(t, j.knows(t, young))
}

// Invented key ids cause no more refreshes than the pause allows, and the known key stays accepted.
func TestKeys_Flood(t *testing.T) {
	known := newSigner(t, "1", EdDSA)
	i := newIssuer(t, jwks(t, known.jwk(t)))
	j := openedJWTs(t, i.URL, func(o *JWTOptions) { o.pause = time.Hour })
	var together sync.WaitGroup
	for n := range 50 {
		token := known.sign(t, nil, map[string]any{"kid": fmt.Sprint("x", n)})
		together.Go(func() {
			if _, ok := j.Client(t.Context(), "Bearer "+token); ok {
				t.Error("an invented key is known")
			}
		})
	}
	together.Wait()
	require.Equal(t, 2, i.times(), "the first, and one for all of them")
	require.True(t, j.knows(t, known))
}

// A refresh delays no client with a known key, continues when the client that caused it is gone, and ends at its
// timeout, also at the start.
func TestKeys_SlowIssuer(t *testing.T) {
	known, young := newSigner(t, "1", ES256), newSigner(t, "2", ES256)
	asked, answers := make(chan bool, 1), make(chan []byte, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- true
		select {
		case body := <-answers:
			_, _ = w.Write(body)
		case <-r.Context().Done():
			<-asked
		}
	}))
	t.Cleanup(slow.Close)
	answers <- jwks(t, known.jwk(t))
	j := openedJWTs(t, slow.URL, nil)
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	token, accepted := young.sign(t, nil, nil), make(chan bool)
	go func() {
		_, ok := j.Client(ctx, "Bearer "+token)
		accepted <- ok
	}()
	<-asked
	require.True(t, j.knows(t, known))
	cancel()
	answers <- jwks(t, known.jwk(t), young.jwk(t))
	require.True(t, <-accepted)

	j = openedJWTs(t, slow.URL, func(o *JWTOptions) { o.timeout = 10 * time.Millisecond })
	require.False(t, j.knows(t, known))

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err := OpenJWTs(ctx, JWTOptions{Issuer: "https://issuer.test", Audience: "brokerage", KeysURL: slow.URL})
	require.ErrorIs(t, err, context.Canceled)
}

// While refreshing fails, the old keys stay valid, but not for ever.
func TestKeys_Failures(t *testing.T) {
	s, unknown := newSigner(t, "1", ES256), newSigner(t, "2", ES256)
	encrypts := s.jwk(t)
	encrypts["use"] = "enc"
	for name, c := range map[string]struct {
		status int
		body   []byte
		says   string
	}{
		"Down":     {http.StatusServiceUnavailable, nil, "503"},
		"Redirect": {http.StatusFound, nil, "302"},
		"NoJSON":   {http.StatusOK, []byte("<html>"), "failed to decode"},
		"NoKeys":   {http.StatusOK, []byte(`{"keys":[]}`), "no key for any"},
		"Secret":   {http.StatusOK, []byte(`{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`), "no key for any"},
		"ForOther": {http.StatusOK, jwks(t, encrypts), "no key for any"},
		"Many":     {http.StatusOK, jwks(t, slices.Repeat([]map[string]any{s.jwk(t)}, maxKeys+1)...), "more than 100"},
		"Large":    {http.StatusOK, []byte(strings.Repeat(" ", maxKeySetBytes+1)), "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t, jwks(t, s.jwk(t)))
			now := &clock{now: noon}
			failed := errors.New("not called")
			j := openedJWTs(t, i.URL, func(o *JWTOptions) {
				o.now, o.Refreshed, o.MaxAge = now.time, func(_ int, err error) { failed = err }, 50*time.Minute
				o.pause = time.Nanosecond
			})
			require.NoError(t, failed)
			i.set(c.status, c.body)
			require.False(t, j.knows(t, unknown))
			require.ErrorContains(t, failed, c.says)
			now.pass(50 * time.Minute)
			require.True(t, j.knows(t, s))
			now.pass(time.Second)
			require.False(t, j.knows(t, s))
			i.set(http.StatusOK, jwks(t, s.jwk(t)))
			require.True(t, j.knows(t, s))
		})
	}
}

// A service starts while the issuer's keys are unavailable, and accepts the issuer's tokens once the keys are there.
func TestKeys_NotThereAtFirst(t *testing.T) {
	s := newSigner(t, "1", ES256)
	i := newIssuer(t, nil)
	i.set(http.StatusBadGateway, nil)
	j := openedJWTs(t, i.URL, func(o *JWTOptions) { o.pause = time.Nanosecond })
	require.False(t, j.knows(t, s))
	i.set(http.StatusOK, jwks(t, s.jwk(t)))
	require.True(t, j.knows(t, s))
}
