package rewrite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/db2/db2test/rewrite"
)

// prepared returns a catalogue with two tables and indexes of each type.
func prepared(t testing.TB) *rewrite.Catalogue {
	t.Helper()
	c := rewrite.NewCatalogue()
	for _, ddl := range []string{
		`CREATE TABLE a (n BIGINT NOT NULL PRIMARY KEY, adoc XML NOT NULL INLINE LENGTH 1000) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN ts`,
		`CREATE TABLE s.b (bdoc XML)`,
		`CREATE UNIQUE INDEX a_id ON a (adoc) GENERATE KEY USING XMLPATTERN '/A/@id' AS SQL VARCHAR(20)`,
		`CREATE INDEX a_x ON a (adoc) GENERATE KEY USING XMLPATTERN 'declare default element namespace "u"; /A/*/X' AS SQL DOUBLE`,
		`CREATE INDEX b_ref ON b(bdoc) GENERATE KEY USING XMLPATTERN '/B/@ref' AS SQL VARCHAR HASHED`,
	} {
		_, err := c.Rewrite(ddl)
		require.NoError(t, err, ddl)
	}
	return c
}

// registering is a block that registers an XML schema.
const registering = `BEGIN DECLARE owner VARCHAR(128) DEFAULT 'O'; DECLARE name VARCHAR(128) DEFAULT 'N'; DECLARE text BLOB(1M);
	SELECT content INTO text FROM schemas WHERE file = 'f';
	CALL SYSPROC.XSR_REGISTER(owner, name, 'f', text, NULL); CALL SYSPROC.XSR_COMPLETE(owner, name, NULL, 0); END`

// An equality that an index serves finds rows by their keys. A statement always gets the same number; otherwise the
// server would have to compile it each time.
func TestRewrite_Keys(t *testing.T) {
	c := prepared(t)
	const byID = `DELETE FROM a WHERE XMLEXISTS('$d/A[B = $b][@id = $i]' PASSING adoc AS "d", CAST(? AS VARCHAR(9)) AS "b", CAST(? AS VARCHAR(20)) AS "i")`
	got, err := c.Rewrite(byID)
	require.NoError(t, err)
	require.Regexp(t, `^DELETE FROM a WHERE \(ROW_OF_A = BENCH\.ROW_BY_KEY\('A_ID', '', (\d+), 1, CAST\(\? AS VARCHAR\(9\)\), CAST\(\? AS VARCHAR\(20\)\)\) `+
		`AND BENCH\.XQ_EXISTS\('.*', 'd:doc b:xs:string@\d+\.0 i:xs:string@\d+\.1', adoc\) = 1\)$`, got)
	again, err := c.Rewrite(byID)
	require.NoError(t, err)
	require.Equal(t, got, again)

	for name, where := range map[string]string{
		"Inside":       `$d/A[@id = $i]/B/C`,
		"And":          `$d/A[@id = $i and B > 1]`,
		"Reverse":      `$d/A[$i = @id]`,
		"Self":         `$d/A/@id[. = $i]`,
		"FromDocument": `$d[A/@id = $i]`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.Rewrite(`SELECT n FROM a WHERE XMLEXISTS('` + where + `' PASSING adoc AS "d", CAST(? AS VARCHAR(20)) AS "i")`)
			require.NoError(t, err)
			require.Contains(t, got, "ROW_BY_KEY('A_ID'")
		})
	}
	for name, where := range map[string]string{
		"Or":             `$d/A[@id = $i or B]`,
		"Not":            `$d/A[fn:not(@id = $i)]`,
		"Boolean":        `$d/A/@id = $i`,
		"OtherNamespace": `declare default element namespace "v"; $d/A[@id = $i]`,
		"Unequal":        `$d/A[@id != $i]`,
		"Loop":           `for $a in $d/A[@id = $i] return $a`,
		"Anywhere":       `$d//@id[. = $i]`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.Rewrite(`SELECT n FROM a WHERE XMLEXISTS('` + where + `' PASSING adoc AS "d", CAST(? AS VARCHAR(20)) AS "i")`)
			require.NoError(t, err)
			require.NotContains(t, got, "BY_KEY")
		})
	}
	t.Run("OtherType", func(t *testing.T) {
		got, err := c.Rewrite(`SELECT n FROM a WHERE XMLEXISTS('$d/A[@id = $i]' PASSING adoc AS "d", CAST(? AS BIGINT) AS "i")`)
		require.NoError(t, err)
		require.NotContains(t, got, "BY_KEY", "a number is compared as a number, which an index of strings does not serve")
	})
	t.Run("NotUnique", func(t *testing.T) {
		got, err := c.Rewrite(`SELECT n FROM a WHERE XMLEXISTS('declare default element namespace "u"; $d/A[B/X = $x]' PASSING adoc AS "d", CAST(? AS DOUBLE) AS "x")`)
		require.NoError(t, err)
		require.Regexp(t, `CASE WHEN ROW_OF_A IN \(SELECT R FROM BENCH\."A_X" WHERE K = DOUBLE\(BENCH\.XQ_KEEP\(\d+, 0, BENCH\.DOUBLE_TEXT\(CAST\(\? AS DOUBLE\)\)\)\)\) THEN`, got)
	})
	t.Run("Locks", func(t *testing.T) {
		got, err := c.Rewrite(`SELECT n FROM a WHERE XMLEXISTS('$d/A[@id = $i]' PASSING adoc AS "d", CAST(? AS VARCHAR(20)) AS "i") WITH RS USE AND KEEP UPDATE LOCKS`)
		require.NoError(t, err)
		require.Contains(t, got, "ROW_BY_KEY('A_ID', 'A', ")
		require.Regexp(t, ` WITH RS$`, got)
	})
}

func TestRewrite_Unsupported(t *testing.T) {
	for given, what := range map[string]string{
		`SELECT x.a FROM a, XMLTABLE('$d/A' PASSING adoc AS "d" COLUMNS a BIGINT PATH '@a') AS x`: "XMLTABLE",
		`SELECT XMLAGG(adoc) FROM a`:                                   "XMLAGG",
		`SELECT XMLELEMENT(NAME "x", n) FROM a`:                        "XMLELEMENT",
		`SELECT XMLQUERY('$d ! 1' PASSING adoc AS "d") FROM a`:         "! 1",
		`SELECT XMLQUERY(?) FROM a`:                                    "no string",
		`SELECT XMLQUERY('1') FROM a`:                                  "PASSING",
		`SELECT XMLQUERY('$d' PASSING adoc) FROM a`:                    "name in quotes",
		`SELECT XMLQUERY('$d' PASSING UPPER(?) AS "d") FROM a`:         "type is not known",
		`SELECT XMLCAST(n AS XML) FROM a`:                              "XMLCAST",
		`SELECT XMLSERIALIZE(adoc AS BLOB(1M)) FROM a`:                 "BLOB",
		`VALUES XMLPARSE(DOCUMENT ?)`:                                  "XMLPARSE",
		`VALUES XMLPARSE(CONTENT ? PRESERVE WHITESPACE)`:               "CONTENT",
		`VALUES XMLVALIDATE(XMLPARSE(DOCUMENT ? PRESERVE WHITESPACE))`: "XMLSCHEMA",
		`SELECT n FROM a WITH RS USE AND KEEP UPDATE LOCKS`:            "LOCKS",
		`XQUERY db2-fn:xmlcolumn("A.ADOC")`:                            "XQUERY",
		`MERGE INTO a USING b ON 1 = 1`:                                "MERGE",
		`CREATE PROCEDURE p () BEGIN END`:                              "CREATE PROCEDURE",
		`CREATE TABLE c (a BIGINT) ORGANISE BY COLUMN`:                 "ORGANISE",
		// Db2 for Linux has it in ALTER TABLE only
		`CREATE TABLE c (a BIGINT) VOLATILE`:                                                 "VOLATILE",
		`ALTER TABLE a ADD COLUMN b BIGINT`:                                                  "ALTER TABLE",
		`CREATE INDEX i ON a (adoc) GENERATE KEY USING XMLPATTERN '/A[1]' AS SQL VARCHAR(9)`: "/A[1]",
		`CREATE INDEX i ON a (adoc) GENERATE KEY USING XMLPATTERN '//A' AS SQL DOUBLE`:       "//A",
		`CREATE INDEX i ON a (adoc) GENERATE KEY USING XMLPATTERN '/A' AS SQL DATE`:          "DATE",
		`CREATE INDEX i ON a (n) GENERATE KEY USING XMLPATTERN '/A' AS SQL DOUBLE`:           "no XML column",
		`CALL SYSPROC.SOMETHING(?)`:                                                          "CALL",
		`BEGIN DELETE FROM a; END`:                                                           "compound",
		strings.Replace(registering, "owner, name, 'f'", "owner, 'N', 'f'", 1):               "compound", // INOUT needs a variable
		strings.Replace(registering, "BLOB(1M)", "CLOB(1M)", 1):                              "compound",
		strings.Replace(registering, ", text, NULL", ", text", 1):                            "compound",
		strings.Replace(registering, "name, NULL, 0", "owner, NULL, 0", 1):                   "compound",
		strings.Replace(registering, "= 'f'", "= 'g'", 1):                                    "compound",
		`TRUNCATE TABLE a`:                         "TRUNCATE", // without IMMEDIATE
		`TRUNCATE TABLE a REUSE STORAGE IMMEDIATE`: "TRUNCATE",
		`SET PATH = x`:                             "SET PATH",
		`SELECT 'open FROM a`:                      "quote",
		`SELECT XMLQUERY('1' FROM a`:               "parenthesis",
		`DROP TABLE a`:                             "before its index",
		``:                                         "the statement",
	} {
		_, err := prepared(t).Rewrite(given)
		var unsupported *rewrite.Unsupported
		require.ErrorAs(t, err, &unsupported, given)
		require.Contains(t, unsupported.What, what)
	}
}
