package workload

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

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/testenv/schematest"
)

// ownWorkload writes a workload file, and files beside it, and loads it. It must be valid by the schema.
func ownWorkload(t testing.TB, text string, files map[string]string) *Definition {
	t.Helper()
	dir := t.TempDir()
	for name, contents := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(contents), 0o600))
	}
	file := filepath.Join(dir, "own.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	schematest.Require(t, workloadSchema(t), []byte(text))
	return definition(t, file)
}

// Each is refused by the program with one line before any load, and by the schema unless it cannot express it.
func TestOwn_Refusals(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty.txt"), []byte("\n\n"), 0o600))
	file := func(values, transaction string) string {
		return `{"name": "w", "values": {` + values + `}, "transactions": [` + transaction + `],
			"mix": [{"transaction": "t", "weight": 1}]}`
	}
	value := func(v string) string {
		return file(`"v": `+v, `{"name": "t", "kind": "query", "request": {"method": "GET", "path": "/{v}"}}`)
	}
	one := func(t string) string { return file(`"v": {"range": [1, 2]}`, t) }
	request := func(r string) string { return one(`{"name": "t", "kind": "query", "request": ` + r + `}`) }
	sql := func(s string) string { return one(`{"name": "t", "kind": "query", "statements": ` + s + `}`) }
	s := workloadSchema(t)
	for name, c := range map[string]struct {
		file, says  string
		programOnly bool
	}{
		"MarkerWithoutValue": {
			request(`{"method": "GET", "path": "/{w}"}`),
			"transactions: t: request: path: the marker {w} has no value: values has v", true,
		},
		"MarkerInBody": {
			request(`{"method": "POST", "path": "/", "body": "{w}"}`), "body: the marker {w} has no value", true,
		},
		"MarkerInSQL":   {sql(`{"postgres": [{"text": "SELECT {w}"}]}`), "statements: the marker {w} has no value", true},
		"MarkerInQuote": {sql(`{"sqlite": [{"text": "SELECT '{v}'"}]}`), "{v} is in quotes, but is a parameter", true},
		"MarkerExpected": {
			one(`{"name": "t", "kind": "query", "request": {"method": "GET", "path": "/"}, "expect": {"text": "{w}"}}`),
			"expect: the marker {w} has no value", true,
		},
		"NoSource":      {value(`{}`), "values.v: it needs exactly one of range, list, file and ids", false},
		"TwoSources":    {value(`{"range": [1, 2], "ids": "order"}`), "exactly one of", false},
		"EmptyList":     {value(`{"list": []}`), "values.v: the list is empty", false},
		"EmptyFile":     {value(`{"file": "empty.txt"}`), "values.v: the list is empty", true},
		"NoFile":        {value(`{"file": "none.txt"}`), "none.txt: no such file", true},
		"RangeOfThree":  {value(`{"range": [1, 2, 3]}`), "[1, 2, 3] is not a range", false},
		"RangeReversed": {value(`{"range": [2, 1]}`), "range: [2, 1] is not a range of at most 10^15", true},
		"RangeTooLong":  {value(`{"range": [-9000000000000000000, 9000000000000000000]}`), "at most 10^15 numbers", true},
		"IDs":           {value(`{"ids": "bond"}`), `the dataset has no ids of "bond"`, false},
		"NewSecurity":   {value(`{"ids": "security", "new": true}`), "new is for the ids of orders", true},
		"NewZipf":       {value(`{"ids": "order", "new": true, "distribution": "zipf", "s": 1}`), "zipf is not for", true},
		"SequenceOfIDs": {value(`{"ids": "order", "distribution": "sequence"}`), "sequence is not for ids", true},
		"Distribution":  {value(`{"range": [1, 2], "distribution": "gauss"}`), `there is no distribution "gauss"`, false},
		"Parameters":    {value(`{"range": [1, 2], "s": 1}`), "there is no distribution", false},
		"SequenceS":     {value(`{"range": [1, 2], "distribution": "sequence", "s": 1}`), "distribution", false},
		"As":            {value(`{"range": [1, 2], "as": "time"}`), `as: "time" is not date`, false},
		"DateOfList":    {value(`{"list": ["1"], "as": "date"}`), "as or decimals are for a range", true},
		"Decimals":      {value(`{"range": [1, 2], "decimals": 10}`), "decimals: 10 is not from 0 to 9", false},
		"ValueName":     {file(`"a b": {"range": [1, 2]}`, ""), `values: "a b" is not a name`, false},
		"UnknownField":  {value(`{"range": [1, 2], "to": 1}`), `unknown field "to"`, false},
		"NoName": {
			one(`{"kind": "query", "request": {"method": "GET", "path": "/"}}`), "without a name: a name is one", false,
		},
		"LongName": {
			one(`{"name": "t2345678901234567890123", "kind": "query"}`), "one to 21 lower-case letters", false,
		},
		"KnownName": {
			one(`{"name": "get_order", "kind": "query", "request": {"method": "GET", "path": "/"}}`), "already", true,
		},
		"Kind": {
			one(`{"name": "t", "kind": "read", "request": {"method": "GET", "path": "/"}}`), `the kind is "read"`, false,
		},
		"NothingToDo":   {one(`{"name": "t", "kind": "query"}`), "neither a request nor statements", false},
		"Method":        {request(`{"method": "HEAD", "path": "/"}`), `the method is "HEAD"`, false},
		"Path":          {request(`{"method": "GET", "path": "v1"}`), `"v1" does not begin with /`, false},
		"PathWithSpace": {request(`{"method": "GET", "path": "/a b"}`), "characters that a URL has not", true},
		"Header":        {request(`{"method": "GET", "path": "/", "headers": {"a b": "c"}}`), "is not a header", true},
		"HeaderLines":   {request(`{"method": "GET", "path": "/", "headers": {"a": "b\r\nc"}}`), "is not a header", true},
		"HeaderOfOurs": {
			request(`{"method": "GET", "path": "/", "headers": {"host": "x"}}`), "host is for the driver", true,
		},
		"HeaderValue": {
			file(`"v": {"list": ["a\nb"]}`, `{"name": "t", "kind": "query", "request": {"method": "GET", "path": "/",
				"headers": {"x": "{v}"}}}`), "a value of {v} has a line break", true,
		},
		"Engine":      {sql(`{"oracle": [{"text": "SELECT 1"}]}`), `there are none of "oracle"`, false},
		"NoStatement": {sql(`{"sqlite": []}`), "there are none for sqlite", false},
		"EmptyText":   {sql(`{"sqlite": [{"text": " "}]}`), "a statement has no text", true},
		"TextFile":    {sql(`{"sqlite": [{"text": "@none.sql"}]}`), "none.sql: no such file", true},
		"Rows":        {sql(`{"sqlite": [{"text": "SELECT 1", "rows": [2, 1]}]}`), "rows: [2, 1] is not a range", true},
		"Status": {
			one(`{"name": "t", "kind": "query", "request": {"method": "GET", "path": "/"}, "expect": {"status": [99]}}`),
			"expect: status: 99", false,
		},
		"Root": {
			one(`{"name": "t", "kind": "query", "request": {"method": "GET", "path": "/"}, "expect": {"root": "a:b"}}`),
			`root: "a:b"`, true,
		},
		"SetupEngine": {
			`{"name": "w", "setup": {"oracle": []}, "mix": []}`, `setup: there are no statements of "oracle"`, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(filepath.Join(dir, "own.json"), []byte(c.file))
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
			if doc, err := jsonschema.UnmarshalJSON(strings.NewReader(c.file)); err == nil && !c.programOnly {
				require.Error(t, s.Validate(doc))
			}
		})
	}
}

// A list or a range that a run could use up is refused before it.
func TestOwn_SequenceThatEnds(t *testing.T) {
	of := func(source string) *Definition {
		return ownWorkload(t, `{"name": "own", "values": {"v": {`+source+`, "distribution": "sequence"}},
			"transactions": [{"name": "t", "kind": "query", "statements": {"sqlite": [{"text": "SELECT {v}"}]}}],
			"mix": [{"transaction": "t", "weight": 1}]}`, map[string]string{"l.txt": "a\r\nb\n\nc"})
	}
	list, long := of(`"file": "l.txt"`), of(`"range": [1, 1000000000000]`)
	for name, c := range map[string]struct {
		config Config
		says   string
	}{
		"Enough":    {Config{Definition: list, Count: 3}, ""},
		"TooShort":  {Config{Definition: list, Count: 4}, "values.v: the list ends after 3 values, and the run may need 4:"},
		"Ramp":      {Config{Definition: list, Count: 3, Ramp: time.Second}, "the run may need 1000003"},
		"Time":      {Config{Definition: list, Duration: time.Second}, "the run may need 1000000"},
		"Rate":      {Config{Definition: list, Duration: time.Second, Rate: 3}, ""},
		"RateLong":  {Config{Definition: list, Duration: 2 * time.Second, Rate: 3}, "the run may need 6"},
		"LongRange": {Config{Definition: long, Duration: time.Hour}, ""},
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
		got.Lock()
		defer got.Unlock()
		got.lines = append(got.lines, fmt.Sprintf("%s %s %s %s %s", r.Method, r.RequestURI, r.Header.Get("Accept"),
			r.Header.Get("Content-Type"), body))
		switch r.Method {
		case http.MethodGet:
			_, _ = fmt.Fprint(w, "<x:A xmlns:x='u'>", strings.Repeat(" ", 2*keyWithin), "5!</x:A>")
		case http.MethodPost:
			w.WriteHeader(http.StatusTeapot)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(server.Close)
	c := Config{Definition: d, Users: 1, Count: 60, Seed: 1}
	r := driven(t, elsewhere{overHTTP(t, quick, ""), overHTTP(t, server.URL, "")}, c)
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

func (e elsewhere) open(ctx context.Context, check checker, consistency Consistency) (session, error) {
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
			r := driven(t, overHTTP(t, url, ""), Config{Definition: d, Users: 2, Count: 20, Seed: 1})
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
	r := driven(t, direct(t, s, "sqlite:own.db"), Config{Definition: d, Users: 4, Count: 1000, Seed: 1})
	require.Empty(t, r.Total.Unexpected)
	require.Equal(t, int64(1000), r.Total.Good)
	require.Equal(t, "none", r.Dataset.Fingerprint)
	puts := r.Transactions[0].Good
	require.Equal(t, "put", r.Transactions[0].Name)
	require.Equal(t, "insert", r.Transactions[0].Kind)
	answer := func(text string) string {
		var result store.ScriptResult
		require.NoError(t, s.RunScript(t.Context(), true, []store.ScriptStatement{{Text: text}}, &result))
		return string(result.Text)
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
	c := Config{Definition: d, Users: 2, Count: 10, Seed: 1, Begun: func(*Run) { t.Error("it has begun") }}
	require.NoError(t, d.SetWeights("twice=1"))
	_, err := Drive(t.Context(), b, c)
	require.ErrorContains(t, err, "the transaction twice: ")
	require.ErrorContains(t, err, "no such table: missing")
	require.NotContains(t, err.Error(), "\n")

	_, err = Drive(t.Context(), direct(t, nullStore(t), "null:"), c)
	require.ErrorContains(t, err, "the transaction twice has no statements for null")
	url, _ := serve(t, sqlitetest.Store(t))
	_, err = Drive(t.Context(), overHTTP(t, url, ""), c)
	require.ErrorContains(t, err, "the transaction twice has no request, which a service needs")

	require.NoError(t, d.SetWeights("put=1"))
	c.Begun = nil
	r := driven(t, b, c) // total is empty, so that the update changes no row
	require.Equal(t, map[string]int64{"wrong-answer": 10}, r.Total.Unexpected)
	r = driven(t, b, c) // the keys exist
	require.Equal(t, map[string]int64{"SQLite 1555": 10}, r.Total.Unexpected)
}

// The files that a workload names are a part of it.
func TestOwn_Hash(t *testing.T) {
	with := func(text string) string {
		return ownWorkload(t, ownStatements, map[string]string{"total.sql": text, "other.sql": "b"}).SHA256
	}
	first := with("a")
	for range 5 {
		require.Equal(t, first, with("a"))
	}
	require.NotEqual(t, with("a"), with("b"))
}
