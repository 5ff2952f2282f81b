package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

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
		return file(`"v": `+v, `{"name": "t", "kind": "query", "statements": {"sqlite": [{"text": "SELECT {v}"}]}}`)
	}
	one := func(t string) string { return file(`"v": {"range": [1, 2]}`, t) }
	kind := func(name, kind string) string {
		return one(`{` + name + `"kind": "` + kind + `", "statements": {"sqlite": [{"text": "SELECT {v}"}]}}`)
	}
	sql := func(s string) string { return one(`{"name": "t", "kind": "query", "statements": ` + s + `}`) }
	s := workloadSchema(t)
	for name, c := range map[string]struct {
		file, says  string
		programOnly bool
	}{
		"MarkerInSQL": {
			sql(`{"postgres": [{"text": "SELECT {w}"}]}`),
			"transactions: t: statements: the marker {w} has no value: values has v", true,
		},
		"MarkerInQuote": {sql(`{"sqlite": [{"text": "SELECT '{v}'"}]}`), "{v} is in quotes, but is a parameter", true},
		"NoSource":      {value(`{}`), "values.v: it needs exactly one of range, list, file and ids", false},
		"TwoSources":    {value(`{"range": [1, 2], "ids": "order"}`), "exactly one of", false},
		"EmptyList":     {value(`{"list": []}`), "values.v: the list is empty", false},
		"EmptyFile":     {value(`{"file": "empty.txt"}`), "values.v: the list is empty", true},
		"NoFile":        {value(`{"file": "none.txt"}`), "none.txt: no such file", true},
		"RangeOfThree":  {value(`{"range": [1, 2, 3]}`), "[1, 2, 3] is not a range", false},
		"RangeReversed": {value(`{"range": [2, 1]}`), "range: [2, 1] is not a range of at most 10^15", true},
		"RangeTooLong":  {value(`{"range": [-9000000000000000000, 9000000000000000000]}`), "at most 10^15 numbers", true},
		"IDs":           {value(`{"ids": "bond"}`), `the dataset has no ids of "bond"`, false},
		"Distribution":  {value(`{"range": [1, 2], "distribution": "gauss"}`), `there is no distribution "gauss"`, false},
		"Parameters":    {value(`{"range": [1, 2], "s": 1}`), "there is no distribution", false},
		"As":            {value(`{"range": [1, 2], "as": "time"}`), `as: "time" is not date`, false},
		"DateOfList":    {value(`{"list": ["1"], "as": "date"}`), `"as" is only allowed with "range"`, true},
		"ValueName":     {file(`"a b": {"range": [1, 2]}`, ""), `values: "a b" is not a name`, false},
		"UnknownField":  {value(`{"range": [1, 2], "to": 1}`), `unknown field "to"`, false},
		"NoName":        {kind("", "query"), "without a name: a name is one", false},
		"LongName":      {kind(`"name": "t2345678901234567890123", `, "query"), "one to 21 lower-case letters", false},
		"KnownName":     {kind(`"name": "get_order", `, "query"), "already", true},
		"Kind":          {kind(`"name": "t", `, "read"), `the kind is "read"`, false},
		"NothingToDo":   {one(`{"name": "t", "kind": "query"}`), "it has no statements", false},
		"Request":       {one(`{"name": "t", "kind": "query", "request": {}}`), `unknown field "request"`, false},
		"Engine":        {sql(`{"oracle": [{"text": "SELECT 1"}]}`), `there are none of "oracle"`, false},
		"NoStatement":   {sql(`{"sqlite": []}`), "there are none for sqlite", false},
		"EmptyText":     {sql(`{"sqlite": [{"text": " "}]}`), "a statement has no text", true},
		"TextFile":      {sql(`{"sqlite": [{"text": "@none.sql"}]}`), "none.sql: no such file", true},
		"Rows":          {sql(`{"sqlite": [{"text": "SELECT 1", "rows": [2, 1]}]}`), "rows: [2, 1] is not a range", true},
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

// A list in a file has an entry for each line that is not empty.
func TestOwn_ListInFile(t *testing.T) {
	d := ownWorkload(t, `{"name": "own", "values": {"v": {"file": "l.txt"}}, "transactions": [
		{"name": "find", "kind": "query", "statements": {"sqlite": [{"text": "SELECT {v}"}]}}],
		"mix": [{"transaction": "find", "weight": 1}]}`, map[string]string{"l.txt": "a\r\nb\n\nc"})
	require.Equal(t, []string{"a", "b", "c"}, d.Values["v"].List)
}

// The files that a workload names are a part of it.
func TestOwn_Hash(t *testing.T) {
	const own = `{"name": "own", "setup": {"sqlite": ["@total.sql"], "postgres": ["@other.sql"]},
		"transactions": [{"name": "find", "kind": "query", "statements": {"sqlite": [{"text": "SELECT 1"}]}}],
		"mix": [{"transaction": "find", "weight": 1}]}`
	with := func(text string) string {
		return ownWorkload(t, own, map[string]string{"total.sql": text, "other.sql": "b"}).SHA256
	}
	first := with("a")
	for range 5 {
		require.Equal(t, first, with("a"))
	}
	require.NotEqual(t, with("a"), with("b"))
}
