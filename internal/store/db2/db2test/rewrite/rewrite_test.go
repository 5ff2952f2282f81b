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

func TestRewrite_Definitions(t *testing.T) {
	for given, want := range map[string]string{
		`CREATE TABLE s."C" (doc XML NOT NULL INLINE LENGTH 16288, n INTEGER, PRIMARY KEY (n)) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN x INDEX IN y`: `CREATE TABLE s."C" (ROW_OF_C BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE, doc CLOB(16M) NOT NULL CHECK (BENCH.IS_DOCUMENT(doc) = 1), n INTEGER, PRIMARY KEY (n))`,
		`CREATE TABLE plain (a VARCHAR(64) NOT NULL PRIMARY KEY)`:                                                                                     `CREATE TABLE plain (a VARCHAR(64) NOT NULL PRIMARY KEY)`,
		`CREATE UNIQUE INDEX i ON a (adoc) GENERATE KEY USING XMLPATTERN 'declare namespace p="u"; /A/p:B/@c' AS SQL VARCHAR(7)`:                      `CALL BENCH.CREATE_XML_INDEX('I', 'A', 'ADOC', '{}A {u}B @{}c', 'VARCHAR(7)', 'VARCHAR(7)', 1)`,
		`CREATE INDEX i ON a (adoc) GENERATE KEY USING XMLPATTERN '/A/B' AS SQL VARCHAR HASHED`:                                                       `CALL BENCH.CREATE_XML_INDEX('I', 'A', 'ADOC', '{}A {}B', 'VARCHAR', 'VARCHAR(8000)', 0)`,
		`CREATE INDEX i ON plain (a)`:                    `CREATE INDEX i ON plain (a)`,
		`ALTER TABLE plain VOLATILE CARDINALITY`:         `CALL BENCH.NOTHING('ALTER TABLE plain VOLATILE CARDINALITY')`,
		`DROP INDEX a_id`:                                `CALL BENCH.DROP_XML_INDEX('A_ID')`,
		`CREATE BUFFERPOOL b SIZE AUTOMATIC`:             `CALL BENCH.NOTHING('CREATE BUFFERPOOL b SIZE AUTOMATIC')`,
		`CREATE LARGE TABLESPACE t MANAGED BY AUTOMATIC`: `CALL BENCH.NOTHING('CREATE LARGE TABLESPACE t MANAGED BY AUTOMATIC')`,
		`GRANT USAGE ON XSROBJECT "T"."X" TO PUBLIC`:     `CALL BENCH.NOTHING('GRANT USAGE ON XSROBJECT "T"."X" TO PUBLIC')`,
		`SET CURRENT LOCK TIMEOUT 3`:                     `CALL BENCH.NOTHING('SET CURRENT LOCK TIMEOUT 3')`,
		registering:                                      `CALL BENCH.XSR_REGISTER('O', 'N', 'f')`,
		`TRUNCATE TABLE a IMMEDIATE`:                     `DELETE FROM A`,
	} {
		got, err := prepared(t).Rewrite(given)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestRewrite_Statements(t *testing.T) {
	for name, c := range map[string]struct{ given, want string }{
		"Query":     {`SELECT XMLQUERY('$d/A' PASSING adoc AS "d") FROM a`, `SELECT BENCH.XQ('$d/A', 'd:doc', adoc) FROM a`},
		"Update":    {`UPDATE a SET adoc = XMLQUERY('copy $n := $d modify do delete $n/x return $n' PASSING adoc AS "d")`, `UPDATE a SET adoc = BENCH.XQ('copy $n := $d modify delete nodes $n/x return $n', 'd:doc', adoc)`},
		"Cast":      {`SELECT XMLCAST(XMLQUERY('"it''s"' PASSING adoc AS "d") AS BIGINT) FROM a`, `SELECT CAST(BENCH.XQ_ATOM('"it''s"', 'd:doc', adoc) AS BIGINT) FROM a`},
		"Serialize": {`SELECT XMLSERIALIZE(adoc AS CLOB(16K) EXCLUDING XMLDECLARATION) FROM a`, `SELECT CAST(BENCH.XML_SERIALIZE(adoc, 16384) AS CLOB(16K)) FROM a`},
		"Parse":     {`INSERT INTO b (bdoc) VALUES (XMLPARSE(DOCUMENT CAST(? AS CLOB(1M)) PRESERVE WHITESPACE))`, `INSERT INTO b (bdoc) VALUES (BENCH.XML_PARSE(CAST(? AS CLOB(1M))))`},
		"Validate":  {`VALUES XMLVALIDATE(XMLPARSE(DOCUMENT ? PRESERVE WHITESPACE) ACCORDING TO XMLSCHEMA ID s.a)`, `VALUES BENCH.XML_VALIDATE('A', BENCH.XML_PARSE(?))`},
		"Bytes":     {`INSERT INTO c (x) VALUES (BLOB(CAST(? AS CLOB(1M))))`, `INSERT INTO c (x) VALUES (BENCH.BYTES(CAST(? AS CLOB(1M))))`},
		"Count":     {`SELECT CAST(COUNT_BIG(*) AS BIGINT) FROM a`, `SELECT CAST(COUNT(*) AS BIGINT) FROM a`},
		"Octets":    {`SELECT OCTET_LENGTH(adoc) FROM a`, `SELECT BENCH.OCTETS(adoc) FROM a`},
		"Numbers": {
			`SELECT XMLQUERY('$a + $b' PASSING a.n AS "a", CAST(? AS DOUBLE) AS "b") FROM a`,
			`SELECT BENCH.XQ('$a + $b', 'a:xs:integer b:xs:double', RTRIM(CHAR(a.n)), BENCH.DOUBLE_TEXT(CAST(? AS DOUBLE))) FROM a`,
		},
		"Views":   {`SELECT value FROM SYSIBMADM.DBCFG`, `SELECT value FROM BENCH.DBCFG`},
		"Catalog": {`SELECT card FROM SYSCAT.TABLES`, `SELECT card FROM BENCH.TABLES`},
		"Pools":   {`SELECT t.x FROM TABLE(SYSPROC.MON_GET_BUFFERPOOL(CAST(NULL AS VARCHAR(128)), -2)) AS t`, `SELECT t.x FROM BENCH.BUFFERPOOL AS t`},
		"NoIndex": {`SELECT 1 FROM a WHERE XMLEXISTS('$d/A[@x = $i]' PASSING adoc AS "d", CAST(? AS VARCHAR(9)) AS "i")`, `SELECT 1 FROM a WHERE BENCH.XQ_EXISTS('$d/A[@x = $i]', 'd:doc i:xs:string', adoc, CAST(? AS VARCHAR(9))) = 1`},
		"Join": {
			`SELECT 1 FROM a x, b y WHERE XMLEXISTS('$d/A[@id/fn:string(.) = $e/B/@ref/fn:string(.)]' PASSING x.adoc AS "d", y.bdoc AS "e")`,
			`SELECT 1 FROM a x, b y WHERE CASE WHEN EXISTS (SELECT 1 FROM BENCH."A_ID" KL, BENCH."B_REF" KR WHERE KL.R = x.ROW_OF_A AND KR.R = y.ROW_OF_B AND KL.K = KR.K) THEN BENCH.XQ_EXISTS('$d/A[@id/fn:string(.) = $e/B/@ref/fn:string(.)]', 'd:doc e:doc', x.adoc, y.bdoc) ELSE 0 END = 1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := prepared(t).Rewrite(c.given)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// A statement always gets the same number; otherwise the server would have to
// compile it each time.
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
		strings.Replace(registering, "owner, name, 'f'", "owner, 'N', 'f'", 1):               "compound", // INOUT wants a variable
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

func TestQueries(t *testing.T) {
	queries, err := rewrite.Queries(`SELECT XMLCAST(XMLQUERY('a ''b''' PASSING x AS "x") AS BIGINT), 'not this' FROM t WHERE XMLEXISTS('c');
		CREATE INDEX i ON t (x) GENERATE KEY USING XMLPATTERN '/d' AS SQL DOUBLE`)
	require.NoError(t, err)
	require.Equal(t, []string{"a 'b'", "c", "/d"}, queries)
}
