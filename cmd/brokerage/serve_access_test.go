package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// issued writes a key set to a file, and returns a function that signs tokens with its key.
func issued(t testing.TB, path string) func(name, scopes string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := key.PublicKey.Bytes()
	require.NoError(t, err)
	half := base64.RawURLEncoding.EncodeToString
	text, err := json.Marshal(map[string]any{"keys": []any{
		map[string]string{"kty": "EC", "crv": "P-256", "kid": "1", "x": half(point[1:33]), "y": half(point[33:])},
	}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return func(name, scopes string) string {
		token, err := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
			"iss": "https://issuer.test", "aud": "brokerage", "sub": name, "scope": scopes,
			"exp": time.Now().Add(time.Hour).Unix(),
		}).SignedString(key)
		require.NoError(t, err)
		return token
	}
}

// Tokens of both kinds are accepted, and the audit log names the client of each change.
func TestServe_JWT(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys, file, trail := filepath.Join(dir, "jwks.json"), filepath.Join(dir, "tokens"), filepath.Join(dir, "audit.log")
	token := issued(t, keys)
	r := succeeds(t, "token", "--name", "bob", "--scope", "read,trade", "--file", file)
	i := serving(t, tinyDB(t), "--tokens", file, "--audit-log", trail,
		"--jwt-issuer", "https://issuer.test", "--jwt-audience", "brokerage", "--jwks-file", keys, "--jwt-algorithms",
		"ES256")
	status := func(method, order, token string) int {
		return send(t, method, i.url+"/v1/orders/"+order, token, "").status
	}
	ann, bob := token("ann", "openid read trade"), strings.TrimSpace(r.out)
	require.Equal(t, http.StatusOK, status(http.MethodGet, "103282", ann))
	require.Equal(t, http.StatusOK, status(http.MethodGet, "103282", bob))
	require.Equal(t, http.StatusUnauthorized, status(http.MethodGet, "103282", ann[:len(ann)-5]))
	require.Equal(t, http.StatusForbidden, status(http.MethodDelete, "103282", token("eve", "read")))
	require.Equal(t, http.StatusNoContent, status(http.MethodDelete, "103282", ann))
	require.Equal(t, http.StatusNotFound, status(http.MethodDelete, "103282", bob))
	i.stop(t)

	text := testenv.Text(t, trail)
	var did []string
	for line := range strings.Lines(text) {
		var r struct{ Client, Transaction, Outcome string }
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		did = append(did, r.Client+" "+r.Transaction+" "+r.Outcome)
	}
	require.Equal(t, []string{"jwt:eve delete_order forbidden", "jwt:ann delete_order ok", "bob delete_order not-found"},
		did)
	for _, secret := range []string{ann, bob} {
		require.NotContains(t, text, secret)
		require.NotContains(t, i.logs.String(), secret)
	}
}
