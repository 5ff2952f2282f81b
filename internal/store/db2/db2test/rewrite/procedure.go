package rewrite

import (
	"regexp"
	"strings"
)

// call replaces Db2's procedures by the bench's.
func call(tokens []token) (string, error) {
	if len(tokens) > 4 && starts(tokens[1:], "SYSPROC", ".", "ADMIN_CMD") {
		return "CALL BENCH.NOTHING" + text(tokens[4:]), nil
	}
	if len(tokens) > 4 && starts(tokens[1:], "SYSPROC", ".", "SYSINSTALLOBJECTS") {
		return text(tokens), nil // Derby refuses it: it explains nothing
	}
	return "", unsupported("the procedure %s", text(tokens[1:min(4, len(tokens))]))
}

// truncate empties a table. Db2 requires IMMEDIATE for tables that are
// organized by row, and that the statement is the first of its unit of work:
// see drda/unit.go. Derby's own TRUNCATE would not empty the tables of keys.
func truncate(tokens []token) (string, error) {
	if !starts(tokens, "TRUNCATE", "TABLE") || len(tokens) < 4 {
		return "", unsupported("the statement %s", text(tokens))
	}
	name, rest := tableName(tokens[2:])
	if len(rest) != 1 || !rest[0].is("IMMEDIATE") {
		return "", unsupported("TRUNCATE TABLE … %s", text(rest))
	}
	return "DELETE FROM " + name, nil
}

// registration is the compound statement that registers an XML schema as IBM's manual requires: with variables where an
// argument is INOUT, and a BLOB for the content.
var registration = regexp.MustCompile(`^BEGIN` +
	` DECLARE owner VARCHAR\(128\) DEFAULT ('[^']+'); DECLARE name VARCHAR\(128\) DEFAULT ('[^']+');` +
	` DECLARE text BLOB\(1M\); SELECT content INTO text FROM schemas WHERE file = ('[^']+');` +
	` CALL SYSPROC\.XSR_REGISTER\(owner, name, ('[^']+'), text, NULL\);` +
	` CALL SYSPROC\.XSR_COMPLETE\(owner, name, NULL, 0\); END$`)

// block accepts the compound statement that registers an XML schema. Derby has no such statements.
func block(tokens []token) (string, error) {
	m := registration.FindStringSubmatch(text(tokens))
	if m == nil || m[3] != m[4] {
		return "", unsupported("a compound statement that is not the one that registers an XML schema: %s", text(tokens))
	}
	return "CALL BENCH.XSR_REGISTER(" + strings.Join(m[1:4], ", ") + ")", nil
}
