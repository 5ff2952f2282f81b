package access

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An unknown key causes a refresh, and a withdrawn key is refused.
func TestKeyring_Rotation(t *testing.T) {
	old, young := newSigner(t, "1", ES256), newSigner(t, "2", ES256)
	i := newIssuer(t, jwks(t, old.jwk(t)))
	now := &clock{now: noon}
	j := openedJWTs(t, i.URL, func(o *JWTOptions) { o.now = now.time })
	knows := func(s signer) bool {
		_, ok := j.Client(t.Context(), "Bearer "+s.sign(t, nil, nil))
		return ok
	}
	require.True(t, knows(old))
	require.Equal(t, 1, i.times())

	i.set(http.StatusOK, jwks(t, old.jwk(t), young.jwk(t)))
	require.False(t, knows(young), "it was asked a moment ago")
	now.pass(minRefreshPause)
	require.True(t, knows(young))
	require.True(t, knows(old))
	require.Equal(t, 2, i.times())

	i.set(http.StatusOK, jwks(t, young.jwk(t)))
	j.keys.refreshNow(t.Context())
	require.False(t, knows(old))
	require.True(t, knows(young))
}

// recorder keeps the contexts of the requests that it carries, and holds these up until hold is closed.
type recorder struct {
	contexts []context.Context
	hold     chan struct{}
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.contexts = append(r.contexts, request.Context())
	if r.hold != nil {
		<-r.hold
	}
	return http.DefaultTransport.RoundTrip(request)
}

// A refresh that a request causes has the values of its context, such as the trace, but does not end with it.
func TestKeyring_OfRequest(t *testing.T) {
	i, now, carried := newIssuer(t, jwks(t, newSigner(t, "1", ES256).jwk(t))), &clock{now: noon}, &recorder{}
	j := openedJWTs(t, i.URL, func(o *JWTOptions) { o.now, o.Transport = now.time, carried })
	young := newSigner(t, "2", ES256)
	i.set(http.StatusOK, jwks(t, young.jwk(t)))
	now.pass(minRefreshPause)

	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "of the request"))
	cancel()
	carried.hold = make(chan struct{})
	_, ok := j.Client(ctx, "Bearer "+young.sign(t, nil, nil))
	require.False(t, ok, "nobody waits for it any more")
	close(carried.hold)
	_, ok = j.Client(t.Context(), "Bearer "+young.sign(t, nil, nil)) // waits for the running refresh
	require.True(t, ok)
	require.Len(t, carried.contexts, 2)
	require.Nil(t, carried.contexts[0].Value(key{}))
	require.Equal(t, "of the request", carried.contexts[1].Value(key{}))
}

// A wait for keys ends with its context; the refresh continues for all callers.
func TestKeyring_WaitEndsWithContext(t *testing.T) {
	es := newSigner(t, "e", ES256)
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-answer:
			_, _ = w.Write(jwks(t, es.jwk(t)))
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	const soon = fetchTimeout / 3
	briefly := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	began := time.Now()
	_, err := OpenJWTs(briefly(), JWTOptions{Issuer: "https://issuer.test", Audience: "brokerage", KeysURL: slow.URL})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(began), soon)
	<-asked

	now := &clock{now: noon}
	j := openedJWTs(t, newIssuer(t, jwks(t, es.jwk(t))).URL, func(o *JWTOptions) { o.now = now.time })
	j.keys.fetch = fromURL(slow.URL, nil)
	now.pass(minRefreshPause)
	young := es.sign(t, nil, map[string]any{"kid": "new"})
	began = time.Now()
	var waiting sync.WaitGroup
	for range 5 { // one fetches the keys, four wait for them
		waiting.Go(func() {
			_, ok := j.Client(briefly(), "Bearer "+young)
			assert.False(t, ok)
		})
	}
	waiting.Wait()
	assert.Less(t, time.Since(began), soon)
	<-asked
	close(answer)
	j.keys.refreshNow(t.Context())
	assert.Len(t, asked, 1, "the five asked once, and then refreshNow")
}

// Invented key ids cause no more refreshes than the minimum pause allows.
func TestKeyring_Flood(t *testing.T) {
	known := newSigner(t, "1", EdDSA)
	i := newIssuer(t, jwks(t, known.jwk(t)))
	now := &clock{now: noon}
	j := openedJWTs(t, i.URL, func(o *JWTOptions) { o.now = now.time })
	for range 3 {
		var together sync.WaitGroup
		for n := range 50 {
			together.Go(func() {
				_, ok := j.Client(t.Context(), "Bearer "+known.sign(t, nil, map[string]any{"kid": fmt.Sprint("x", n)}))
				require.False(t, ok)
			})
		}
		together.Wait()
		now.pass(minRefreshPause)
	}
	require.Equal(t, 3, i.times(), "the first, and one for each of two times")
	_, ok := j.Client(t.Context(), "Bearer "+known.sign(t, nil, nil))
	require.True(t, ok)
}

// While refreshing fails, the old keys stay valid, but not for ever.
func TestKeyring_Failures(t *testing.T) {
	s := newSigner(t, "1", ES256)
	for name, c := range map[string]struct {
		status int
		body   []byte
		says   string
	}{
		"Down":     {http.StatusServiceUnavailable, nil, "503"},
		"Redirect": {http.StatusFound, nil, "302"},
		"NoJSON":   {http.StatusOK, []byte("<html>"), "not a JWKS"},
		"NoKeys":   {http.StatusOK, []byte(`{"keys":[]}`), "no key for any"},
		"Large":    {http.StatusOK, []byte(strings.Repeat(" ", maxKeySetBytes+1)), "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t, jwks(t, s.jwk(t)))
			now := &clock{now: noon}
			var failed error
			j := openedJWTs(t, i.URL, func(o *JWTOptions) {
				o.now, o.Refreshed, o.MaxAge = now.time, func(_ int, err error) { failed = err }, 50*time.Minute
			})
			knows := func() bool {
				_, ok := j.Client(t.Context(), "Bearer "+s.sign(t, nil, nil))
				return ok
			}
			require.NoError(t, failed)
			i.set(c.status, c.body)
			j.keys.refreshNow(t.Context())
			require.ErrorContains(t, failed, c.says)
			now.pass(50 * time.Minute)
			require.True(t, knows())
			now.pass(time.Second)
			require.False(t, knows())

			i.set(http.StatusOK, jwks(t, s.jwk(t)))
			require.False(t, knows(), "it was asked a moment ago")
			now.pass(minRefreshPause - time.Second)
			require.False(t, knows())
			now.pass(time.Second)
			require.True(t, knows())
		})
	}
}

// A service starts while the issuer does not answer, and accepts its tokens once it does.
func TestKeyring_NotThereAtFirst(t *testing.T) {
	s := newSigner(t, "1", ES256)
	i := newIssuer(t, nil)
	i.set(http.StatusBadGateway, nil)
	now := &clock{now: noon}
	j := openedJWTs(t, i.URL, func(o *JWTOptions) { o.now = now.time })
	_, ok := j.Client(t.Context(), "Bearer "+s.sign(t, nil, nil))
	require.False(t, ok)
	i.set(http.StatusOK, jwks(t, s.jwk(t)))
	now.pass(minRefreshPause)
	_, ok = j.Client(t.Context(), "Bearer "+s.sign(t, nil, nil))
	require.True(t, ok)
}
