package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/audit"
	"brokerage/internal/tpox"
)

// trail is an audit log in memory.
type trail struct {
	mu      sync.Mutex
	refuses error
	all     []audit.Record
}

func (r *trail) Ready() error { return r.refuses }

func (r *trail) Record(record audit.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, record)
}

func TestAudit_Records(t *testing.T) {
	kept := &trail{}
	s := fresh(t, Options{Tokens: allTokens, Audit: kept})
	type ids = map[string]string
	for _, c := range []struct {
		name, method, target, body, token string
		headers                           []string
		status                            int
		want                              audit.Record // no record if Transaction is ""
	}{
		{"Insert", "POST", "/v1/orders", orderWith(777), "trader", nil, 201,
			audit.Record{Transaction: "insert_order", IDs: ids{"order": "777"}, Outcome: "ok"}},
		{"Key", "POST", "/v1/orders", orderWith(778), "trader", []string{"Idempotency-Key: k"}, 201,
			audit.Record{Transaction: "insert_order", IDs: ids{"order": "778"}, Outcome: "ok", Key: "k"}},
		{"Delete", "DELETE", "/v1/orders/777", "", "trader", nil, 204,
			audit.Record{Transaction: "delete_order", IDs: ids{"order": "777"}, Outcome: "ok"}},
		{"Forbidden", "DELETE", "/v1/orders/778", "", "reader", nil, 403,
			audit.Record{Transaction: "delete_order", IDs: ids{"order": "778"}, Outcome: "forbidden"}},
		{"Open", "POST", "/v1/customers/1006/accounts", example(t, "open_account.request.xml"), "trader", nil, 201,
			audit.Record{Transaction: "open_account", IDs: ids{"customer": "1006", "account": "104000399"}, Outcome: "ok"}},
		{"Malformed", "POST", "/v1/orders", "<a>", "trader", nil, 400,
			audit.Record{Transaction: "insert_order", Outcome: "malformed"}},
		{"Long", "DELETE", "/v1/orders/" + strings.Repeat("7", 500), "", "trader", nil, 404,
			audit.Record{Transaction: "delete_order", IDs: ids{"order": strings.Repeat("7", 64)}, Outcome: "not-found"}},
		{"Lease", "POST", "/v1/dataset/leases?kind=order&count=5", "", "trader", nil, 200,
			audit.Record{Transaction: "lease_ids", IDs: ids{"kind": "order", "first": "105282", "count": "5"}, Outcome: "ok"}},
		{"Read", "GET", "/v1/orders/778", "", "reader", nil, 200, audit.Record{}},
		{"Nobody", "DELETE", "/v1/orders/778", "", "stranger", nil, 401, audit.Record{}},
		{"NoOperation", "DELETE", "/v1/nothing", "", "trader", nil, 404, audit.Record{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept.all = nil
			a := ask(s, c.method, c.target, c.body, append(c.headers, "Authorization: Bearer "+c.token, "X-Request-Id: me")...)
			require.Equal(t, c.status, a.StatusCode, a.body)
			if c.want.Transaction == "" {
				require.Empty(t, kept.all)
				return
			}
			want := c.want
			want.Time, want.Client, want.Address, want.Status, want.RequestID = clock, c.token, "192.0.2.1", c.status, "me"
			require.Equal(t, []audit.Record{want}, kept.all)
		})
	}
}

// Requests over a client's rate limit are refused without a record.
func TestAudit_RefusalsAreLimited(t *testing.T) {
	kept := &trail{}
	s := fresh(t, Options{Tokens: allTokens, Audit: kept, Rate: 3})
	for n := range 20 {
		a := ask(s, "DELETE", "/v1/orders/103282", "", "Authorization: Bearer reader")
		if n < 3 {
			requireProblem(t, a, 403, "forbidden")
		} else {
			requireProblem(t, a, 429, "too-many-requests")
		}
	}
	require.Len(t, kept.all, 3)
}

// The log contains nothing of a document, not even what the answer repeats.
func TestAudit_NoContent(t *testing.T) {
	var out bytes.Buffer
	s := fresh(t, Options{Audit: audit.To(&out, audit.Options{})})
	const secret = "SECRET"
	for name, body := range map[string]string{
		"Taken":     strings.Replace(orderWith(777), "<FIXML", "<!-- "+secret+" --><FIXML", 1),
		"Malformed": "<" + secret + ">",
		"Invalid":   "<" + secret + "/>",
	} {
		ask(s, "POST", "/v1/orders", body)
		require.NotContains(t, out.String(), secret, name)
	}
	status := `<OrderStatus xmlns="` + tpox.FIXMLNS + `" Stat="2" ` + secret + `="1"/>`
	a := ask(s, "PUT", "/v1/orders/103282/status", status)
	require.Equal(t, 422, a.StatusCode)
	require.Contains(t, a.body, secret)
	a = ask(s, "POST", "/v1/accounts/104000007/buy", tradeOf(secret, "12345.678"))
	require.Contains(t, a.body, secret)
	require.NotContains(t, out.String(), secret)
	require.NotContains(t, out.String(), "12345")
	require.Equal(t, 5, strings.Count(out.String(), "\n"))
}

// The record is there before the client has the answer.
func TestAudit_BeforeTheAnswer(t *testing.T) {
	kept := &trail{}
	s := fresh(t, Options{Audit: kept})
	for operation, bodies := range keyed(t) {
		kept.all = nil
		w := &audited{ResponseRecorder: httptest.NewRecorder(), kept: kept}
		s.ServeHTTP(w, newRequest("POST", target(t, operation), bodies[0]))
		require.Equal(t, 1, w.recorded, operation)
	}
}

// While a write cannot be recorded, none is done, queries are answered, and the service is not ready.
func TestAudit_Refuses(t *testing.T) {
	kept := &trail{refuses: errors.New("disk full")}
	s := fresh(t, Options{Audit: kept})
	a := ask(s, "DELETE", "/v1/orders/103282", "")
	requireProblem(t, a, 503, "unavailable")
	require.Equal(t, "1", a.Header.Get("Retry-After"))
	require.NotContains(t, a.body, "disk")
	require.Equal(t, 200, ask(s, "GET", "/v1/orders/103282", "").StatusCode)
	ready := ask(s, "GET", "/readyz", "")
	requireProblem(t, ready, 503, "unavailable")
	require.Contains(t, ready.body, "<detail>the audit log cannot be written</detail>")
	require.Empty(t, kept.all, "nothing was tried")
	kept.refuses = nil
	require.Equal(t, 200, ask(s, "GET", "/readyz", "").StatusCode)
	require.Equal(t, 204, ask(s, "DELETE", "/v1/orders/103282", "").StatusCode)
}

// A write whose client has disconnected is recorded as well, and so is one that fails.
func TestAudit_Faults(t *testing.T) {
	for name, c := range map[string]struct {
		do      func(context.Context) error
		outcome string
	}{
		"Panic": {func(context.Context) error { panic("x") }, "internal"},
		"Unknown": {func(context.Context) error { return &tpox.Unavailable{Cause: errors.New("x"), Unknown: true} },
			"outcome-unknown"},
		"Gone": {func(context.Context) error { return context.Canceled }, "outcome-unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			kept := &trail{}
			s := serverOf(t, &stub{do: c.do}, Options{Audit: kept})
			r := newRequest("DELETE", "/v1/orders/7", "")
			ctx, cancel := context.WithCancel(t.Context())
			if name == "Gone" {
				cancel()
			}
			given(s, r.WithContext(ctx))
			cancel()
			require.Len(t, kept.all, 1)
			require.Equal(t, c.outcome, kept.all[0].Outcome)
		})
	}
}

// audited is a client that notes how many records exist when its response begins.
type audited struct {
	*httptest.ResponseRecorder

	kept     *trail
	recorded int
}

func (w *audited) WriteHeader(status int) {
	w.recorded = len(w.kept.all)
	w.ResponseRecorder.WriteHeader(status)
}
