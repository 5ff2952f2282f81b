package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/audit"
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
	did := make(map[string]int) // last status by client; on an almost full disk this fails: refusals are only counted
	for line := range strings.Lines(text) {
		var r audit.Record
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		did[r.Client] = r.Status
	}
	require.Equal(t, map[string]int{"jwt:eve": http.StatusForbidden, "jwt:ann": http.StatusNoContent,
		"bob": http.StatusNotFound}, did)
	for _, secret := range []string{ann, bob} {
		require.NotContains(t, text, secret)
		require.NotContains(t, i.logs.String(), secret)
	}
}

// buy sends a trade, and returns the status of its answer.
func (i *instance) buy(t testing.TB, by *http.Client, token, requestID string) int {
	t.Helper()
	return sendBy(t, by, http.MethodPost, i.url+"/v1/accounts/104000007/buy", token, fmt.Sprintf(trade, "SDP"),
		"X-Request-Id", requestID).status
}

// logrotate renames the file and sends SIGHUP: under load no record is lost.
func TestServe_AuditRotated(t *testing.T) {
	t.Parallel()
	trail := filepath.Join(t.TempDir(), "audit.log")
	i := serving(t, tinyDB(t), "--audit-log", trail)
	keeping := &http.Client{Timeout: patience}
	defer keeping.CloseIdleConnections()
	var done atomic.Bool
	var acknowledged atomic.Int64
	var trading sync.WaitGroup
	for n := range 4 {
		trading.Go(func() {
			for m := 0; !done.Load(); m++ {
				if i.buy(t, keeping, "", fmt.Sprintf("%d-%d", n, m)) == http.StatusOK {
					acknowledged.Add(1)
				}
			}
		})
	}
	files := []string{trail}
	for n := range 3 {
		eventually(t, func() bool { return acknowledged.Load() >= int64(20*(n+1)) }, "%s", i.logs)
		old := fmt.Sprint(trail, ".", n)
		files = append(files, old)
		require.NoError(t, os.Rename(trail, old))
		require.NoError(t, i.cmd.Process.Signal(syscall.SIGHUP))
		eventually(t, func() bool { return strings.Count(i.logs.String(), "audit log reopened") > n }, "%s", i.logs)
	}
	done.Store(true)
	trading.Wait()
	i.stop(t)
	seen := make(map[string]bool)
	for _, file := range files {
		for line := range strings.Lines(testenv.Text(t, file)) {
			var r audit.Record
			require.NoError(t, json.Unmarshal([]byte(line), &r), line)
			require.False(t, seen[r.RequestID])
			seen[r.RequestID] = true
		}
	}
	require.Len(t, seen, int(acknowledged.Load()))
}

func TestToken_File(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	r := succeeds(t, "token", "--name", "alice", "--scope", "read", "--file", file)
	require.Empty(t, r.err)
	require.NotContains(t, testenv.Text(t, file), strings.TrimSpace(r.out))

	requireOneLine(t, brokerage(t.Context(), "token", "--name", "alice", "--scope", "read", "--file", file), exitFailed,
		"alice already")
	require.NoError(t, os.Chmod(file, 0o644))
	requireOneLine(t, brokerage(t.Context(), "token", "--name", "bob", "--scope", "read", "--file", file), exitFailed,
		"chmod 600")
}
