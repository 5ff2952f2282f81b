package db2

import "slices"

// Setting is how a database is set up, for the campaign to compare, as the
// papers did.
type Setting string

const (
	// Box is out of the box: one table space, one buffer pool, and the rest for
	// Db2 to decide.
	Box Setting = "box"
	// Tuned has a table space and a buffer pool for each table and its indexes.
	Tuned Setting = "tuned"
)

// ParseSetting takes the name of a setting; empty is Tuned.
func ParseSetting(name string) (Setting, bool) {
	switch s := Setting(name); s {
	case "":
		return Tuned, true
	case Box, Tuned:
		return s, true
	}
	return "", false
}

// DDL is every statement that makes the schema, in order. The schemas for
// XMLVALIDATE are registered after it: see Schemas.
func DDL(s Setting) []string {
	return slices.Concat(
		split(source("schema_service")),
		split(source("schema_"+string(s))),
		split(source("schema_indexes")),
	)
}

// configure is the statements that set up the database around the schema, which
// want more rights than a schema's owner may have.
func configure(s Setting) []string { return split(source("configure_" + string(s))) }

// Schemas are what XMLVALIDATE uses: the name under which each is registered,
// and its file in api/schema.
var Schemas = []struct{ Name, File string }{
	{"CUSTACC", "custacc.xsd"},
	{"ORDERS", "order.xsd"},
	{"SECURITY", "security.xsd"},
}
