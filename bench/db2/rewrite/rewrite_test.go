package rewrite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/bench/db2/rewrite"
)

// prepared is a catalogue with two tables and indexes.
func prepared(t testing.TB) *rewrite.Catalogue {
	t.Helper()
	c := rewrite.NewCatalogue()
	for _, ddl := range []string{
		`CREATE TABLE a (n BIGINT NOT NULL PRIMARY KEY, adoc XML NOT NULL INLINE LENGTH 1000) COMPRESS YES ADAPTIVE IN ts`,
		`CREATE TABLE b (bdoc XML NOT NULL)`,
		`CREATE UNIQUE INDEX a_id ON a (adoc) GENERATE KEY USING XMLPATTERN '/A/@id' AS SQL VARCHAR(20)`,
		`CREATE INDEX a_x ON a (adoc) GENERATE KEY USING XMLPATTERN
			'declare default element namespace "u"; /A/*/X' AS SQL VARCHAR HASHED`,
		`CREATE INDEX b_ref ON b(bdoc) GENERATE KEY USING XMLPATTERN '/B/@ref' AS SQL VARCHAR HASHED`,
	} {
		_, err := c.Rewrite(ddl)
		require.NoError(t, err, ddl)
	}
	return c
}

// registering is a block that registers an XML schema, as the manual describes it.
const registering = `BEGIN DECLARE owner VARCHAR(9) DEFAULT 'O'; DECLARE n VARCHAR(9) DEFAULT 'N'; DECLARE x BLOB(1M);
	SELECT d INTO x FROM a WHERE n = 'f'; CALL SYSPROC.XSR_REGISTER(owner, n, 'f', x, NULL);
	CALL SYSPROC.XSR_COMPLETE(owner, n, NULL, 0); END`

// The number of a statement is the same each time, or the server would have to compile it each time.
func TestRewrite_Keys(t *testing.T) {
	c := prepared(t)
	const byID = `DELETE FROM a WHERE XMLEXISTS('$d/A[B = $b][@id = $i]'
		PASSING adoc AS "d", CAST(? AS VARCHAR(9)) AS "b", CAST(? AS VARCHAR(20)) AS "i")`
	got, err := c.Rewrite(byID)
	require.NoError(t, err)
	require.Regexp(t, `^DELETE FROM a WHERE \(ROW_OF_A = BENCH\.ROW_BY_KEY\('A_ID', '', (\d+), 1, `+
		`CAST\(\? AS VARCHAR\(9\)\), CAST\(\? AS VARCHAR\(20\)\)\) `+
		`AND BENCH\.XQ_EXISTS\('.*', 'd:doc b:xs:string@\d+\.0 i:xs:string@\d+\.1', adoc\) = 1\)$`, got)
	again, err := c.Rewrite(byID)
	require.NoError(t, err)
	require.Equal(t, got, again)

	for name, x := range map[string]struct {
		where, as string
		found     string // empty where no index serves the condition
	}{
		"Inside":         {`$d/A[@id = $i]/B/C`, "VARCHAR(20)", `ROW_BY_KEY\('A_ID'`},
		"And":            {`$d/A[@id = $i and B > 1]`, "VARCHAR(20)", `ROW_BY_KEY\('A_ID'`},
		"Self":           {`$d/A/@id[. = $i]`, "VARCHAR(20)", `ROW_BY_KEY\('A_ID'`},
		"Or":             {`$d/A[@id = $i or B]`, "VARCHAR(20)", ""},
		"Boolean":        {`$d/A/@id = $i`, "VARCHAR(20)", ""},
		"OtherNamespace": {`declare default element namespace "v"; $d/A[@id = $i]`, "VARCHAR(20)", ""},
		"Unequal":        {`$d/A[@id != $i]`, "VARCHAR(20)", ""},
		"Loop":           {`for $a in $d/A[@id = $i] return $a`, "VARCHAR(20)", ""},
		"OtherType":      {`$d/A[@id = $i]`, "INTEGER", ""}, // compared as a number, which an index of strings does not serve
		"NotUnique": {
			`declare default element namespace "u"; $d/A[B/X = $i]`, "VARCHAR(9)",
			`CASE WHEN ROW_OF_A IN \(SELECT R FROM BENCH\."A_X" ` +
				`WHERE K = BENCH\.XQ_KEEP\(\d+, 0, CAST\(\? AS VARCHAR\(9\)\)\)\) THEN`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.Rewrite(`SELECT n FROM a WHERE XMLEXISTS('` + x.where + `'
				PASSING adoc AS "d", CAST(? AS ` + x.as + `) AS "i")`)
			require.NoError(t, err)
			if x.found == "" {
				require.NotRegexp(t, "BY_KEY|XQ_KEEP", got)
				return
			}
			require.Regexp(t, x.found, got)
		})
	}
	t.Run("Locks", func(t *testing.T) {
		got, err := c.Rewrite(`SELECT n FROM a WHERE XMLEXISTS('$d/A[@id = $i]'
			PASSING adoc AS "d", CAST(? AS VARCHAR(20)) AS "i")
			WITH RS USE AND KEEP UPDATE LOCKS`)
		require.NoError(t, err)
		require.Contains(t, got, "ROW_BY_KEY('A_ID', 'A', ")
		require.Regexp(t, ` WITH RS$`, got)
	})
}

func TestRewrite_Unsupported(t *testing.T) {
	for given, what := range map[string]string{
		`SELECT x.a FROM a, XMLTABLE('$d/A' PASSING adoc AS "d" COLUMNS a BIGINT PATH '@a') AS x`: "XMLTABLE",
		`SELECT XMLAGG(adoc) FROM a`:                                                         "XMLAGG",
		`SELECT XMLELEMENT(NAME "x", n) FROM a`:                                              "XMLELEMENT",
		`SELECT XMLQUERY('$d ! 1' PASSING adoc AS "d") FROM a`:                               "cannot stand there",
		`SELECT XMLQUERY(?) FROM a`:                                                          "no string",
		`SELECT XMLQUERY('$d' PASSING adoc) FROM a`:                                          "without AS",
		`SELECT XMLQUERY('$d' PASSING adoc AS d) FROM a`:                                     "name in quotes",
		`SELECT XMLQUERY('$d' PASSING UPPER(?) AS "d") FROM a`:                               "type is not known",
		`SELECT XMLCAST(n AS XML) FROM a`:                                                    "XMLCAST",
		`SELECT XMLSERIALIZE(adoc AS BLOB(1M)) FROM a`:                                       "BLOB",
		`SELECT XMLSERIALIZE(adoc AS CLOB(1G) EXCLUDING XMLDECLARATION) FROM a`:              "length",
		`VALUES XMLPARSE(CONTENT ?)`:                                                         "DOCUMENT",
		`VALUES XMLPARSE(DOCUMENT ?)`:                                                        "PRESERVE", // Db2 would strip
		`VALUES XMLVALIDATE(XMLPARSE(DOCUMENT ? PRESERVE WHITESPACE))`:                       "XMLSCHEMA",
		`SELECT n FROM a WITH RS USE AND KEEP UPDATE LOCKS`:                                  "LOCKS",
		`XQUERY db2-fn:xmlcolumn("A.ADOC")`:                                                  "XQUERY",
		`MERGE INTO a USING b ON 1 = 1`:                                                      "MERGE",
		`CREATE PROCEDURE p () BEGIN END`:                                                    "CREATE PROCEDURE",
		`CREATE TABLE c (a BIGINT) ORGANISE BY COLUMN`:                                       "ORGANISE",
		`CREATE INDEX i ON a (adoc) GENERATE KEY USING XMLPATTERN '/A[1]' AS SQL VARCHAR(9)`: "predicate",
		`CREATE INDEX i ON a (adoc) GENERATE KEY USING XMLPATTERN '/A' AS SQL DATE`:          "DATE",
		`CREATE INDEX i ON a (n) GENERATE KEY USING XMLPATTERN '/A' AS SQL DOUBLE`:           "no XML column",
		`CALL SYSPROC.SOMETHING(?)`:                                                          "SYSPROC.SOMETHING",
		`BEGIN DELETE FROM a; END`:                                                           "compound",
		strings.Replace(registering, "(owner, n", "(owner, 'N'", 1):                          "compound", // INOUT
		strings.Replace(registering, "x, NULL", "owner, NULL", 1):                            "compound", // no BLOB
		strings.Replace(registering, "x, NULL", "x", 1):                                      "compound",
		strings.Replace(registering, "COMPLETE(owner, n", "COMPLETE(owner, 'M'", 1):          "compound", // another name
		strings.Replace(registering, "n, NULL, 0", "n, 0", 1):                                "compound",
		`TRUNCATE TABLE a`:                                                                   "TRUNCATE",
		`TRUNCATE TABLE a REUSE STORAGE IMMEDIATE`:                                           "TRUNCATE",
		`SET PATH = x`:               "SET PATH",
		`SELECT 'open FROM a`:        "quote",
		`SELECT XMLQUERY('1' FROM a`: "parenthesis",
		`DROP TABLE a`:               "DROP",
		``:                           "the statement",
	} {
		_, err := prepared(t).Rewrite(given)
		var unsupported *rewrite.Unsupported
		require.ErrorAs(t, err, &unsupported, given)
		require.Contains(t, unsupported.What, what)
	}
}
