package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/MicahParks/jwkset"
	"golang.org/x/time/rate"

	"brokerage/internal/format"
	"brokerage/internal/output"
)

// Intervals and limits of an issuer's keys.
const (
	// refreshInterval is the time between two refreshes of the keys. A withdrawn key is accepted until the next
	// successful refresh, or until the keys are too old.
	refreshInterval = 5 * time.Minute
	// unknownKeyPause bounds the requests that tokens with invented key ids cause.
	unknownKeyPause = 10 * time.Second
	// fetchTimeout bounds how long a refresh takes, and hence how long a client with a new key waits.
	fetchTimeout = 3 * time.Second
	// maxKeySetBytes and maxKeys are far more than any issuer uses.
	maxKeySetBytes = 1 << 20
	maxKeys        = 100
)

// heldKeys stores the keys of an issuer as of the last refresh.
type heldKeys struct {
	jwkset.Storage

	algorithms []string
	maxAge     time.Duration // 0: for ever
	now        func() time.Time
	refreshed  func(keys int, err error)
	fetched    atomic.Pointer[time.Time] // nil: never
}

// KeyReplaceAll implements jwkset.Storage. It leaves out keys that verify no accepted signature. If no key is left,
// the set is refused: far more often it is a mistake than meant to lock all clients out.
func (h *heldKeys) KeyReplaceAll(ctx context.Context, keys []jwkset.JWK) error {
	if len(keys) > maxKeys {
		return unusableError{fmt.Errorf("there are more than %d keys", maxKeys)}
	}
	keys = slices.DeleteFunc(slices.Clone(keys), func(key jwkset.JWK) bool {
		k := key.Marshal()
		algorithm := map[jwkset.KTY]string{jwkset.KtyRSA: RS256, jwkset.KtyEC: ES256, jwkset.KtyOKP: EdDSA}[k.KTY]
		return !slices.Contains(h.algorithms, algorithm) || k.ALG != "" && k.ALG.String() != algorithm ||
			k.USE != "" && k.USE != jwkset.UseSig
	})
	if len(keys) == 0 {
		return unusableError{errors.New("there is no key for any of the accepted algorithms")}
	}
	if err := h.Storage.KeyReplaceAll(ctx, keys); err != nil {
		return err
	}
	now := h.now()
	h.fetched.Store(&now)
	h.refreshed(len(keys), nil)
	return nil
}

// unusableError is the reason why a set of keys was refused.
type unusableError struct{ error }

// KeyRead implements jwkset.Storage.
func (h *heldKeys) KeyRead(ctx context.Context, id string) (jwkset.JWK, error) {
	if h.tooOld() {
		return jwkset.JWK{}, jwkset.ErrKeyNotFound
	}
	return h.Storage.KeyRead(ctx, id)
}

// KeyReadAll implements jwkset.Storage.
func (h *heldKeys) KeyReadAll(ctx context.Context) ([]jwkset.JWK, error) {
	if h.tooOld() {
		return nil, nil
	}
	return h.Storage.KeyReadAll(ctx)
}

// tooOld reports whether the keys were never refreshed, or so long ago that one of them may have been withdrawn.
func (h *heldKeys) tooOld() bool {
	fetched := h.fetched.Load()
	return fetched == nil || h.maxAge > 0 && h.now().Sub(*fetched) > h.maxAge
}

// failed reports why the keys were not refreshed.
func (h *heldKeys) failed(_ context.Context, err error) {
	if unusable, is := errors.AsType[unusableError](err); is {
		err = unusable
	}
	h.refreshed(0, format.Error(err))
}

// fromURL returns keys that are fetched at an interval until ctx is done, and when a token names an unknown key.
func (h *heldKeys) fromURL(ctx context.Context, o JWTOptions) (jwkset.Storage, error) {
	u, err := format.ParseURL(o.KeysURL)
	if err != nil || u.Host == "" {
		return nil, errors.New("the URL of the keys is invalid: use https://HOST/PATH")
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case u.User != nil:
		return nil, errors.New("the URL of the keys must not hold a password")
	// Others on the network could forge the response of any URL that is neither https nor local.
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback):
		return nil, errors.New("the URL of the keys must be https, since whoever can change the keys can make tokens")
	}
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	fetched, err := jwkset.NewStorageFromHTTP(o.KeysURL, jwkset.HTTPClientStorageOptions{
		Client: &http.Client{
			Transport: limited{transport},
			// Only the configured address is trusted, not one that it redirects to.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		Ctx: ctx, Storage: h, HTTPTimeout: o.timeout, RefreshInterval: refreshInterval,
		NoErrorReturnFirstHTTPReq: true, RefreshErrorHandler: h.failed,
	})
	if err != nil {
		return nil, err
	}
	return jwkset.NewHTTPClient(jwkset.HTTPClientOptions{
		HTTPURLs:         map[string]jwkset.Storage{o.KeysURL: fetched},
		RateLimitWaitMax: o.timeout, RefreshUnknownKID: rate.NewLimiter(rate.Every(o.pause), 1),
	})
}

// limited bounds the bodies of responses.
type limited struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxKeySetBytes)
	}
	return response, err
}

// read reads the keys from a file.
func (h *heldKeys) read(ctx context.Context, path string) {
	text, err := output.ReadInput(path, maxKeySetBytes)
	if err != nil {
		h.failed(ctx, err)
		return
	}
	var set jwkset.JWKSMarshal
	var keys []jwkset.JWK
	err = json.Unmarshal(text, &set)
	if err == nil {
		keys, err = set.JWKSlice()
	}
	if err == nil {
		err = h.KeyReplaceAll(ctx, keys)
	}
	if err != nil {
		h.failed(ctx, fmt.Errorf("%s: %w", path, err))
	}
}
