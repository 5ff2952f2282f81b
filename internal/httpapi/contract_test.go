package httpapi

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/require"

	"brokerage/api"
	"brokerage/internal/schema"
	"brokerage/internal/store/null"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

var contract = sync.OnceValue(func() *openapi3.T {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		panic(err)
	}
	for _, text := range []string{
		"application/xml", "text/xml", "application/problem+xml", "application/yaml", "text/html",
	} {
		openapi3filter.RegisterBodyDecoder(text, openapi3filter.FileBodyDecoder)
	}
	return doc
})

// routeOf returns an operation of the contract.
func routeOf(t testing.TB, name string) *routers.Route {
	t.Helper()
	for path, item := range contract().Paths.Map() {
		for method, op := range item.Operations() {
			if op.OperationID == name {
				return &routers.Route{Spec: contract(), Path: path, PathItem: item, Method: method, Operation: op}
			}
		}
	}
	require.Fail(t, "the contract has no "+name)
	return nil
}

// requireConforms requires that a response conforms to the contract of its operation: status, headers, media type and
// body.
func requireConforms(t testing.TB, operation string, a answer) {
	t.Helper()
	requireAnswer(t, routeOf(t, operation), a)
}

func requireAnswer(t testing.TB, route *routers.Route, a answer) {
	t.Helper()
	body := a.body
	if a.Header.Get("Content-Encoding") == "gzip" {
		body = unpacked(t, a)
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: &http.Request{Method: route.Method},
			Route: route},
		Status: a.StatusCode, Header: a.Header, Body: io.NopCloser(strings.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	require.NoError(t, openapi3filter.ValidateResponse(context.Background(), input), "%s %v %s",
		route.Operation.OperationID, a.Header, body)
	require.Equal(t, notSniffed, a.Header["X-Content-Type-Options"])
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") { // the pages have policies of their own
		require.Equal(t, sandboxed, a.Header["Content-Security-Policy"])
	}
	response := route.Operation.Responses.Status(a.StatusCode)
	if response == nil || len(response.Value.Content) == 0 {
		require.Empty(t, body)
		return
	}
	m := response.Value.Content.Get(a.Header.Get("Content-Type"))
	if x, ok := m.Schema.Value.Extensions["x-xsd"].(map[string]any); ok { // the XML Schema of the body
		require.NoError(t, validator(t, path.Base(x["file"].(string)), x["element"].(string)).Validate([]byte(body)), body)
	}
}

// requireValidProblem requires that a refusal conforms to the contract, whatever its operation.
func requireValidProblem(t testing.TB, a answer) {
	t.Helper()
	refusal := openapi3.NewOperation()
	refusal.Responses = openapi3.NewResponses()
	refusal.AddResponse(a.StatusCode, contract().Components.Responses["Internal"].Value)
	requireAnswer(t, &routers.Route{Spec: contract(), Method: "GET", Operation: refusal}, a)
}

var validators sync.Map

func validator(t testing.TB, file, element string) *schema.Validator {
	t.Helper()
	if v, ok := validators.Load(file + element); ok {
		return v.(*schema.Validator)
	}
	v, err := schema.CompileFile(file, element)
	require.NoError(t, err)
	validators.Store(file+element, v)
	return v
}

func unpacked(t testing.TB, a answer) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(a.body))
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(b)
}

// counts are metrics that record their calls.
type counts struct {
	mu       sync.Mutex
	observed map[string]int // by transaction and outcome
	refused  map[string]int
	inFlight int
}

func (c *counts) Observe(transaction, outcome string, _ time.Duration, _, _ int, _ string) {
	c.add(&c.observed, transaction+" "+outcome)
}

func (c *counts) Refused(reason string) { c.add(&c.refused, reason) }

func (c *counts) add(to *map[string]int, name string) { //nolint:gocritic // it makes the map
	c.mu.Lock()
	defer c.mu.Unlock()
	if *to == nil {
		*to = map[string]int{}
	}
	(*to)[name]++
}

func (c *counts) InFlight(delta int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight += delta
}

func (c *counts) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = io.WriteString(w, "brokerage_up 1\n")
	})
}

// The routes are those of the contract and of the pages' files, no more and no less.
func TestContract_Routes(t *testing.T) {
	s := serverOf(t, null.Open(), Options{Metrics: &counts{}})
	var want, got, routes, paths []string
	for path, item := range contract().Paths.Map() {
		routed := regexp.MustCompile(`\{(\w+)\}`).ReplaceAllString(path, ":$1")
		paths = append(paths, routed)
		for method, op := range item.Operations() {
			open := op.Security != nil && len(*op.Security) == 0
			scope, _ := op.Extensions["x-scope"].(string)
			want = append(want, fmt.Sprint(op.OperationID, " ", method, " ", routed, " ", scope, " ", open))
			routes = append(routes, method+" "+routed)
			if method == http.MethodGet {
				routes = append(routes, "HEAD "+routed)
			}
		}
	}
	for _, op := range s.operations() {
		got = append(got, fmt.Sprint(op.name, " ", op.method, " ", op.path, " ", op.scope, " ", op.open))
	}
	require.ElementsMatch(t, want, got)

	for _, path := range paths {
		routes = append(routes, "OPTIONS "+path)
	}
	for _, files := range []string{"/docs/", "/page/*asset"} {
		routes = append(routes, "GET "+files, "HEAD "+files, "OPTIONS "+files)
	}
	got = nil
	for _, r := range s.engine.Routes() {
		got = append(got, r.Method+" "+r.Path)
	}
	require.ElementsMatch(t, routes, got)
}

// refusals holds an error for each type of problem except conflicts.
var refusals = map[string]error{
	"bad-request":            badRequest("x"),
	"bad-cursor":             errCursor,
	"malformed":              &refused{kind: kindMalformed, findings: []tpox.Finding{{Line: 1, Column: 1, Message: "x"}}},
	"unauthorized":           errToken,
	"forbidden":              &refused{kind: kindForbidden, detail: "x"},
	"cross-origin":           &refused{kind: kindCrossOrigin, detail: "x"},
	"misdirected":            &refused{kind: kindMisdirected, detail: "x"},
	"not-found":              &tpox.NotFound{},
	"method-not-allowed":     errMethod,
	"not-acceptable":         errAcceptable,
	"stale":                  &tpox.Stale{},
	"too-large":              errTooLarge,
	"unsupported-media-type": errMediaType,
	"invalid":                &tpox.Invalid{Findings: []tpox.Finding{{Message: "x"}}},
	"key-reused":             &tpox.KeyReused{},
	"internal":               &refused{kind: kindInternal},
	"damaged":                &tpox.Damaged{Cause: io.EOF},
	"overloaded":             errOverloaded,
	"unavailable":            &tpox.Unavailable{Cause: io.EOF},
	"outcome-unknown":        &tpox.Unavailable{Cause: io.EOF, Unknown: true},
	"timeout":                context.DeadlineExceeded,
	"too-many-requests":      &refused{kind: kindTooMany, detail: "x", wait: 1},
}

func TestContract_Problems(t *testing.T) {
	want, got := map[string]problemKind{}, map[string]problemKind{}
	for _, row := range contract().Extensions["x-problems"].([]any) {
		row := row.(map[string]any)
		name := row["type"].(string)
		want[name] = problemKind{name, int(row["status"].(float64)), row["title"].(string)}
	}
	for name, err := range refusals {
		got[name] = problemOf(getOrder, err).kind
	}
	for reason := range conflicts {
		got[string(reason)] = problemOf(getOrder, &tpox.Conflict{Reason: reason}).kind
	}
	require.Equal(t, want, got)

	source := testenv.Text(t, "../tpox/errors.go")
	reasons := regexp.MustCompile(`(?m)^\t\w+ +Reason = "([a-z-]+)"`).FindAllStringSubmatch(source, -1)
	require.Len(t, reasons, strings.Count(source, "Reason = "))
	require.Len(t, conflicts, len(reasons))
	for _, r := range reasons {
		require.Contains(t, conflicts, tpox.Reason(r[1]))
	}
}

// OPTIONS and a refused method list the same methods, in the same order.
func TestContract_Allow(t *testing.T) {
	s := serverOf(t, null.Open(), Options{Metrics: &counts{}})
	s.live.Close() // a stream would not end
	for path, item := range contract().Paths.Map() {
		var want []string
		operations := item.Operations()
		for _, method := range methods {
			if operations[method] != nil || method == "OPTIONS" || method == "HEAD" && operations["GET"] != nil {
				want = append(want, method)
			}
		}
		path := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "1006")
		for _, method := range []string{"OPTIONS", "PATCH", "TRACE", "BREW", "GET", "HEAD", "POST", "PUT", "DELETE"} {
			a := ask(s, method, path, "")
			switch {
			case method == "OPTIONS":
				require.Equal(t, 204, a.StatusCode)
				require.Empty(t, a.body)
				require.NotEmpty(t, a.Header.Get("X-Request-Id"))
			case strings.Contains(strings.Join(want, " "), method):
				require.NotEqual(t, 405, a.StatusCode, method+path)
				continue
			case method == "HEAD":
				require.Equal(t, 405, a.StatusCode)
				require.Empty(t, a.body)
			default:
				requireProblem(t, a, 405, "method-not-allowed")
				require.NotContains(t, a.body, "<transaction>")
			}
			require.Equal(t, strings.Join(want, ", "), a.Header.Get("Allow"), method+" "+path)
		}
	}
}
