package db2

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// The file of every statement that looks for documents names pages of the manual; the text that is sent does not.
func TestStatements(t *testing.T) {
	procedure := regexp.MustCompile(`\bCALL\s+(\S+?)\(`)
	aggregate := regexp.MustCompile(`\b(COUNT|COUNT_BIG|SUM)\(`)
	cast := regexp.MustCompile(`\bCAST\((COUNT_BIG|SUM)\([^()]*\) AS BIGINT\)`)
	for name, text := range statements {
		require.NotEmpty(t, text, name)
		require.NotContains(t, text, "--", name)
		require.Zero(t, strings.Count(text, "'")%2, name)
		if strings.Contains(text, "XMLEXISTS") {
			require.Contains(t, source(name), "-- Manual: ", name)
			require.NotEmpty(t, expectedIndexes(name), name)
			// The query begins on a line of its own.
			require.Contains(t, text, "XMLEXISTS('\n", name)
		}
		// The driver drops an error that comes with a second result: the procedures called here report it with the first.
		for _, called := range procedure.FindAllStringSubmatch(text, -1) {
			require.Regexp(t, `^SYSPROC\.(ADMIN_CMD|XSR_REGISTER|XSR_COMPLETE)$`, called[1], name)
		}
		// COUNT is an INTEGER, too small for the larger scales, and with large_aggregation it is a DECIMAL, as SUM is, which
		// the client returns as text.
		selected, _, _ := strings.Cut(text, "\nHAVING ")
		require.Len(t, cast.FindAllString(selected, -1), len(aggregate.FindAllString(selected, -1)), name)
	}
	require.Contains(t, statements["search_securities_page"], fmt.Sprintf("FETCH FIRST %d ROWS ONLY", tpox.MaxHits+1))
}

// No table is organised by column, even if that is the default. The tables settings, leases and answers are VOLATILE.
func TestDDL(t *testing.T) {
	all := strings.Join(Options{Schema: "TPOX"}.DDL(), ";")
	require.Equal(t, 8, strings.Count(all, "CREATE TABLE "))
	require.Equal(t, 8, strings.Count(all, " ORGANIZE BY ROW"))
	for _, table := range []string{"settings", "leases", "answers"} {
		require.Contains(t, all, "ALTER TABLE "+table+" VOLATILE CARDINALITY")
	}
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

// The store declares for each transaction the fidelity that storetest.Judge finds in the statement of the same name.
func TestFaithful(t *testing.T) {
	for _, transaction := range tpox.Transactions {
		name := transaction.Name
		require.Contains(t, statements, name)
		require.Equal(t, faithful[name], storetest.Judge([]string{statements[name]}), name)
	}
}
