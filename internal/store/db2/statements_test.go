package db2

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestSplit(t *testing.T) {
	require.Equal(t, []string{"SELECT 1", "SELECT 'a;b--c' FROM t"},
		split("-- first; of two;\nSELECT 1;\n-- second\nSELECT 'a;b--c' FROM t;\n\n"))
	require.Empty(t, split("-- nothing;\n"))
}

// The file of every statement on documents names its pages of the manual; the text that is sent does not.
func TestStatements(t *testing.T) {
	require.NotEmpty(t, statements)
	for name, text := range statements {
		require.NotEmpty(t, text, name)
		require.NotContains(t, text, "--", name)
		require.Zero(t, strings.Count(text, "'")%2, name)
		if !strings.Contains(text, "XMLEXISTS") {
			continue
		}
		require.Contains(t, source(name), "-- Manual: ", name)
		require.NotEmpty(t, expectedIndexes(name), name)
		// A condition outside [] holds for every row.
		require.Contains(t, text, "XMLEXISTS('\n", name)
	}
}

// The driver drops an error that comes with a statement's second result, so that only procedures that report it with
// the first may have one.
func TestStatements_OneResult(t *testing.T) {
	procedure := regexp.MustCompile(`\bCALL\s+(\S+?)\(`)
	for name, text := range statements {
		for _, called := range procedure.FindAllStringSubmatch(text, -1) {
			require.Regexp(t, `^SYSPROC\.(ADMIN_CMD|XSR_REGISTER|XSR_COMPLETE)$`, called[1], name)
		}
		if strings.HasPrefix(text, "BEGIN") {
			require.Regexp(t, procedure, text, name)
		}
	}
}

// Counts and sums are BIGINT: COUNT is an INTEGER, too small for the larger scales, and with large_aggregation it is a
// DECIMAL, as SUM is, which the client returns as text.
func TestStatements_Counts(t *testing.T) {
	aggregate := regexp.MustCompile(`\b(COUNT|COUNT_BIG|SUM)\(`)
	cast := regexp.MustCompile(`\bCAST\((COUNT_BIG|SUM)\([^()]*\) AS BIGINT\)`)
	all := 0
	for name, text := range statements {
		text, _, _ = strings.Cut(text, "\nHAVING ")
		n := len(aggregate.FindAllString(text, -1))
		require.Len(t, cast.FindAllString(text, -1), n, name)
		all += n
	}
	require.Positive(t, all)
}

// Monitoring returns the text of every statement whole, by which it finds its name.
func TestStatements_Observed(t *testing.T) {
	m := regexp.MustCompile(`SUBSTR\(stmt_text, 1, (\d+)\)`).FindStringSubmatch(statements["observe_statements"])
	require.Len(t, m, 2)
	most, err := strconv.Atoi(m[1])
	require.NoError(t, err)
	for text, name := range names {
		require.Less(t, len(text), most, name)
	}
}

// What the trial tries instead of the rounding of the trades is shorter and names no variable that is gone.
func TestStatements_Shorter(t *testing.T) {
	for _, trade := range []string{"buy_security", "sell_security"} {
		text := shorter(trade)
		require.Equal(t, 3, strings.Count(text, "fn:round-half-to-even("), text)
		require.NotRegexp(t, `\$\w+[XF]\b`, text)
		require.Less(t, len(text), len(statements[trade])-400)
	}
}

// A page is cut where no client may have more.
func TestStatements_Page(t *testing.T) {
	require.Contains(t, statements["search_securities_page"], fmt.Sprintf("FETCH FIRST %d ROWS ONLY", tpox.MaxHits+1))
}

func TestDDL(t *testing.T) {
	all := Options{Schema: "TPOX"}.DDL()
	count := func(prefix string) (n int) {
		for _, text := range all {
			if strings.HasPrefix(text, prefix) {
				n++
			}
		}
		return n
	}
	require.Equal(t, 8, count("CREATE TABLE "))
	require.Equal(t, 9, count("CREATE INDEX")+count("CREATE UNIQUE INDEX"))
	for _, text := range all {
		if strings.HasPrefix(text, "CREATE TABLE ") {
			require.Contains(t, text, " ORGANIZE BY ROW")
		}
	}
	for _, table := range []string{"settings", "leases", "answers"} {
		require.Contains(t, all, "ALTER TABLE "+table+" VOLATILE CARDINALITY", "nobody runs RUNSTATS on it")
	}
	require.Equal(t, 3, count("ALTER TABLE "))
}

// The grants for a service name every table that it writes, and every view and function that it reads.
func TestGrants(t *testing.T) {
	grants := testenv.Text(t, "../../../deploy/db2/grants.sql")
	for _, table := range []string{"custacc", "orders", "security", "answers", "leases"} {
		require.Regexp(t, `(?m)^GRANT SELECT, .*UPDATE.* ON TABLE TPOX\.`+table+` TO ROLE brokerage_service;$`, grants)
	}
	named := regexp.MustCompile(`SYS(?:IBMADM|CAT|PROC)\.[A-Z_]+`)
	for name, text := range statements {
		for _, used := range named.FindAllString(text, -1) {
			require.Contains(t, grants, used, name)
		}
	}
	for _, x := range Schemas {
		require.Contains(t, grants, "GRANT USAGE ON XSROBJECT TPOX."+x.Name+" TO PUBLIC;")
	}
}
