package api_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

const typePrefix = "urn:brokerage:problem:"

// problemType is a row of x-problems.
type problemType struct {
	status int
	title  string
}

func problemTypes(t testing.TB, doc *openapi3.T) map[string]problemType {
	t.Helper()
	rows, ok := doc.Extensions["x-problems"].([]any)
	require.True(t, ok)
	types := map[string]problemType{}
	for _, row := range rows {
		row := row.(map[string]any)
		name := row["type"].(string)
		require.NotContains(t, types, name)
		types[name] = problemType{int(row["status"].(float64)), row["title"].(string)}
	}
	return types
}

func TestContract_Transactions(t *testing.T) {
	all := operations(contract(t))
	for _, tx := range tpox.Transactions {
		require.Contains(t, all, tx.Name)
		require.Equal(t, map[string]any{"code": tx.Code, "kind": tx.Kind.String(), "weight": float64(tx.Weight),
			"validated": tx.Validated},
			all[tx.Name].Extensions["x-transaction"], tx.Name)
	}
	for name, op := range all {
		is := slices.ContainsFunc(tpox.Transactions[:], func(tx tpox.Transaction) bool { return tx.Name == name })
		require.Equal(t, is, op.Extensions["x-transaction"] != nil, name)
		require.NotEmpty(t, op.Summary, name)
		require.NotEmpty(t, op.Description, name)
		require.Len(t, op.Tags, 1, name)
	}
}

// Scopes: reads need read; the writes of the 17 transactions and leases need trade; replacing whole documents needs
// admin. Operations that only describe the process need no token.
func TestContract_Scopes(t *testing.T) {
	for name, op := range operations(contract(t)) {
		want := "read"
		switch {
		case strings.HasPrefix(name, "replace_"):
			want = "admin"
		case op.method != "GET":
			want = "trade"
		case !strings.HasPrefix(op.path, "/v1/"):
			require.True(t, op.open(), name)
			require.NotContains(t, op.Extensions, "x-scope", name)
			continue
		}
		require.Equal(t, want, op.Extensions["x-scope"], name)
		require.NotNil(t, op.Security, name)
		require.Equal(t, openapi3.SecurityRequirements{{"bearer": {want}}}, *op.Security, name)
	}
}

// The shape of an operation determines which statuses it may respond with and which parameters it may have.
func TestContract_AnswersByShape(t *testing.T) {
	for name, op := range operations(contract(t)) {
		body, answers := op.RequestBody != nil && name != "lease_ids", false // whose body is empty
		want := []string{"500"}
		for code, r := range op.Responses.Map() {
			if code[0] == '2' {
				want = append(want, code)
				answers = len(r.Value.Content) > 0
			}
		}
		add := func(when bool, codes ...string) {
			if when {
				want = append(want, codes...)
			}
		}
		switch {
		case slices.Contains([]string{
			"get_contract", "get_schema", "get_docs", "get_page", "get_health", "get_version",
		}, name):
			want = slices.DeleteFunc(want, func(code string) bool { return code == "500" }) // nothing can fail
		case name == "get_readiness":
			add(true, "503")
		case name == "watch_service": // without parameters or deadline
			answers = false
			add(true, "401", "403", "429", "503")
		case !op.open():
			add(true, "401", "403", "429", "503", "504")
			// A body or a parameter may have the wrong form.
			add(body || op.has("query", "") || op.has("header", "If-None-Match") || op.has("header", "Max-Staleness"), "400")
			add(answers, "406")
		}
		add(op.has("path", "") || name == "get_dataset", "404") // a service may have no dataset
		add(body, "413", "422")
		add(op.RequestBody != nil, "415")
		add(op.has("header", "If-Match"), "412")
		add(op.has("header", "If-None-Match"), "304")
		add(len(op.conflicts()) > 0, "409")
		require.ElementsMatch(t, want, slices.Collect(maps.Keys(op.Responses.Map())), name)

		require.Equal(t, !op.open(), op.has("header", "X-Request-Id"), name)
		require.Equal(t, answers && !op.open(), op.has("header", "Accept-Encoding"), name)
		require.Equal(t, op.method == "POST" && body, op.has("header", "Idempotency-Key"), name)
		require.Equal(t, strings.HasPrefix(name, "replace_"), op.has("header", "If-Match"), name)
		stored := op.method == "GET" && strings.HasPrefix(op.path, "/v1/") && name != "get_dataset" && name != "watch_service"
		require.Equal(t, stored, op.has("header", "Consistency-Token"), name)
		require.Equal(t, stored, op.has("header", "Max-Staleness"), name)
		require.Equal(t, slices.Contains([]string{"get_order", "get_customer", "get_account", "get_security"}, name),
			op.has("header", "If-None-Match"), name)
		require.Equal(t, strings.HasPrefix(name, "replace_") || name == "insert_customer", op.has("query", "validate"), name)
	}
}

func TestContract_Headers(t *testing.T) {
	for name, op := range operations(contract(t)) {
		for code, r := range op.Responses.Map() {
			h := r.Value.Headers
			where := name + " " + code
			require.Contains(t, h, "X-Request-Id", where)
			require.Equal(t, code == "201", h["Location"] != nil, where)
			described := code == "200" && strings.HasPrefix(op.path, "/v1/") && name != "watch_service"
			require.Equal(t, described, h["Link"] != nil, where)
			require.Equal(t, code == "401", h["WWW-Authenticate"] != nil, where)
			require.Equal(t, slices.Contains([]string{"409", "429", "503"}, code), h["Retry-After"] != nil, where)
			tagged := code == "304" || code == "200" && op.has("header", "If-None-Match") || code == "204" &&
				op.has("header", "If-Match")
			require.Equal(t, tagged, h["ETag"] != nil, where)
			written := op.method != "GET" && code[0] == '2' && name != "lease_ids"
			require.Equal(t, written, h["Consistency-Token"] != nil, where)
		}
	}
	require.Contains(t, contract(t).Components.Responses["MethodNotAllowed"].Value.Headers, "Allow")
}

// Every reason of the domain is a type of problem, and every operation names those that the store can return.
func TestContract_Conflicts(t *testing.T) {
	doc := contract(t)
	types := problemTypes(t, doc)
	want := map[string][]tpox.Reason{
		"lease_ids":        {tpox.IDsExhausted},
		"insert_order":     {tpox.OrderExists, tpox.KeyInUse},
		"insert_customer":  {tpox.CustomerExists, tpox.AccountExists, tpox.KeyInUse},
		"replace_customer": {tpox.AccountExists},
		"open_account":     {tpox.AccountExists, tpox.CustomerLimit, tpox.KeyInUse},
		"close_account":    {tpox.LastAccount},
		"buy_security":     {tpox.TooManyHoldings, tpox.NotCovered, tpox.BalanceLimit, tpox.CustomerLimit, tpox.KeyInUse},
		"sell_security":    {tpox.NotHeld, tpox.TooFewHeld, tpox.BalanceLimit, tpox.CustomerLimit, tpox.KeyInUse},
	}
	used := map[string]bool{}
	for name, op := range operations(doc) {
		got := []tpox.Reason{}
		for _, reason := range op.conflicts() {
			got = append(got, tpox.Reason(reason.(string)))
			used[reason.(string)] = true
			require.Equal(t, 409, types[reason.(string)].status, reason)
			require.Contains(t, *op.Responses.Map()["409"].Description, "`"+reason.(string)+"`", name)
		}
		require.ElementsMatch(t, want[name], got, name)
	}
	for kind, of := range types {
		require.Equal(t, of.status == 409, used[kind], kind)
	}
}

// Every type of problem is named in the description of its answer, and in the schema of the JSON form.
func TestContract_Problems(t *testing.T) {
	doc := contract(t)
	quoted := regexp.MustCompile("`([a-z]+(?:-[a-z]+)*)`")
	told := map[string]bool{}
	for name, r := range doc.Components.Responses {
		if name == "Conflict" {
			continue // each operation describes its own, which is checked above; the library puts one of those texts here
		}
		for mediaType := range r.Value.Content {
			require.Contains(t, mediaType, "application/problem+", name)
		}
		for _, m := range quoted.FindAllStringSubmatch(*r.Value.Description, -1) {
			require.False(t, told[m[1]], "%s is described twice", m[1])
			told[m[1]] = true
		}
	}
	var listed []any
	for kind, of := range problemTypes(t, doc) {
		require.Equal(t, of.status != 409, told[kind], kind)
		delete(told, kind)
		listed = append(listed, typePrefix+kind)
	}
	require.Empty(t, told, "types that are not in x-problems")
	require.ElementsMatch(t, listed, doc.Components.Schemas["ProblemJSON"].Value.Properties["type"].Value.Enum)
}

// The responses that x-unrouted refers to exist. The library does not check references in extensions.
func TestContract_Unrouted(t *testing.T) {
	doc := contract(t)
	unrouted, ok := doc.Extensions["x-unrouted"].(map[string]any)
	require.True(t, ok)
	for _, name := range []string{"path", "method", "host"} {
		ref := unrouted[name].(map[string]any)["$ref"].(string)
		require.Contains(t, doc.Components.Responses, strings.TrimPrefix(ref, "#/components/responses/"))
	}
}

// The contract's patterns and limits of parameters agree with the functions by which the service reads them.
func TestContract_Parameters(t *testing.T) {
	doc := contract(t)
	matches := func(s *openapi3.Schema, value string) bool {
		return regexp.MustCompile(s.Pattern).MatchString(value) &&
			(s.MaxLength == nil || uint64(len([]rune(value))) <= *s.MaxLength)
	}
	for _, value := range []string{
		"", "0", "1", "01", "-1", "+1", "1.0", "1e3", "x", "999999999999999", "1000000000000000", "1 ", "１",
	} {
		_, ok := tpox.ParseID(value)
		require.Equal(t, ok, matches(doc.Components.Schemas["Id"].Value, value), "%q", value)
	}
	for _, value := range []string{
		"", "A", "AB.X", "SEVENXX", "EIGHTXXX", "A B", "A\n", "\tA", "É", "ÉÉÉÉÉÉÉ", "ÉÉÉÉÉÉÉÉ",
	} {
		require.Equal(t, tpox.IsSymbol(value), matches(doc.Components.Parameters["Symbol"].Value.Schema.Value, value),
			"%q", value)
	}
	// The pattern checks the form only; the description limits the size of a figure.
	for _, value := range []string{
		"0", "20", "20.5", "20.", ".5", "+20", "-0", "0020.50000", "123456789.1234", "20,5", "1e3", "", ".", "+", "NaN",
		"0x1", "2 0",
	} {
		_, ok := tpox.Scaled(value)
		require.Equal(t, ok, matches(doc.Components.Schemas["Figure"].Value, value), "%q", value)
	}
}
