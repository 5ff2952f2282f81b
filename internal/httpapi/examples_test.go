package httpapi

import (
	"context"
	"flag"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

var update = flag.Bool("update", false, "rewrite the answers in api/examples")

// exampleID is the request id of all examples.
const exampleID = "01JGJ5C3T8XW"

// varying are the parts of an answer that differ between databases and builds.
var varying = map[*regexp.Regexp]string{
	regexp.MustCompile(` database="[0-9a-f]{32}"`): ` database="5f0c8d1e9a3b47628c1d0e5f6a7b8c9d"`,
	regexp.MustCompile(` go="[^"]+"`):              ` go="go1.26.2"`,
}

// requireExample requires that an answer is an example of the contract. With -update, it writes the example instead.
func requireExample(t testing.TB, name, body string) {
	t.Helper()
	for part, shown := range varying {
		body = part.ReplaceAllLiteralString(body, shown)
	}
	if *update {
		require.NoError(t, os.WriteFile("../../api/examples/"+name, []byte(body), 0o644))
		return
	}
	require.Equal(t, example(t, name), body, name)
}

// The examples of problems are what the service answers.
func TestExamples_Problems(t *testing.T) {
	wrong := strings.NewReplacer("<Gender>", "<Gender>un", "<DateOfBirth>", "<DateOfBirth>on ").
		Replace(example(t, "get_customer.response.xml"))
	nobody := tokens{"Bearer nobody": {Name: "nobody"}}
	answering := func(do func() error) *Server {
		return serverOf(t, &stub{do: func(context.Context) error { return do() }}, Options{})
	}
	limited := fresh(t, Options{Rate: 1})
	play(t, limited, "get_order")
	full := func(queue int) *Server {
		s := fresh(t, Options{Timeout: time.Millisecond, InFlight: 1, Queue: queue, QueueWait: time.Minute})
		s.gate.slots <- struct{}{}
		return s
	}
	request := func(operation, body string, headers ...string) *http.Request {
		return newRequest(routeOf(t, operation).Method, target(t, operation), body, headers...)
	}
	as := func(operation string, headers ...string) *http.Request {
		return request(operation, bodyOf(t, operation), headers...)
	}
	misdirected := as("get_order")
	misdirected.Host = "evil.example"
	for kind, c := range map[string]struct {
		server  *Server
		request *http.Request
	}{
		"not-found":              {fresh(t, Options{}), newRequest("GET", "/v1/orders/999999999999999", "")},
		"last-account":           {fresh(t, Options{}), newRequest("DELETE", "/v1/customers/1002/accounts/104000000", "")},
		"stale":                  {fresh(t, Options{}), as("replace_customer", `If-Match: "x"`)},
		"invalid":                {fresh(t, Options{}), request("insert_customer", wrong)},
		"malformed":              {fresh(t, Options{}), request("buy_security", "<Trade>")},
		"unauthorized":           {fresh(t, Options{Tokens: allTokens}), as("get_order")},
		"forbidden":              {fresh(t, Options{Tokens: nobody}), as("insert_order", "Authorization: Bearer nobody")},
		"method-not-allowed":     {fresh(t, Options{}), newRequest("PATCH", target(t, "get_order"), "")},
		"misdirected":            {fresh(t, Options{Hosts: []string{"localhost"}}), misdirected},
		"not-acceptable":         {fresh(t, Options{}), as("get_order", "Accept: image/png")},
		"too-large":              {fresh(t, Options{MaxBody: 10}), as("insert_customer")},
		"unsupported-media-type": {fresh(t, Options{}), as("insert_order", "Content-Type: text/plain")},
		"too-many-requests":      {limited, as("get_order")},
		"internal":               {answering(func() error { panic("a fault") }), as("get_order")},
		"damaged":                {answering(func() error { return &tpox.Damaged{} }), as("get_order")},
		"overloaded":             {full(0), as("get_order")},
		"timeout":                {full(1), as("search_securities")},
	} {
		c.request.Header.Set("X-Request-Id", exampleID)
		a := given(c.server, c.request)
		requireProblem(t, a, a.StatusCode, kind)
		requireExample(t, "problem."+kind+".xml", a.body)
	}
	asJSON := request("insert_customer", wrong, "Accept: application/problem+json", "X-Request-Id: "+exampleID)
	requireExample(t, "problem.invalid.json", given(fresh(t, Options{}), asJSON).body)
}
