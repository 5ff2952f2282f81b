package rewrite_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/db2/db2test/rewrite"
)

var indexLine = regexp.MustCompile(`(?m)^-- Index: (.+)\.$`)

// intended returns the indexes over XML that a statement should use, as its file says; nil if the file names none. A
// statement that reads whole tables names none.
func intended(text string) []string {
	line := indexLine.FindStringSubmatch(text)
	if len(line) == 0 || strings.HasPrefix(line[1], "none, ") {
		return nil
	}
	return strings.Split(line[1], ", ")
}

// statements are the texts of the store's statements by name.
var statements = readStatements()

func readStatements() map[string]string {
	texts := store.ReadStatements(os.DirFS("../.."), "sql")
	for name, text := range texts {
		texts[name] = comments.ReplaceAllString(text, "")
	}
	return texts
}

// source returns the file of a statement.
func source(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "sql", name+".sql"))
	require.NoError(t, err)
	return string(text)
}

func schemaOfTest() []string { return db2.Options{Schema: "TPOX"}.DDL() }

// created returns what a script creates, and the names of its indexes over XML.
func created(t testing.TB, ddl []string) (c *rewrite.Catalogue, indexes []string) {
	t.Helper()
	c = rewrite.NewCatalogue()
	name := regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX (\w+) ON \w+ \(\w+\) GENERATE KEY USING XMLPATTERN`)
	for _, text := range ddl {
		_, err := c.Rewrite(text)
		require.NoError(t, err, text)
		if m := name.FindStringSubmatch(text); m != nil {
			indexes = append(indexes, m[1])
		}
	}
	return c, indexes
}

// access returns the tables of documents in which a statement looks for rows, and the indexes that could serve it.
func access(t testing.TB, c *rewrite.Catalogue, text string) map[string][]string {
	t.Helper()
	tables, err := c.Access(text)
	require.NoError(t, err, text)
	for table := range tables {
		for i, index := range tables[table] {
			tables[table][i] = strings.ToLower(index)
		}
	}
	return tables
}

// Every statement that looks for documents can use the indexes that its file names, at least one of each table, or
// reads whole tables and says so. Every index is there for some statement.
func TestIndexes(t *testing.T) {
	c, indexes := created(t, schemaOfTest())
	require.Len(t, indexes, 8)
	used := make(map[string]bool)
	for name, text := range statements {
		t.Run(name, func(t *testing.T) {
			file := source(t, name)
			tables, names := access(t, c, text), intended(file)
			require.LessOrEqual(t, strings.Count(file, "-- Index: "), 1)
			require.Equal(t, len(tables) > 0, indexLine.MatchString(file), "-- Index: is missing, or idle")
			if len(names) == 0 {
				require.NotContains(t, text, "XMLEXISTS")
				return
			}
			var all []string
			for table, eligible := range tables {
				all = append(all, eligible...)
				serves := slices.ContainsFunc(names, func(n string) bool { return slices.Contains(eligible, n) })
				require.True(t, serves, "none of %v serves %s, only %v", names, table, eligible)
			}
			require.Subset(t, all, names)
			for _, index := range names {
				used[index] = true
			}
		})
	}
	for _, index := range indexes {
		require.True(t, used[index], "no statement uses %s", index)
	}
}

// An index does not serve a statement if either of them breaks a rule of IBM's manual.
func TestIndexes_Rules(t *testing.T) {
	const fixml = `declare default element namespace "http://www.fixprotocol.org/FIXML-4-4";`
	for name, c := range map[string]struct{ statement, old, by, index string }{
		"NoBrackets":     {"get_customer", "$d/Customer[@id = $id]", "$d/Customer/@id = $id", "custacc_id"},
		"OtherNamespace": {"get_customer", "tpox-benchmark.com/custacc", "tpox-benchmark.com/security", "custacc_id"},
		"NoNamespace":    {"get_order", fixml, "", "orders_id"},
		"Number":         {"get_customer", "AS VARCHAR(20)", "AS BIGINT", "custacc_id"},
		"Text":           {"get_security", "Symbol = $symbol", "Symbol/text() = $symbol", "security_symbol"},
		"Anywhere":       {"get_order", "$d/FIXML/Order[", "$d//Order[", "orders_id"},
		"Unequal":        {"get_order", "[@ID = $id]", "[@ID != $id]", "orders_id"},
		"Not":            {"get_order", "[@ID = $id]", "[fn:not(@ID = $id)]", "orders_id"},
		"Or":             {"get_order", "[@ID = $id]", "[@ID = $id or @Side]", "orders_id"},
		"Position":       {"get_order", "Order[@ID", "Order[1][@ID", "orders_id"},
		"PositionWithin": {"get_security", "[Symbol = $symbol]", "[Symbol[1] = $symbol]", "security_symbol"},
		"NotExists":      {"get_order", "WHERE XMLEXISTS", "WHERE NOT XMLEXISTS", "orders_id"},
		"OrExists":       {"buy_security", "AND XMLEXISTS", "OR XMLEXISTS", "custacc_account"},
		"HashedRange":    {"search_securities", "Sector = $sector][(", "Sector >= $sector][(", "security_sector"},
		"RangeOfText":    {"search_securities", `DOUBLE) AS "yieldM`, `VARCHAR(20)) AS "yieldM`, "security_yield"},
		"RangeOfOther":   {"search_securities", "[PE[. >=", "[Yield[. >=", "security_pe"},
		"JoinUnchanged":  {"customer_max_order", "@Acct/fn:string(.)", "@Acct", "orders_account"},
		"JoinOneSide":    {"customer_max_order", "/@id/fn:string(.)", "/@id", "orders_account"},
		"JoinPosition":   {"customer_max_order", "/Order[@Acct", "/Order[1][@Acct", "orders_account"},
	} {
		t.Run(name, func(t *testing.T) {
			catalogue, _ := created(t, schemaOfTest())
			require.Contains(t, statements[c.statement], c.old)
			broken := access(t, catalogue, strings.ReplaceAll(statements[c.statement], c.old, c.by))
			for table, eligible := range broken {
				require.NotContains(t, eligible, c.index, table)
			}
		})
	}
	for name, c := range map[string]struct{ index, old, by, statement string }{
		"IndexOfNumbers":      {"custacc_id", "AS SQL VARCHAR(20)", "AS SQL DOUBLE", "get_customer"},
		"IndexOfFewer":        {"security_sector", "/*/", "/StockInformation/", "search_securities"},
		"IndexWithoutNames":   {"orders_id", fixml, "", "get_order"},
		"IndexOfOtherElement": {"security_symbol", "/Security/Symbol", "/Security/Name", "get_security"},
	} {
		t.Run(name, func(t *testing.T) {
			ddl := schemaOfTest()
			at := slices.IndexFunc(ddl, func(text string) bool { return strings.Contains(text, " "+c.index+" ON ") })
			require.Contains(t, ddl[at], c.old)
			ddl[at] = strings.Replace(ddl[at], c.old, c.by, 1)
			catalogue, _ := created(t, ddl)
			for table, eligible := range access(t, catalogue, statements[c.statement]) {
				require.NotContains(t, eligible, c.index, table)
			}
		})
	}
}
