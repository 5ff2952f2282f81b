package httpapi

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

// XML has two media types, and a client gets the one that it prefers: application/xml if it has no preference.
func TestAccept_MediaTypes(t *testing.T) {
	s := fresh(t, Options{})
	for accept, want := range map[string]string{
		"":                                   "application/xml",
		"TEXT/XML; charset=utf-8":            "text/xml",
		"text/*":                             "text/xml",
		"*/*;q=0.1":                          "application/xml",
		"text/xml, application/xml":          "application/xml",
		"text/xml;q=0.9, */*;q=0.1":          "text/xml",
		"text/xml, application/xml;q=0":      "text/xml",
		"application/xml;q=0, */*":           "text/xml",
		"text/xml;q=0, */*":                  "application/xml",
		"text/xml;q=0.3, text/*;q=0.9":       "text/xml",
		"*/*, text/*;q=0, application/*;q=0": "",
		"text/plain":                         "",
		"text/xml;q=NaN":                     "",
		"text/xml;q=7":                       "",
	} {
		for _, operation := range []string{"get_order", "buy_security"} {
			a := play(t, s, operation, "Accept: "+accept)
			if want == "" {
				require.Equal(t, 406, a.StatusCode, "%s with %q", operation, accept)
				continue
			}
			require.Equal(t, 200, a.StatusCode, "%s with %q: %s", operation, accept, a.body)
			require.Equal(t, want+"; charset=utf-8", a.Header.Get("Content-Type"), "%s with %q", operation, accept)
			require.Equal(t, "Accept, Accept-Encoding", a.Header.Get("Vary"))
		}
		if want == "" {
			want = "application/xml" // a probe is never refused for its Accept
		}
		for _, operation := range []string{"get_health", "get_readiness", "get_version"} {
			require.Equal(t, want+"; charset=utf-8", play(t, s, operation, "Accept: "+accept).Header.Get("Content-Type"),
				"%s with %q", operation, accept)
		}
	}
}

// A client that prefers text/xml gets problems as application/problem+xml, too: it could not distinguish a problem in
// text/xml from a document.
func TestAccept_Problems(t *testing.T) {
	s := fresh(t, Options{})
	for accept, want := range map[string]string{
		"text/xml": "application/problem+xml; charset=utf-8",
		"text/xml, application/problem+json;q=0.5":     "application/problem+xml; charset=utf-8",
		"text/xml;q=0.5, application/problem+json":     "application/problem+json",
		"application/problem+json;q=0.1, text/xml;q=0": "application/problem+json",
	} {
		a := ask(s, "GET", "/v1/orders/1", "", "Accept: "+accept)
		require.GreaterOrEqual(t, a.StatusCode, 400)
		require.Equal(t, want, a.Header.Get("Content-Type"), accept)
	}
}

// panicking is an authority that fails.
type panicking struct{}

func (panicking) Client(context.Context, string) (*access.Client, bool) { panic("a fault") }

// Each status that the contract lists for an operation can be reached.
func TestContract_StatusesReachable(t *testing.T) {
	// sendTo sends an operation with the given body and headers to a server; send uses a server with a fresh store.
	sendTo := func(s *Server, operation, body string, headers ...string) answer {
		return ask(s, routeOf(t, operation).Method, target(t, operation), body, headers...)
	}
	send := func(o Options, operation, body string, headers ...string) answer {
		return sendTo(fresh(t, o), operation, body, headers...)
	}
	// asIs sends an example unchanged, to the given store if any.
	asIs := func(o Options, store tpox.Store, operation string, headers ...string) answer {
		if store == nil {
			store = freshStore(t, tpox.DefaultRules)
		}
		return sendTo(serverOf(t, store, o), operation, bodyOf(t, operation), headers...)
	}
	twice := func(o Options, operation string) answer { // the second request is refused
		s := fresh(t, o)
		play(t, s, operation)
		return play(t, s, operation)
	}
	get := func(o Options, path string) answer { return ask(fresh(t, o), "GET", path, "") }
	tooMany := tradeOf("SDP", "9999999")
	other := map[string]func() answer{ // statuses that the ways below do not produce
		"200 watch_service": func() answer { return ask(fresh(t, Options{}), "HEAD", "/v1/live", "") },
		"500 watch_service": func() answer {
			return send(Options{Tokens: panicking{}}, "watch_service", "", "Authorization: Bearer a")
		},
		"500 get_readiness": func() answer {
			return asIs(Options{}, &stub{do: func(context.Context) error { panic("a fault") }}, "get_readiness")
		},
		"429 watch_service": func() answer {
			s := fresh(t, Options{Rate: .001})
			ask(s, "HEAD", "/v1/live", "")
			return ask(s, "GET", "/v1/live", "")
		},
		"503 watch_service": func() answer {
			s := fresh(t, Options{})
			s.Drain()
			return ask(s, "GET", "/v1/live", "")
		},
		"500 get_metrics":       func() answer { return get(Options{Metrics: faulty{&counts{}}}, "/metrics") },
		"400 get_dataset":       func() answer { return get(Options{}, "/v1/dataset?symbols=maybe") },
		"404 get_dataset":       func() answer { return asIs(Options{}, &holding{}, "get_dataset") },
		"400 search_securities": func() answer { return get(Options{}, "/v1/securities") },
		"400 lease_ids": func() answer {
			return ask(fresh(t, Options{}), "POST", "/v1/dataset/leases?kind=order&count=0", "")
		},
		"409 lease_ids": func() answer {
			return asIs(Options{}, failing(tpox.NoIDsLeft("order", 1)), "lease_ids")
		},
		"409 close_account": func() (a answer) { // the last account
			s := fresh(t, Options{})
			for range 8 { // a customer has at most seven accounts
				a = ask(s, "DELETE", "/v1/customers/1006/accounts/"+firstAccount(t, s, "1006"), "")
				if a.StatusCode != http.StatusNoContent {
					break
				}
			}
			return a
		},
		"409 replace_customer": func() answer { // with an account of another customer
			s := fresh(t, Options{})
			body := strings.ReplaceAll(bodyOf(t, "replace_customer"), firstAccount(t, s, "1006"), firstAccount(t, s, "1002"))
			return sendTo(s, "replace_customer", body)
		},
		"409 buy_security": func() answer {
			covered := freshStore(t, tpox.Rules{MaxHoldings: 30, Covered: true})
			return sendTo(serverOf(t, covered, Options{}), "buy_security", tooMany)
		},
		"409 sell_security": func() answer { return send(Options{}, "sell_security", tooMany) },
	}
	ways := map[int]func(operation string) answer{
		304: func(op string) answer { return asIs(Options{}, nil, op, "If-None-Match: *") },
		400: func(op string) answer {
			if bodyOf(t, op) != "" {
				return send(Options{}, op, "<a>")
			}
			return send(Options{}, op, "", "If-None-Match: x", "Max-Staleness: x")
		},
		401: func(op string) answer { return asIs(Options{Tokens: allTokens}, nil, op) },
		403: func(op string) answer {
			nobody := tokens{"Bearer nobody": {Name: "nobody"}}
			return asIs(Options{Tokens: nobody}, nil, op, "Authorization: Bearer nobody")
		},
		404: func(op string) answer {
			missing := strings.NewReplacer("{symbol}", "NOSUCH", "{order}", "999999999", "{customer}", "999999999",
				"{account}", "999999999", ` id="1006"`, ` id="999999999"`, "<Symbol>SDP<", "<Symbol>NOSUCH<")
			route := routeOf(t, op)
			return ask(fresh(t, Options{}), route.Method, missing.Replace(route.Path), missing.Replace(bodyOf(t, op)))
		},
		406: func(op string) answer { return asIs(Options{}, nil, op, "Accept: image/png") },
		409: func(op string) answer { return twice(Options{}, op) },
		412: func(op string) answer { return asIs(Options{}, nil, op, `If-Match: "x"`) },
		413: func(op string) answer { return asIs(Options{MaxBody: 10}, nil, op) },
		415: func(op string) answer { return asIs(Options{}, nil, op, "Content-Type: text/plain") },
		422: func(op string) answer { return send(Options{}, op, "<a/>") },
		429: func(op string) answer { return twice(Options{Rate: .001}, op) },
		500: func(op string) answer {
			return asIs(Options{}, &stub{do: func(context.Context) error { panic("x") }}, op)
		},
		503: func(op string) answer { return sendTo(serverOf(t, nil, Options{}), op, bodyOf(t, op)) }, // without a store
		504: func(op string) answer {
			s := fresh(t, Options{Timeout: time.Millisecond, InFlight: 1, Queue: 1, QueueWait: time.Minute})
			s.gate.slots <- struct{}{}
			return sendTo(s, op, bodyOf(t, op))
		},
	}
	for _, success := range []int{200, 201, 204} {
		ways[success] = func(op string) answer { return asIs(Options{Metrics: &counts{}}, nil, op) }
	}
	for _, op := range serverOf(t, nil, Options{Metrics: &counts{}}).operations() {
		for code := range routeOf(t, op.name).Operation.Responses.Map() {
			status, err := strconv.Atoi(code)
			require.NoError(t, err)
			name := code + " " + op.name
			t.Run(name, func(t *testing.T) {
				var a answer
				if way := other[name]; way != nil {
					a = way()
				} else {
					require.Contains(t, ways, status)
					a = ways[status](op.name)
				}
				require.Equal(t, status, a.StatusCode, a.body)
				if name != "200 watch_service" && status != 304 {
					requireConforms(t, op.name, a)
				}
			})
		}
	}
}

// faulty are metrics that cannot be read.
type faulty struct{ *counts }

func (faulty) Handler() http.Handler {
	return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a fault") })
}

// firstAccount returns an account that a customer has.
func firstAccount(t testing.TB, s *Server, customer string) string {
	t.Helper()
	m := regexp.MustCompile(`<Account id="(\d+)"`).FindStringSubmatch(ask(s, "GET", "/v1/customers/"+customer, "").body)
	require.NotNil(t, m)
	return m[1]
}
