package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// tokens are an authority for tests.
type tokens map[string]*access.Client

func (t tokens) Client(_ context.Context, authorization string) (*access.Client, bool) {
	c, ok := t[authorization]
	return c, ok
}

var allTokens = tokens{
	"Bearer reader": {Name: "reader", Scopes: []access.Scope{access.Read}},
	"Bearer trader": {Name: "trader", Scopes: []access.Scope{access.Trade}},
	"Bearer second": {Name: "second", Scopes: []access.Scope{access.Trade}},
	"Bearer admin":  {Name: "admin", Scopes: []access.Scope{access.Admin}},
}

func TestRefusals_Requests(t *testing.T) {
	s := fresh(t, Options{})
	order := orderWith(777)
	search := "/v1/securities?sector=Energy&peMin=20&peMax=27&yieldMin=4"
	deep := strings.Repeat("<a>", 65) + strings.Repeat("</a>", 65)
	for name, c := range map[string]struct {
		method, target, body string
		headers              []string
		status               int
		kind                 string
	}{
		"ParameterMissing":  {"GET", "/v1/securities?sector=Energy&peMin=20&peMax=27", "", nil, 400, "bad-request"},
		"ParameterTwice":    {"GET", search + "&sector=Energy", "", nil, 400, "bad-request"},
		"ParameterNoFigure": {"GET", search[:len(search)-1] + "x", "", nil, 400, "bad-request"},
		"ParameterNoText":   {"GET", strings.Replace(search, "Energy", "%00", 1), "", nil, 400, "bad-request"},
		"ParameterNoUTF8":   {"GET", strings.Replace(search, "Energy", "%ff", 1), "", nil, 400, "bad-request"},
		"QueryMalformed":    {"GET", "/v1/dataset?symbols=%zz", "", nil, 400, "bad-request"},
		"SymbolsTwice":      {"GET", "/v1/dataset?symbols=true&symbols=true", "", nil, 400, "bad-request"},
		"Validate":          {"POST", "/v1/customers?validate=maybe", "<a/>", nil, 400, "bad-request"},
		"LeaseKind":         {"POST", "/v1/dataset/leases?kind=security&count=1", "", nil, 400, "bad-request"},
		"LeaseCount":        {"POST", "/v1/dataset/leases?kind=order&count=10000001", "", nil, 400, "bad-request"},
		"LeaseByForm": {"POST", "/v1/dataset/leases?kind=order&count=1", "",
			[]string{"Content-Type: text/plain"}, 415, "unsupported-media-type"},
		"KeyEmpty":   {"POST", "/v1/orders", order, []string{"Idempotency-Key: "}, 400, "bad-request"},
		"KeySpaced":  {"POST", "/v1/orders", order, []string{"Idempotency-Key: a b"}, 400, "bad-request"},
		"TokenShort": {"GET", "/v1/orders/103282", "", []string{"Consistency-Token: 00"}, 400, "bad-request"},
		"TokenTwice": {"GET", "/v1/orders/103282", "",
			[]string{"Consistency-Token: " + aToken, "Consistency-Token: " + aToken}, 400, "bad-request"},
		"StalenessUnit":    {"GET", "/v1/accounts/104000007", "", []string{"Max-Staleness: 2"}, 400, "bad-request"},
		"StalenessLong":    {"GET", "/v1/accounts/104000007", "", []string{"Max-Staleness: 1234567890s"}, 400, "bad-request"},
		"IfNoneMatch":      {"GET", "/v1/customers/1006", "", []string{"If-None-Match: abc"}, 400, "bad-request"},
		"IfMatch":          {"PUT", "/v1/customers/1006", "<a/>", []string{`If-Match: "abc`}, 400, "bad-request"},
		"BodyEmpty":        {"POST", "/v1/orders", "", []string{"Content-Type: application/xml"}, 400, "malformed"},
		"BodyDTD":          {"POST", "/v1/orders", `<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>`, nil, 400, "malformed"},
		"Path":             {"GET", "/v2", "", nil, 404, "not-found"},
		"PathDouble":       {"GET", "//", "", nil, 404, "not-found"},
		"PathTrailing":     {"GET", "/v1/orders/103282/", "", nil, 404, "not-found"},
		"IdLeadingZero":    {"GET", "/v1/orders/0103282", "", nil, 404, "not-found"},
		"IdLong":           {"GET", "/v1/orders/1000000000103282", "", nil, 404, "not-found"},
		"SymbolSpaced":     {"GET", "/v1/securities/A%20B", "", nil, 404, "not-found"},
		"AccountOfAnother": {"DELETE", "/v1/customers/1002/accounts/104000007", "", nil, 404, "not-found"},
		"BodyDeep":         {"POST", "/v1/orders", deep, nil, 413, "too-large"},
		"MediaType": {"POST", "/v1/orders", order, []string{"Content-Type: application/json"}, 415,
			"unsupported-media-type"},
		"MediaTypeTwice": {"POST", "/v1/orders", order, []string{"Content-Type: text/xml", "Content-Type: text/xml"}, 415,
			"unsupported-media-type"},
		"ContentEncoding": {"POST", "/v1/orders", order, []string{"Content-Encoding: gzip"}, 415,
			"unsupported-media-type"},
		"InvalidCustomer":    {"POST", "/v1/customers", example(t, "get_order.response.xml"), nil, 422, "invalid"},
		"InvalidUnvalidated": {"POST", "/v1/customers?validate=no", "<a/>", nil, 422, "invalid"},
		"WrongCustomer": {"PUT", "/v1/customers/1006", string(generator.Append(nil, dataset.Customer, 5)), nil, 422,
			"invalid"},
		"WrongSecurity": {"PUT", "/v1/securities/SDP", string(generator.Append(nil, dataset.Security, 5)), nil, 422,
			"invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(s, c.method, c.target, c.body, c.headers...)
			requireProblem(t, a, c.status, c.kind)
			require.Equal(t, c.status == 422 || c.kind == "malformed" || name == "BodyDeep",
				strings.Contains(a.body, "<findings>"), a.body)
			a = ask(s, c.method, c.target, c.body,
				append(c.headers, "Accept: application/problem+json, application/xml;q=0.9")...)
			require.Equal(t, "application/problem+json", a.Header.Get("Content-Type"))
			require.Equal(t, c.status, a.StatusCode)
			requireValidProblem(t, a)
		})
	}
}

func TestRefusals_Access(t *testing.T) {
	var seen counts
	s := fresh(t, Options{Tokens: allTokens, Metrics: &seen})
	challenge := func(headers ...string) string {
		a := ask(s, "GET", "/v1/orders/103282", "", headers...)
		requireProblem(t, a, 401, "unauthorized")
		requireConforms(t, "get_order", a)
		return a.Header.Get("Www-Authenticate")
	}
	require.Equal(t, "Bearer", challenge())
	require.Equal(t, `Bearer error="invalid_token"`, challenge("Authorization: Bearer nobody"))
	require.Equal(t, `Bearer error="invalid_token"`, challenge("Authorization: "))
	require.Equal(t, `Bearer error="invalid_token"`,
		challenge("Authorization: Bearer reader", "Authorization: Bearer reader"))
	require.Equal(t, map[string]int{"unauthorized": 4}, seen.refused)

	s.live.Close() // a stream would not end
	for _, op := range s.operations() {
		for header, client := range allTokens {
			a := ask(s, op.method, target(t, op.name), "", "Authorization: "+header,
				"Accept: application/problem+json;q=0.1, application/xml")
			if !op.open && !client.May(op.scope) {
				requireProblem(t, a, 403, "forbidden")
				requireConforms(t, op.name, a)
			} else {
				require.NotContains(t, []int{401, 403}, a.StatusCode, op.name)
			}
		}
		if op.open {
			require.Equal(t, 200, ask(s, op.method, target(t, op.name), "").StatusCode, op.name)
		}
	}
}

const secret = "/var/lib/secret.db: SELECT password FROM secrets"

// The texts of a store's errors are for the log, except those of refusals by the domain.
func TestRefusals_Store(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("%s: %w", secret, err) }
	for name, c := range map[string]struct {
		err        error
		status     int
		kind       string
		retryAfter string
	}{
		"NotFound": {wrap(&tpox.NotFound{What: "order", Key: "5"}), 404, "not-found", ""},
		"Conflict": {wrap(&tpox.Conflict{Reason: tpox.LastAccount, Detail: "it is the last"}), 409,
			"last-account", ""},
		"KeyInUse":    {wrap(&tpox.Conflict{Reason: tpox.KeyInUse, Detail: "it runs"}), 409, "key-in-use", "1"},
		"Stale":       {wrap(&tpox.Stale{}), 412, "stale", ""},
		"Invalid":     {wrap(&tpox.Invalid{Findings: []tpox.Finding{{Message: "no"}}}), 422, "invalid", ""},
		"KeyReused":   {wrap(&tpox.KeyReused{Key: "k"}), 422, "key-reused", ""},
		"Undeclared":  {errors.New(secret), 503, "unavailable", "1"},
		"RolledBack":  {&tpox.RolledBack{Err: errors.New(secret)}, 503, "unavailable", "1"},
		"Unavailable": {&tpox.Unavailable{Cause: errors.New(secret)}, 503, "unavailable", "1"},
		"UnavailableNotFound": {&tpox.Unavailable{Cause: wrap(&tpox.NotFound{What: "page", Key: "7"})}, 503,
			"unavailable", "1"},
		"OutcomeUnknown": {&tpox.Unavailable{Cause: errors.New(secret), Unknown: true}, 503, "outcome-unknown", "1"},
		"Damaged":        {&tpox.Damaged{Cause: wrap(&tpox.NotFound{What: "page", Key: "7"})}, 500, "damaged", ""},
		"Timeout":        {wrap(context.DeadlineExceeded), 504, "timeout", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var seen requests
			s := serverOf(t, failing(c.err), Options{LogRequest: seen.log, Metrics: &counts{}})
			for _, op := range []*operation{getOrder, leaseIDs, insertOrder, deleteOrder, buySecurity, getReadiness} {
				kind := c.kind
				if name == "Undeclared" && op.writes() {
					kind = "outcome-unknown"
				}
				for _, accept := range []string{"application/xml", "application/problem+json, application/xml;q=0.5"} {
					a := ask(s, op.method, target(t, op.name), bodyOf(t, op.name), "Accept: "+accept)
					requireValidProblem(t, a)
					require.NotContains(t, a.body, "secret")
					require.NotContains(t, fmt.Sprint(a.Header), "secret")
					if op.name == "get_readiness" {
						require.Equal(t, 503, a.StatusCode)
						continue
					}
					require.Equal(t, c.status, a.StatusCode, op.name)
					require.Contains(t, a.body, "urn:brokerage:problem:"+kind)
					require.Equal(t, c.retryAfter, a.Header.Get("Retry-After"))
					last, _ := seen.last()
					require.ErrorIs(t, last.Err, c.err)
					require.Equal(t, op.name, last.Transaction)
				}
			}
		})
	}
}

func TestRefusals_Panic(t *testing.T) {
	var log strings.Builder
	var seen requests
	first := true
	s := serverOf(t, &stub{do: func(context.Context) error {
		if first {
			first = false
			panic(errors.New(secret))
		}
		return io.EOF
	}}, Options{Log: slog.New(slog.NewTextHandler(&log, nil)), LogRequest: seen.log, InFlight: 1})
	a := ask(s, "GET", "/v1/orders/103282", "", "X-Request-Id: r1")
	requireProblem(t, a, 500, "internal")
	require.NotContains(t, a.body, "secret")
	require.Contains(t, log.String(), "request_id=r1")
	require.Contains(t, log.String(), "secret")
	require.Contains(t, log.String(), "(*stub).GetOrder") // the stack
	last, n := seen.last()
	require.Equal(t, 1, n)
	require.Equal(t, 500, last.Status)
	require.ErrorContains(t, last.Err, secret)
	requireProblem(t, ask(s, "GET", "/v1/orders/103282", ""), 503, "unavailable") // the slot of the gate is free again
}
