package db2

import "slices"

// A Setting is a way to set up a database; the campaign compares them, as the papers did.
type Setting string

const (
	// Box is out of the box: one table space, one buffer pool, and Db2's defaults.
	Box Setting = "box"
	// Tuned has a table space and a buffer pool of its own for each table and for its indexes.
	Tuned Setting = "tuned"
)

// ParseSetting returns the setting with the given name, which is Tuned if empty.
func ParseSetting(name string) (Setting, bool) {
	switch s := Setting(name); s {
	case "":
		return Tuned, true
	case Box, Tuned:
		return s, true
	}
	return "", false
}

// DDL returns every statement that creates the schema, in order. Schemas lists what is registered after it.
func DDL(s Setting, d Design) []string {
	return d.apply(slices.Concat(
		split(source("schema_service")),
		split(source("schema_"+string(s))),
		split(source("schema_indexes")),
	))
}

// configuration returns the statements that configure the database around the schema. They need more rights than a
// schema's owner may have.
func configuration(s Setting) []string { return split(source("configure_" + string(s))) }

// Schemas are what XMLVALIDATE uses: the name under which each is registered, and its file in api/schema.
var Schemas = []struct{ Name, File string }{
	{"CUSTACC", "custacc.xsd"},
	{"ORDERS", "order.xsd"},
	{"SECURITY", "security.xsd"},
}
