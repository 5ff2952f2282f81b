package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/tpox"
)

// target returns the path of an operation with the examples of its parameters.
func target(t testing.TB, operation string) string {
	t.Helper()
	route := routeOf(t, operation)
	path, query := route.Path, ""
	for _, p := range append(route.PathItem.Parameters, route.Operation.Parameters...) {
		if p.Value.In != "header" && (p.Value.Required || p.Value.Example != nil) {
			require.NotNil(t, p.Value.Example, p.Value.Name)
			path = strings.Replace(path, "{"+p.Value.Name+"}", fmt.Sprint(p.Value.Example), 1)
			if p.Value.In == "query" {
				query += "&" + p.Value.Name + "=" + fmt.Sprint(p.Value.Example)
			}
		}
	}
	return path + strings.Replace(query, "&", "?", 1)
}

// play sends the example of an operation, and requires that the response conforms to the contract.
func play(t testing.TB, h http.Handler, operation string, headers ...string) answer {
	t.Helper()
	a := ask(h, routeOf(t, operation).Method, target(t, operation), bodyOf(t, operation), headers...)
	requireConforms(t, operation, a)
	return a
}

// bodyOf returns the example of an operation's body, or "" if it has none.
func bodyOf(t testing.TB, operation string) string {
	t.Helper()
	if operation == "lease_ids" || routeOf(t, operation).Operation.RequestBody == nil {
		return ""
	}
	return example(t, operation+".request.xml")
}

// All operations but streams answer as the contract shows, in the order in which the examples were made.
func TestAnswers_Examples(t *testing.T) {
	s := fresh(t, Options{Metrics: &counts{}})
	var played []string
	is := func(operation string, status int) answer {
		t.Helper()
		played = append(played, operation)
		a := play(t, s, operation)
		require.Equal(t, status, a.StatusCode, "%s: %s", operation, a.body)
		if len(routeOf(t, operation).Operation.Responses.Status(status).Value.Content) == 0 {
			require.Empty(t, a.body)
		} else {
			require.Equal(t, strconv.Itoa(len(a.body)), a.Header.Get("Content-Length"), operation)
		}
		return a
	}
	same := func(operation string) {
		t.Helper()
		a := is(operation, 200)
		requireExample(t, operation+".response.xml", a.body)
		require.Equal(t, xmlType, a.Header.Get("Content-Type"))
	}
	location := func(operation string) string {
		t.Helper()
		at := is(operation, 201).Header.Get("Location")
		require.Equal(t, routeOf(t, operation).Operation.Responses.Status(201).Value.Headers["Location"].Value.Example, at)
		return at
	}
	replaces := func(operation string) {
		t.Helper()
		body := bodyOf(t, operation)
		require.NotEqual(t, body, ask(s, "GET", target(t, operation), "").body, "replaces a document by the same")
		a := is(operation, 204)
		read := ask(s, "GET", target(t, operation), "")
		require.Equal(t, body, read.body)
		require.Equal(t, read.Header.Get("Etag"), a.Header.Get("Etag"))
	}

	for _, query := range []string{
		"get_order", "get_customer", "customer_profile", "account_summary", "customer_max_order", "get_account",
		"search_securities", "get_security", "get_security_price", "get_dataset", "get_health", "get_readiness",
		"get_version",
	} {
		same(query)
	}
	requireExample(t, "get_dataset.symbols.response.xml", ask(s, "GET", "/v1/dataset?symbols=true", "").body)
	// An empty answer would be no example, and the contract's account and symbol belong to its customer.
	symbol := strings.Split(target(t, "get_security_price"), "/")[3]
	account := strings.TrimPrefix(target(t, "get_account"), "/v1/accounts/")
	require.Contains(t, example(t, "search_securities.response.xml"), "<Symbol>")
	require.Contains(t, example(t, "customer_max_order.response.xml"), "<Order")
	require.Contains(t, example(t, "account_summary.response.xml"), "<Symbol>"+symbol+"</Symbol>")
	require.Contains(t, example(t, "account_summary.response.xml"), `ACCOUNT_ID="`+account+`"`)
	for operation, says := range map[string]string{
		"get_metrics": "brokerage_up 1", "get_contract": "openapi: 3.1.0", "get_schema": "<xs:schema", "get_docs": "<html",
		"get_page": "<html",
	} {
		played = append(played, operation)
		require.Contains(t, play(t, s, operation).body, says)
	}

	require.Equal(t, 200, ask(s, "POST", "/v1/dataset/leases?kind=order&count=1", "").StatusCode) // as in the examples
	order := location("insert_order")
	require.Equal(t, 200, ask(s, "GET", order, "").StatusCode)
	same("update_order_status")
	added := location("open_account")
	opened := ask(s, "GET", added, "")
	require.Equal(t, example(t, "open_account.request.xml"), opened.body, "Location is the account")
	require.Equal(t, `</v1/customers/1006>; rel="up"`, opened.Header["Link"][1])
	require.Equal(t, 204, ask(s, "DELETE", "/v1/customers/1006"+strings.TrimPrefix(added, "/v1"), "").StatusCode)
	customer := location("insert_customer")
	require.Equal(t, 200, ask(s, "GET", customer, "").StatusCode)
	replaces("replace_customer")
	same("buy_security")
	same("sell_security")
	same("update_security_price")
	replaces("replace_security")
	same("lease_ids")
	for _, gone := range []string{"close_account", "delete_customer", "delete_order"} {
		is(gone, 204)
		requireProblem(t, ask(s, routeOf(t, gone).Method, target(t, gone), ""), 404, "not-found")
	}
	for _, op := range ending(s) {
		require.Contains(t, played, op.name)
	}
}

// Each response 200 of an operation that is not open links to its schema. The service serves that file unchanged.
func TestAnswers_Schemas(t *testing.T) {
	s := fresh(t, Options{})
	seen := make(map[string]bool)
	for _, op := range ending(s) {
		response := routeOf(t, op.name).Operation.Responses.Status(200)
		if response == nil || op.open {
			continue
		}
		x, _ := response.Value.Content["application/xml; charset=utf-8"].Schema.Value.Extensions["x-xsd"].(map[string]any)
		file := x["file"].(string)
		require.Equal(t, "</"+file+`>; rel="describedby"`, play(t, s, op.name).Header.Get("Link"), op.name)
		want, err := api.Schemas.ReadFile(file)
		require.NoError(t, err)
		for _, mediaType := range []string{"application/xml", "text/xml"} {
			a := ask(s, "GET", "/"+file, "", "Accept: "+mediaType)
			requireConforms(t, "get_schema", a)
			require.Equal(t, 200, a.StatusCode)
			require.Equal(t, string(want), a.body)
			require.Equal(t, mediaType+"; charset=utf-8", a.Header.Get("Content-Type"))
		}
		seen[file] = true
	}
	require.Len(t, seen, 8, "all but that of problems")
	for _, missing := range []string{"/schema/", "/schema/none.xsd", "/schema/..%2fopenapi.yaml", "/schema/%00"} {
		requireProblem(t, ask(s, "GET", missing, ""), 404, "not-found")
	}
	requireProblem(t, ask(s, "GET", "/v1/orders/1", ""), 404, "not-found")
	require.Empty(t, ask(s, "GET", "/v1/orders/1", "").Header["Link"], "a problem")
}

// HEAD has the headers of GET, and no body. The test uses a network, because a recorder does not treat HEAD specially.
func TestAnswers_Head(t *testing.T) {
	var seen requests
	s := fresh(t, Options{Metrics: &counts{}, LogRequest: seen.log})
	server := httptest.NewServer(s)
	defer server.Close()
	for _, op := range ending(s) {
		if op.method != "GET" {
			continue
		}
		for _, coding := range []string{"identity", "gzip"} {
			get := over(t, server, "GET", target(t, op.name), nil, "Accept-Encoding: "+coding, "X-Request-Id: one")
			head := over(t, server, "HEAD", target(t, op.name), nil, "Accept-Encoding: "+coding, "X-Request-Id: one")
			require.NotEmpty(t, get.body)
			require.Empty(t, head.body)
			require.Equal(t, get.StatusCode, head.StatusCode)
			require.Equal(t, get.ContentLength, head.ContentLength, op.name)
			get.Header.Del("Date")
			head.Header.Del("Date")
			require.Equal(t, get.Header, head.Header, op.name)
			// the handler of /metrics writes a body for HEAD too
			if last, _ := seen.last(); op.name != "get_metrics" {
				require.Zero(t, last.Bytes, op.name)
			}
		}
	}
}

func TestAnswers_Gzip(t *testing.T) {
	s := fresh(t, Options{})
	large, small := target(t, "get_customer"), target(t, "get_security_price")
	plain := ask(s, "GET", large, "")
	for accept, packed := range map[string]bool{
		"GZIP": true, "br, gzip;q=0.5": true, "*": true, "identity;q=0, gzip": true,
		"": false, "gzip; q=0": false, "br": false, "gzip;q=0, *": false, "gzip;q=x": false,
		"identity;q=1, gzip;q=0.5": false, "gzipped": false,
	} {
		for _, path := range []string{large, small} {
			a := ask(s, "GET", path, "", "Accept-Encoding: "+accept)
			require.Equal(t, 200, a.StatusCode)
			require.Equal(t, "Accept, Accept-Encoding", a.Header.Get("Vary"))
			if path == small || !packed {
				require.Empty(t, a.Header.Get("Content-Encoding"), accept)
				continue
			}
			require.Equal(t, "gzip", a.Header.Get("Content-Encoding"), accept)
			require.Equal(t, strconv.Itoa(len(a.body)), a.Header.Get("Content-Length"))
			require.Equal(t, plain.body, unpacked(t, a))
			require.Less(t, len(a.body), len(plain.body))
			require.Equal(t, strings.TrimSuffix(plain.Header.Get("Etag"), `"`)+`-gzip"`, a.Header.Get("Etag"))
			requireConforms(t, "get_customer", a)
		}
	}
}

func TestAnswers_RequestID(t *testing.T) {
	s := fresh(t, Options{})
	for _, id := range []string{"a", "01JD8X6V5K3T", strings.Repeat("x", 64), "!~"} {
		require.Equal(t, id, ask(s, "GET", "/healthz", "", "X-Request-Id: "+id).Header.Get("X-Request-Id"))
	}
	seen := map[string]bool{}
	for _, id := range []string{"", " ", "a b", strings.Repeat("x", 65), "é", "a\x7f", "<script>\n"} {
		got := ask(s, "GET", "/v1/orders/1", "", "X-Request-Id: "+id)
		requireProblem(t, got, 404, "not-found")
		own := got.Header.Get("X-Request-Id")
		require.NotEqual(t, id, own)
		require.Contains(t, got.body, "<request_id>"+own+"</request_id>")
		seen[own] = true
	}
	require.Len(t, seen, 7)
}

// Without a dataset there is nothing to describe, and imported data has counts only.
func TestAnswers_Dataset(t *testing.T) {
	for name, c := range map[string]struct {
		contents tpox.Contents
		status   int
	}{
		"Empty":     {tpox.Contents{}, 404},
		"Imported":  {tpox.Contents{Fingerprint: "files/3-2-1", Securities: 3, Customers: 2, Orders: 1}, 200},
		"Generated": {tpox.Contents{Fingerprint: "x", Scale: "tiny", Profile: "tpox-1", Seed: 7, Securities: 500}, 200},
		"Unknown":   {tpox.Contents{Fingerprint: "x", Scale: "secret", Profile: "tpox-1"}, 500},
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(serverOf(t, &holding{contents: c.contents}, Options{}), "GET", "/v1/dataset?symbols=true", "")
			require.Equal(t, c.status, a.StatusCode)
			requireConforms(t, "get_dataset", a)
			require.NotContains(t, a.body, "secret")
			require.Equal(t, name == "Generated", strings.Contains(a.body, "<Symbols>"))
		})
	}
}
