package access

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// signer is a key of the issuer, with its id.
type signer struct {
	id     string
	method jwt.SigningMethod
	key    crypto.Signer
}

func newSigner(t testing.TB, id, algorithm string) signer {
	t.Helper()
	var key crypto.Signer
	var err error
	switch algorithm {
	case RS256:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	case ES256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case EdDSA:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	}
	require.NoError(t, err)
	return signer{id, jwt.GetSigningMethod(algorithm), key}
}

func number(n *big.Int, size int) string {
	return base64.RawURLEncoding.EncodeToString(n.FillBytes(make([]byte, size)))
}

// jwk returns the public key as a JWKS contains it.
func (s signer) jwk(t testing.TB) map[string]any {
	t.Helper()
	switch key := s.key.Public().(type) {
	case *rsa.PublicKey:
		return map[string]any{
			"kty": "RSA", "kid": s.id, "use": "sig", "alg": RS256, "n": number(key.N, key.Size()), "e": "AQAB",
		}
	case *ecdsa.PublicKey:
		point, err := key.Bytes()
		require.NoError(t, err)
		return map[string]any{
			"kty": "EC", "kid": s.id, "crv": "P-256",
			"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
		}
	case ed25519.PublicKey:
		return map[string]any{"kty": "OKP", "kid": s.id, "crv": "Ed25519", "x": base64.RawURLEncoding.EncodeToString(key)}
	}
	t.Fatal("another key")
	return nil
}

func jwks(t testing.TB, keys ...map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"keys": keys})
	require.NoError(t, err)
	return text
}

// noon is the time in these tests.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// good returns the claims of an accepted token.
func good() jwt.MapClaims {
	return jwt.MapClaims{
		"iss": "https://issuer.test", "aud": "brokerage", "sub": "ann", "scope": "openid read trade",
		"exp": noon.Add(time.Hour).Unix(),
	}
}

// sign makes a token with changed claims and headers; a nil value removes its entry.
func (s signer) sign(t testing.TB, claims, header map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(s.method, good())
	token.Header["kid"] = s.id
	merge(token.Claims.(jwt.MapClaims), claims)
	merge(token.Header, header)
	text, err := token.SignedString(s.key)
	require.NoError(t, err)
	return text
}

// The header of an accepted token and, except for the scope, its claims.
const (
	properHeader = `"alg":"ES256","kid":"e"`
	properClaims = `"iss":"https://issuer.test","aud":"brokerage","sub":"ann","exp":99999999999`
)

// signed makes a token of the given header members and claims.
func (s signer) signed(t testing.TB, header, claims string) string {
	t.Helper()
	text := base64.RawURLEncoding.EncodeToString([]byte("{"+header+"}")) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(claims))
	signature, err := s.method.Sign(text, s.key)
	require.NoError(t, err)
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func merge(into, from map[string]any) {
	for name, value := range from {
		if value == nil {
			delete(into, name)
		} else {
			into[name] = value
		}
	}
}

// issuer serves a JWKS.
type issuer struct {
	*httptest.Server

	mu     sync.Mutex
	status int
	body   []byte
	asked  int
}

func newIssuer(t testing.TB, body []byte) *issuer {
	t.Helper()
	i := &issuer{status: http.StatusOK, body: body}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.asked++
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(i.status)
		_, _ = w.Write(i.body)
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) set(status int, body []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.status, i.body = status, body
}

func (i *issuer) times() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func openedJWTs(t testing.TB, keysURL string, change func(*JWTOptions)) *JWTs {
	t.Helper()
	o := JWTOptions{
		Issuer: "https://issuer.test", Audience: "brokerage", KeysURL: keysURL, now: func() time.Time { return noon },
	}
	if change != nil {
		change(&o)
	}
	j, err := OpenJWTs(t.Context(), o)
	require.NoError(t, err)
	return j
}
