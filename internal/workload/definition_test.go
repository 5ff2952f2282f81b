package workload

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// The weights of the mixed workload are those of the registry.
func TestLoad_MixedIsTheRegistrys(t *testing.T) {
	d := definition(t, "mixed")
	require.True(t, d.Validate)
	var mix []result.Part
	for _, tx := range tpox.Transactions {
		if tx.Weight == 0 {
			continue
		}
		mix = append(mix, result.Part{Transaction: tx.Name, Weight: float64(tx.Weight)})
	}
	require.Equal(t, mix, d.Mix)
}

func TestLoad_ClassicIsNotValidated(t *testing.T) {
	d := definition(t, "classic")
	require.False(t, d.Validate)
	require.Len(t, d.Mix, 13)
	total := 0.0
	for _, p := range d.Mix {
		total += p.Weight
	}
	require.InDelta(t, 100, total, 1e-9)
}

func TestDefinition_SetWeights(t *testing.T) {
	d := definition(t, "mixed")
	require.NoError(t, d.SetWeights("get_order=30, buy_security=5"))
	parts, err := d.parts()
	require.NoError(t, err)
	require.Len(t, parts, 2, "the others do not run")
	require.Equal(t, "get_order", parts[0].Name)
	require.InDelta(t, 30.0/35, parts[0].Share, 1e-12)
	for text, says := range map[string]string{
		"get_oder=1":              `there is no transaction "get_oder": use one of get_order, `,
		"get_order":               `"get_order" is not a transaction and its weight`,
		"get_order=x":             `"get_order=x" is not a transaction and its weight`,
		"get_order=-1":            "the weight of get_order is -1",
		"get_order=NaN":           "the weight of get_order is NaN",
		"get_order=0":             "no weight is above 0",
		"get_order=1,":            `"" is not a transaction and its weight`,
		"get_order=1,get_order=2": "get_order is listed twice",
		"delete_order=1":          "delete_order without insert_order",
	} {
		err := definition(t, "mixed").SetWeights(text)
		require.ErrorContains(t, err, says, text)
		require.NotContains(t, err.Error(), "\n")
	}
}

// writeFiles writes a workload file, and files beside it, and returns its path.
func writeFiles(t testing.TB, text string, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "own.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	for name, contents := range files {
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(contents), 0o600))
	}
	return path
}

// Each of these files is refused with one line before any load.
func TestLoad_Refusals(t *testing.T) {
	with := func(field string) string {
		return `{"name": "w", ` + field + `, "mix": [{"transaction": "get_order", "weight": 1}]}`
	}
	mix := func(parts string) string { return `{"name": "w", "mix": [` + parts + `]}` }
	own := func(values, transaction string) string {
		return `{"name": "w", "values": {` + values + `}, "transactions": [` + transaction + `],
			"mix": [{"transaction": "t", "weight": 1}]}`
	}
	sql := func(statements string) string {
		return own(`"v": {"range": [1, 2]}`, `{"name": "t", "kind": "query", "statements": `+statements+`}`)
	}
	value := func(v string) string {
		return own(`"v": `+v, `{"name": "t", "kind": "query", "statements": {"sqlite": [{"text": "SELECT {v}"}]}}`)
	}
	for name, c := range map[string]struct{ file, says string }{
		"Empty":           {"", "line 1: not JSON"},
		"NotJSON":         {"{\n\"name\" 1}", "line 2: not JSON"},
		"Two":             {with(`"validate": true`) + "{}", "not JSON"},
		"NoName":          {`{"mix": [{"transaction": "get_order", "weight": 1}]}`, "missing property 'name'"},
		"UnknownField":    {with(`"weighs": 1`), "additional properties 'weighs' not allowed"},
		"WeightIsMissing": {mix(`{"transaction": "get_order"}`), "at '/mix/0': missing property 'weight'"},
		"WeightIsHuge":    {mix(`{"transaction": "get_order", "weight": 1e400}`), "1e400"},
		"Transaction":     {mix(`{"transaction": "get_oder", "weight": 1}`), `no transaction "get_oder"`},
		"Distribution":    {with(`"draws": {"order": {"distribution": "gauss"}}`), "/order/distribution': value must be"},
		"ZipfWithoutS":    {with(`"draws": {"order": {"distribution": "zipf"}}`), "at '/draws/order': missing property 's'"},
		"UniformWithS": {
			with(`"draws": {"order": {"distribution": "uniform", "s": 2}}`), "distribution': value must be 'zipf'",
		},
		"ValueNull":      {with(`"values": {"v": null}, "values": {"v": null}`), "at '/values/v': got null, want object"},
		"RangeOfThree":   {with(`"updates": {"price": [20, 21, 22]}`), "at '/updates/price': maxItems"},
		"RangeBackwards": {with(`"updates": {"price": [6, 4]}`), "updates.price: [6, 4] is not a range"},
		"QuantityZero":   {with(`"trades": {"sell": {"quantity": [0, 10]}}`), "at '/trades/sell/quantity/0': minimum"},

		"NoSource":     {value(`{}`), "at '/values/v': exactly one of range, list, file and ids is required"},
		"TwoSources":   {value(`{"range": [1, 2], "ids": "order"}`), "at '/values/v': exactly one of range"},
		"BlankText":    {sql(`{"sqlite": [{"text": " "}]}`), "transaction t: a statement has no text"},
		"EmptyText":    {sql(`{"sqlite": [{"text": "@empty.txt"}]}`), "transaction t: a statement has no text"},
		"EmptyFile":    {value(`{"file": "empty.txt"}`), "values.v: its file is empty"},
		"NoFile":       {value(`{"file": "none.txt"}`), "none.txt: no such file"},
		"RangeTooLong": {value(`{"range": [-9000000000000000000, 9000000000000000000]}`), "at most 10^15 numbers"},
		"ValueName":    {own(`"a b": {"range": [1, 2]}`, ""), "at '/values': additional properties 'a b' not allowed"},
		"NoValue":      {sql(`{"postgres": [{"text": "SELECT {w}"}]}`), "transaction t: the marker {w} has no value"},
		"InQuotes":     {sql(`{"sqlite": [{"text": "SELECT '{v}'"}]}`), "{v} is in quotes, but is a parameter"},
		"Engine":       {sql(`{"oracle": [{"text": "SELECT 1"}]}`), "/statements': additional properties 'oracle'"},
		"NoStatement":  {sql(`{"sqlite": []}`), "at '/transactions/0/statements/sqlite': minItems"},
		"NoTextFile":   {sql(`{"sqlite": [{"text": "@none.sql"}]}`), "none.sql: no such file"},
		"Rows":         {sql(`{"sqlite": [{"text": "SELECT 1", "rows": [2, 1]}]}`), "t: rows: [2, 1] is not a range"},
		"KnownName": {own("", `{"name": "get_order", "kind": "query", "statements": {"sqlite": [{"text": "SELECT 1"}]}}`),
			"there is a transaction get_order already"},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFiles(t, c.file, map[string]string{"empty.txt": "\n\n"})
			_, err := Load(path)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "workload "+path+": ")
			require.NotContains(t, err.Error(), "\n")
		})
	}
	_, err := Load("mixt")
	require.EqualError(t, err, `there is no workload "mixt": `+
		"use one of classic, insert-customers, insert-orders, mixed, query, or the path of a file")
	_, err = Load("none.json")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// If a field is given twice, the second is checked against the schema and used.
func TestLoad_FieldTwice(t *testing.T) {
	d, err := Load(writeFiles(t, `{"name": "w", "updates": {"price": [0, 5]}, "updates": {"status": ["1"]},
		"mix": [{"transaction": "get_order", "weight": 1}]}`, nil))
	require.NoError(t, err)
	require.Equal(t, definition(t, "mixed").Updates.Price, d.Updates.Price)
	require.Equal(t, []string{"1"}, d.Updates.Status)
}

// The files that a workload names are a part of it.
func TestLoad_Files(t *testing.T) {
	const own = `{"name": "own", "setup": {"sqlite": ["@total.sql"], "postgres": ["@other.sql"]},
		"values": {"v": {"file": "list.txt"}}, "mix": [{"transaction": "find", "weight": 1}],
		"transactions": [{"name": "find", "kind": "query", "statements": {"sqlite": [{"text": "SELECT {v}"}]}}]}`
	with := func(total string) *Definition {
		files := map[string]string{"total.sql": total, "other.sql": "b", "list.txt": "a\r\nb\n\nc"}
		return definition(t, writeFiles(t, own, files))
	}
	first := with("a")
	require.Equal(t, []string{"a", "b", "c"}, first.Values["v"].List)
	require.Equal(t, []string{"a"}, first.Setup["sqlite"])
	for range 5 {
		require.Equal(t, first.SHA256, with("a").SHA256)
	}
	require.NotEqual(t, first.SHA256, with("b").SHA256)
}
