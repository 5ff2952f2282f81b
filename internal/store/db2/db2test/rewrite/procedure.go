package rewrite

import (
	"regexp"
	"strings"
)

// truncate rewrites TRUNCATE. Db2 requires IMMEDIATE for tables that are organized by row, and that the statement is
// the first of its unit of work: see drda/unit.go. Derby's own TRUNCATE would not empty the tables of keys.
func truncate(tokens []token) string {
	if !starts(tokens, "TRUNCATE", "TABLE") || len(tokens) != 4 || !tokens[3].is("IMMEDIATE") {
		refuse("the statement %s", text(tokens))
	}
	return "DELETE FROM " + tokens[2].name()
}

// registration is the compound statement that registers an XML schema as IBM's manual requires: with variables where an
// argument is INOUT, and a BLOB for the content.
var registration = regexp.MustCompile(`^BEGIN` +
	` DECLARE owner VARCHAR\(128\) DEFAULT ('[^']+'); DECLARE name VARCHAR\(128\) DEFAULT ('[^']+');` +
	` DECLARE text BLOB\(1M\); SELECT content INTO text FROM schemas WHERE file = ('[^']+');` +
	` CALL SYSPROC\.XSR_REGISTER\(owner, name, ('[^']+'), text, NULL\);` +
	` CALL SYSPROC\.XSR_COMPLETE\(owner, name, NULL, 0\); END$`)

// block accepts the compound statement that registers an XML schema. Derby has no such statements.
func block(tokens []token) string {
	m := registration.FindStringSubmatch(text(tokens))
	if len(m) != 5 || m[3] != m[4] {
		refuse("a compound statement that is not the one that registers an XML schema: %s", text(tokens))
	}
	return "CALL BENCH.XSR_REGISTER(" + strings.Join(m[1:4], ", ") + ")"
}
