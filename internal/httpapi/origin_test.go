package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/telemetry"
)

func TestOrigin_Hosts(t *testing.T) {
	metrics := telemetry.New(telemetry.BuildInfo{})
	s := fresh(t, Options{Hosts: []string{"", "192.0.2.7", "brokers.example"}, Metrics: metrics})
	everywhere := fresh(t, Options{Hosts: []string{"0.0.0.0"}, Metrics: telemetry.New(telemetry.BuildInfo{})})
	for host, want := range map[string]struct{ own, everywhere int }{
		"localhost": {200, 200}, "LOCALHOST:8080": {200, 200}, "localhost.:8080": {200, 200},
		"127.0.0.1": {200, 200}, "127.8.9.10:80": {200, 200}, "[::1]:8080": {200, 200}, "[::1]": {200, 200},
		"192.0.2.7:8080": {200, 200}, "[::ffff:192.0.2.7]:8080": {200, 200},
		"192.0.2.8:8080": {421, 200}, "[2001:db8::1]": {421, 200},
		"brokers.example:8080": {200, 421}, "Brokers.Example.": {200, 421},
		"evil.example": {421, 421}, "evil.example:8080": {421, 421}, "localhost.evil.example": {421, 421},
		"127.0.0.1.evil.example": {421, 421}, "": {421, 421}, ":8080": {421, 421},
	} {
		for server, status := range map[*Server]int{s: want.own, everywhere: want.everywhere} {
			for _, path := range []string{"/v1/securities/A/price", "/", "/docs", "/version"} {
				r := newRequest("GET", path, "")
				r.Host = host
				a := given(server, r)
				require.Equal(t, status, a.StatusCode, "%q %s: %s", host, path, a.body)
				if status == http.StatusMisdirectedRequest {
					requireProblem(t, a, status, "misdirected")
					require.Contains(t, a.body, "--host")
				}
			}
			for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
				r := newRequest("GET", path, "")
				r.Host = host
				require.Equal(t, 200, given(server, r).StatusCode, "%q %s", host, path)
			}
		}
	}
}

func TestOrigin_Writes(t *testing.T) {
	s := fresh(t, Options{})
	for name, c := range map[string]struct {
		headers []string
		refused bool
	}{
		"Tool":            {nil, false},
		"SameOrigin":      {[]string{"Origin: http://example.com", "Sec-Fetch-Site: same-origin"}, false},
		"Typed":           {[]string{"Sec-Fetch-Site: none"}, false},
		"OldBrowser":      {[]string{"Origin: http://example.com"}, false},
		"CrossSite":       {[]string{"Origin: http://evil.example", "Sec-Fetch-Site: cross-site"}, true},
		"SameSite":        {[]string{"Origin: http://sub.example.com", "Sec-Fetch-Site: same-site"}, true},
		"OldCrossSite":    {[]string{"Origin: http://evil.example"}, true},
		"OtherPort":       {[]string{"Origin: http://example.com:81"}, true},
		"Sandboxed":       {[]string{"Origin: null"}, true},
		"CrossSiteNoName": {[]string{"Sec-Fetch-Site: cross-site"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, mediaType := range []string{"application/xml", "text/plain", "application/x-www-form-urlencoded"} {
				for method, path := range map[string]string{
					"POST": "/v1/accounts/104000000/sell", "PUT": "/v1/orders/103282/status", "DELETE": "/v1/orders/103283",
				} {
					a := ask(s, method, path, tradeOf("A", "1"), append(c.headers, "Content-Type: "+mediaType)...)
					if c.refused {
						requireProblem(t, a, 403, "cross-origin")
					} else {
						require.NotEqual(t, 403, a.StatusCode, a.body)
					}
				}
			}
			require.Equal(t, 200, ask(s, "GET", "/v1/orders/103282", "", c.headers...).StatusCode)
		})
	}
}

// A page whose host name is made to point at this machine after it was loaded reads nothing and sells nothing.
// Browsers resolve rebound.localhost to this machine.
func TestOrigin_Rebound(t *testing.T) {
	s := fresh(t, Options{Hosts: []string{}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/attack" {
			_, _ = io.WriteString(w, "<!doctype html><link rel=icon href=data:,>")
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for host, want := range map[string]float64{"127.0.0.1": 200, "rebound.localhost": 421} {
		t.Run(host, func(t *testing.T) {
			f := shown(t, strings.Replace(server.URL, "127.0.0.1", host, 1)+"/attack", "421 (Misdirected Request)")
			for _, request := range []string{
				`fetch('/v1/customers/1002')`,
				`fetch('/v1/accounts/104000000/sell',
					{method: 'POST', headers: {'Content-Type': 'application/xml'}, body: '` + tradeOf("A", "2") + `'})`,
			} {
				require.InDelta(t, want, f.Run(request+`.then(r => r.status)`), 0)
			}
			require.Empty(t, f.Complaints)
		})
	}
}

// A page of another origin, which may send what needs no preflight, sells nothing.
func TestOrigin_CrossSite(t *testing.T) {
	server, attacker := fronted(t, Options{Hosts: []string{}}), fronted(t, Options{})
	held := func() string { return over(t, server, "GET", "/v1/accounts/104000000", nil).body }
	before := held()
	f := shown(t, strings.Replace(attacker.URL, "127.0.0.1", "localhost", 1)+"/page/page.svg", "403 (Forbidden)")
	f.Run(`fetch('` + server.URL + `/v1/accounts/104000000/sell',
		{method: 'POST', mode: 'no-cors', body: '` + tradeOf("A", "1") + `'}).then(() => 0, () => 0)`)
	require.Equal(t, before, held())
}

// A script in a stored document does not run in the service's origin.
func TestOrigin_StoredScript(t *testing.T) {
	server := fronted(t, Options{})
	script := `<script xmlns="http://www.w3.org/1999/xhtml">fetch('/v1/accounts/104000000/sell', {method: 'POST',
		headers: {'Content-Type': 'application/xml'}, body: '` +
		strings.ReplaceAll(tradeOf("A", "7"), "<", `\u003c`) + `'}); document.documentElement.id = 'ran'</script>`
	order := strings.Replace(orderWith(777), "</Order>", script+"</Order>", 1)
	inserted := over(t, server, "POST", "/v1/orders", strings.NewReader(order), "Content-Type: application/xml")
	require.Equal(t, 201, inserted.StatusCode, inserted.body)
	held := func() string { return over(t, server, "GET", "/v1/accounts/104000000", nil).body }
	before := held()
	f := shown(t, server.URL+"/v1/orders/777", "sandbox", "Content Security Policy")
	require.Contains(t, f.Run(`document.documentElement.textContent`), "fetch(", "the document is shown")
	require.Empty(t, f.Run(`document.documentElement.id`))
	require.Equal(t, before, held())
}
