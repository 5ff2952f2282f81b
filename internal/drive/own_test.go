package drive

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/workload"
)

// ownWorkload writes a workload file, and files beside it, and loads it.
func ownWorkload(t testing.TB, text string, files map[string]string) *workload.Definition {
	t.Helper()
	dir := t.TempDir()
	for name, contents := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(contents), 0o600))
	}
	file := filepath.Join(dir, "own.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return definition(t, file)
}

// A list or a range that a run could use up is refused before it.
func TestOwn_SequenceThatEnds(t *testing.T) {
	of := func(source string) *workload.Definition {
		return ownWorkload(t, `{"name": "own", "values": {"v": {`+source+`, "distribution": "sequence"}},
			"transactions": [{"name": "t", "kind": "query", "statements": {"sqlite": [{"text": "SELECT {v}"}]}}],
			"mix": [{"transaction": "t", "weight": 1}]}`, map[string]string{"l.txt": "a\r\nb\n\nc"})
	}
	list, long := of(`"file": "l.txt"`), of(`"range": [1, 1000000000000]`)
	for name, c := range map[string]struct {
		config Plan
		says   string
	}{
		"Enough":    {Plan{Definition: list, Count: 3}, ""},
		"TooShort":  {Plan{Definition: list, Count: 4}, "values.v: the list ends after 3 values, and the run may need 4:"},
		"Ramp":      {Plan{Definition: list, Count: 3, Ramp: time.Second}, "the run may need 1000003"},
		"Time":      {Plan{Definition: list, Duration: time.Second}, "the run may need 1000000"},
		"Rate":      {Plan{Definition: list, Duration: time.Second, Rate: 3, Arrivals: Even}, ""},
		"RateLong":  {Plan{Definition: list, Duration: 2 * time.Second, Rate: 3, Arrivals: Even}, "the run may need 6"},
		"Poisson":   {Plan{Definition: list, Duration: time.Second, Rate: .1}, "the run may need 4"},
		"LongRange": {Plan{Definition: long, Duration: time.Hour}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.config.Users = 1
			err := c.config.Check()
			if c.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.says)
			}
		})
	}
}

// asked is what a server received.
type asked struct {
	sync.Mutex

	lines []string
}

// Requests arrive as the file says, with the drawn values in path, parameters, headers and body.
func TestOwn_Requests(t *testing.T) {
	d := ownWorkload(t, `{"name": "own",
		"values": {
			"text": {"list": ["a&b <c>/é"]}, "n": {"range": [5, 5]}, "price": {"range": [125, 125], "decimals": 2},
			"day": {"range": [1, 1], "as": "date"}, "order": {"ids": "order", "distribution": "sequential"}
		},
		"transactions": [
			{"name": "read", "kind": "query", "request": {"method": "GET", "path": "/v1/{text}?n={n}",
				"headers": {"Accept": "application/{n}"}}, "expect": {"root": "A", "text": "{n}!"}},
			{"name": "send", "kind": "insert", "request": {"method": "POST", "path": "/v1/x", "body": "@body.txt"},
				"expect": {"status": [418]}},
			{"name": "typed", "kind": "update", "request": {"method": "PUT", "path": "/v1/y", "body": "{{n}{n}",
				"headers": {"content-type": "text/plain"}}, "expect": {"status": [200, 204]}}
		],
		"mix": [{"transaction": "read", "weight": 1}, {"transaction": "send", "weight": 1},
			{"transaction": "typed", "weight": 1}]}`,
		map[string]string{"body.txt": `{"n": {n}, "t": "{text}", "p": {price}, "d": "{day}", "o": {order}}`})
	quick, _ := serve(t, sqlitetest.Store(t))
	var got asked
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		if r.URL.Path == "/version" {
			return // before a user begins
		}
		got.Lock()
		defer got.Unlock()
		got.lines = append(got.lines, fmt.Sprintf("%s %s %s %s %s", r.Method, r.RequestURI, r.Header.Get("Accept"),
			r.Header.Get("Content-Type"), body))
		switch r.Method {
		case http.MethodGet:
			_, _ = fmt.Fprint(w, "<x:A xmlns:x='u'>", strings.Repeat(" ", 1024), "5!</x:A>")
		case http.MethodPost:
			w.WriteHeader(http.StatusTeapot)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(server.Close)
	c := Plan{Definition: d, Users: 1, Count: 60, Seed: 1}
	r := driven(t, elsewhere{overHTTP(t, quick), overHTTP(t, server.URL)}, c)
	require.Empty(t, r.Total.Unexpected)
	require.Equal(t, int64(60), r.Total.Good)
	seen := make(map[string]int)
	for _, line := range got.lines {
		line, _, _ = strings.Cut(line, `, "o": `)
		seen[line]++
	}
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	require.Len(t, seen, 3)
	require.Contains(t, seen, "GET /v1/a%26b%20%3Cc%3E%2F%C3%A9?n=5 application/5  ")
	require.Contains(t, seen,
		`POST /v1/x  application/xml {"n": 5, "t": "a&b <c>/é", "p": 1.25, "d": "`+yesterday+`"`)
	require.Contains(t, seen, "PUT /v1/y  text/plain {n}5")
}

// elsewhere is a service whose workload goes to another server.
type elsewhere struct {
	*HTTP

	load *HTTP
}

func (e elsewhere) open(ctx context.Context, check workload.Checker, consistency Consistency) (session, error) {
	return e.load.open(ctx, check, consistency)
}

// An answer that is not what was expected is a wrong one.
func TestOwn_Expectations(t *testing.T) {
	for name, c := range map[string]struct {
		expect, reason string
	}{
		"Root":     {`{"root": "Customer"}`, "wrong-answer"},
		"Text":     {`{"text": "no{v}such"}`, "wrong-answer"},
		"Status":   {`{"status": [201]}`, "200"},
		"AllRight": {`{"status": [200], "root": "Order", "text": "\"{v}\""}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := ownWorkload(t, `{"name": "own", "values": {"v": {"ids": "order"}},
				"transactions": [{"name": "t", "kind": "query", "expect": `+c.expect+`,
					"request": {"method": "GET", "path": "/v1/orders/{v}"}}],
				"mix": [{"transaction": "t", "weight": 1}]}`, nil)
			url, _ := serve(t, sqlitetest.Store(t))
			r := driven(t, overHTTP(t, url), Plan{Definition: d, Users: 2, Count: 20, Seed: 1})
			if c.reason == "" {
				require.Equal(t, int64(20), r.Total.Good)
			} else {
				require.Equal(t, map[string]int64{c.reason: 20}, r.Total.Unexpected)
			}
		})
	}
}

const ownStatements = `{"name": "own",
	"values": {
		"key": {"range": [1, 1000], "distribution": "sequence"}, "word": {"list": ["a", "b'); DROP TABLE own; --"]}
	},
	"setup": {"sqlite": ["CREATE TABLE IF NOT EXISTS own (key INTEGER PRIMARY KEY, word TEXT)",
		"CREATE TABLE IF NOT EXISTS total (n INTEGER)", "@total.sql"], "postgres": ["@other.sql"], "db2": ["@total.sql"]},
	"transactions": [
		{"name": "put", "kind": "insert", "statements": {"sqlite": [
			{"text": "INSERT INTO own (key, word) VALUES ({key}, {word})", "rows": [1, 1]},
			{"text": "UPDATE total SET n = n + 1 RETURNING '<Total>' || n || '</Total>'", "rows": [1, 1]}]},
			"expect": {"root": "Total"}},
		{"name": "find", "kind": "query", "statements": {"sqlite": [
			{"text": "SELECT typeof({key}), '{{', word FROM own WHERE word = {word} LIMIT 3", "rows": [0, 3]}]}},
		{"name": "twice", "kind": "insert", "statements": {"sqlite": [
			{"text": "UPDATE total SET n = n + 1000"}, {"text": "INSERT INTO total SELECT n FROM missing"}]}}
	],
	"mix": [{"transaction": "put", "weight": 1}, {"transaction": "find", "weight": 1}]}`

// Statements of one transaction are done together. Values are parameters, numbers as numbers.
func TestOwn_Statements(t *testing.T) {
	d := ownWorkload(t, ownStatements, map[string]string{
		"total.sql": "INSERT INTO total SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM total)", "other.sql": "SELECT 2",
	})
	s := openSQLite(t, filepath.Join(t.TempDir(), "own.db")) // without a dataset
	r := driven(t, direct(t, s, "sqlite:own.db"), Plan{Definition: d, Users: 4, Count: 1000, Seed: 1})
	require.Empty(t, r.Total.Unexpected)
	require.Equal(t, int64(1000), r.Total.Good)
	require.Equal(t, "none", r.Dataset.Fingerprint)
	puts := r.Transactions[0].Good
	require.Equal(t, "put", r.Transactions[0].Name)
	require.Equal(t, "insert", r.Transactions[0].Kind)
	answer := func(text string) string {
		var got store.ScriptResult
		require.NoError(t, s.RunScript(t.Context(), true, []store.ScriptStatement{{Text: text}}, &got))
		return string(got.Text)
	}
	require.Equal(t, fmt.Sprintln(puts), answer("SELECT count(*) FROM own"))
	require.Equal(t, fmt.Sprintln(puts), answer("SELECT n FROM total"))
	require.Equal(t, "integer\t{\n", answer("SELECT typeof(key), '{' FROM own LIMIT 1"))
	require.Equal(t, "2\n", answer("SELECT count(DISTINCT word) FROM own"))
}

// What the database refuses is refused before the load if it can be known, and otherwise counted by its code.
func TestOwn_StatementsRefused(t *testing.T) {
	d := ownWorkload(t, ownStatements, map[string]string{"total.sql": "SELECT 1", "other.sql": "SELECT 2"})
	s := openSQLite(t, filepath.Join(t.TempDir(), "own.db"))
	b := direct(t, s, "sqlite:own.db")
	c := Plan{Definition: d, Users: 2, Count: 10, Seed: 1, Begun: func(*result.Run) { t.Error("it has begun") }}
	require.NoError(t, d.SetWeights("twice=1"))
	_, err := Run(t.Context(), c, b)
	require.ErrorContains(t, err, "the transaction twice: ")
	require.ErrorContains(t, err, "no such table: missing")
	require.NotContains(t, err.Error(), "\n")

	_, err = Run(t.Context(), c, direct(t, nullStore(t), "null:"))
	require.ErrorContains(t, err, "the transaction twice has no statements for null")
	url, _ := serve(t, sqlitetest.Store(t))
	_, err = Run(t.Context(), c, overHTTP(t, url))
	require.ErrorContains(t, err, "the transaction twice has no request, which a service needs")

	require.NoError(t, d.SetWeights("put=1"))
	c.Begun = nil
	r := driven(t, b, c) // total is empty, so that the update changes no row
	require.Equal(t, map[string]int64{"wrong-answer": 10}, r.Total.Unexpected)
	r = driven(t, b, c) // the keys exist
	require.Equal(t, map[string]int64{"SQLite 1555": 10}, r.Total.Unexpected)
}
