package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

// serviceClock lets the service's clock jump by less than the lifetime of idempotency keys, while the service runs
// and while it is down. A request that is repeated after a jump still counts once.
func serviceClock(h *harness) {
	clock := chaostest.NewClock(h.t)
	h.binary, h.env = clock.Service(h.t), []string{clock.Env()}
	h.start()
	h.often(func() {
		for _, ahead := range []time.Duration{23 * time.Hour, 0} {
			h.service.killed(h.t)
			clock.Set(h.t, ahead)
			h.start()
			h.load.Await(h.t, 20)
			clock.Set(h.t, ahead-23*time.Hour) // in the same process
			date, err := http.ParseTime(get(h.t, h.service.url+"/healthz").header.Get("Date"))
			require.NoError(h.t, err)
			require.WithinDuration(h.t, time.Now().Add(ahead-23*time.Hour), date, time.Hour, "the jump is seen")
			h.load.Await(h.t, 50)
		}
		clock.Set(h.t, 0)
	})
}

// databaseClock lets the server's clock jump by more than the lifetime of anything. Nothing in the service depends on
// the server's clock: leases are numbers, and keys expire by the service's own clock.
func databaseClock(h *harness) {
	h.start()
	ahead := func() time.Duration {
		conn := h.server.Connect(h.t, "postgres")
		defer func() { require.NoError(h.t, conn.Close(context.Background())) }()
		var now time.Time
		require.NoError(h.t, conn.QueryRow(h.t.Context(), "SELECT clock_timestamp()").Scan(&now))
		return time.Until(now).Round(time.Hour)
	}
	h.often(func() {
		for _, jump := range []time.Duration{48 * time.Hour, -48 * time.Hour} {
			h.clock.Set(h.t, jump)
			require.Equal(h.t, jump, ahead(), "the jump is seen")
			h.load.Await(h.t, 50)
		}
		h.clock.Set(h.t, 0)
	})
}

// TestChaosClock lets the clock of a service jump, and checks everything that depends on it: times of day follow, and
// durations are not affected.
func TestChaosClock(t *testing.T) {
	chaosMode(t)
	clock := chaostest.NewClock(t)
	binary := clock.Service(t)
	start := func(t *testing.T, dir string, args ...string) *instance {
		t.Helper()
		clock.Set(t, 0)
		return launch{binary, dir, []string{clock.Env()}}.start(t, args...).listening(t)
	}

	t.Run("JWT", func(t *testing.T) {
		dir := t.TempDir()
		token := issued(t, filepath.Join(dir, "jwks.json"))("ann", "read") // for an hour
		i := start(t, tinyDB(t), "--jwt-issuer", "https://issuer.test", "--jwt-audience", "brokerage",
			"--jwks-file", filepath.Join(dir, "jwks.json"), "--jwt-algorithms", "ES256")
		for _, c := range []struct {
			ahead time.Duration
			want  int
		}{
			{0, http.StatusOK}, {2 * time.Hour, http.StatusUnauthorized}, {0, http.StatusOK}, {-48 * time.Hour, http.StatusOK},
		} {
			clock.Set(t, c.ahead)
			require.Equal(t, c.want, send(t, http.MethodGet, i.url+"/v1/orders/103282", token, "").status, c.ahead)
		}
		i.stop(t)
	})

	t.Run("Certificates", func(t *testing.T) {
		ca := newAuthority(t)
		i, renew := ca.mutual(t, func(args ...string) *instance { return start(t, "", args...) })
		pair, err := tls.X509KeyPair(ca.issue(t, 7))
		require.NoError(t, err)
		config := &tls.Config{RootCAs: ca.pool(), Certificates: []tls.Certificate{pair}}
		_, err = handshake(t, i, config)
		require.NoError(t, err)
		for _, ahead := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
			clock.Set(t, ahead)
			_, err = handshake(t, i, config)
			require.ErrorContains(t, err, "expired certificate", ahead) // TLS uses one word for both cases
		}
		clock.Set(t, 0)
		_, err = handshake(t, i, config)
		require.NoError(t, err)
		// The service uses a certificate that is already expired when it is read, and logs that.
		clock.Set(t, 2*time.Hour)
		renew(ca)
		i.logs.wait(t, "the certificate has expired")
		i.stop(t)
	})

	t.Run("IdempotencyKeys", func(t *testing.T) {
		i := start(t, tinyDB(t))
		once := func(key string, id int64) int { return postOnce(t, i.url+"/v1/orders", key, newOrder(id)) }
		require.Equal(t, http.StatusCreated, once("a", 900_001))
		for _, ahead := range []time.Duration{23 * time.Hour, -1000 * time.Hour} {
			clock.Set(t, ahead)
			require.Equal(t, http.StatusCreated, once("a", 900_001), "the answer is kept")
			require.Equal(t, http.StatusUnprocessableEntity, once("a", 900_002), "and the key is taken")
		}
		clock.Set(t, 25*time.Hour)
		require.Equal(t, http.StatusConflict, once("a", 900_001), "done again: the order is there")
		// Keys that were stored while the clock was ahead are still found when it is right again.
		require.Equal(t, http.StatusCreated, once("b", 900_003))
		clock.Set(t, 0)
		require.Equal(t, http.StatusCreated, once("b", 900_003))
		i.stop(t)
	})

	t.Run("Rates", func(t *testing.T) {
		i := start(t, "", "--db", "null:", "--rate-limit", "0.001") // one request, and the next after 1000 s
		require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/103282").status)
		for _, ahead := range []time.Duration{0, 48 * time.Hour, -48 * time.Hour} {
			clock.Set(t, ahead)
			refused := get(t, i.url+"/v1/orders/103282")
			require.Equal(t, http.StatusTooManyRequests, refused.status, ahead)
			wait, err := strconv.Atoi(refused.header.Get("Retry-After"))
			require.NoError(t, err)
			require.LessOrEqual(t, wait, 1000, ahead)
		}
		i.stop(t)
	})

	t.Run("LogsAndAudit", func(t *testing.T) {
		trail := filepath.Join(t.TempDir(), "audit.log")
		i := start(t, tinyDB(t), "--audit-log", trail)
		clock.Set(t, -48*time.Hour)
		require.Equal(t, http.StatusNoContent, send(t, http.MethodDelete, i.url+"/v1/orders/103282", "", "").status)
		i.stop(t)
		requireAgo := func(text string) {
			t.Helper()
			at, err := time.Parse(time.RFC3339Nano, text)
			require.NoError(t, err)
			require.WithinDuration(t, time.Now().Add(-48*time.Hour), at, time.Hour)
		}
		text := testenv.Text(t, trail)
		var line struct{ Time string }
		require.NoError(t, json.Unmarshal([]byte(text), &line), "%s", text)
		requireAgo(line.Time)
		at, _ := i.logs.find(t, "stopped")["time"].(string)
		requireAgo(at)
	})
}

// newOrder returns a new order of the first account.
func newOrder(id int64) string {
	generator := dataset.New(dataset.Spec{Seed: 1})
	return string(generator.AppendNewOrder(nil, id, dataset.NewOrder{
		ID: id, Account: generator.FirstAccount(0), Symbol: generator.Symbol(0), Time: time.Unix(0, 0),
	}))
}

// postOnce sends a document with an idempotency key, and returns the status of the response.
func postOnce(t testing.TB, url, key, body string) int {
	t.Helper()
	return send(t, http.MethodPost, url, "", body, "Idempotency-Key", key).status
}
