package db2

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
)

// DDL returns every statement that creates the schema, in order. Schemas lists what is registered after it. Schema must
// be set: the names of the buffer pool and the table space depend on it.
func (s Options) DDL() []string {
	tables := s.tables()
	return slices.Concat(tables[:1], s.storage(), tables[1:])
}

// storage returns the statements that create the buffer pool and the table space. Each must be committed before the
// next: CREATE BUFFERPOOL creates the pool after its commit.
func (s Options) storage() []string { return s.fill("schema_storage") }

// tables returns the statements that create tables and indexes. The first creates the table that makeSchema locks.
func (s Options) tables() []string {
	return slices.Concat(s.fill("schema_service"), s.fill("schema_documents"), s.fill("schema_indexes"))
}

// fill returns the statements of a file.
func (s Options) fill(file string) []string {
	return split(strings.ReplaceAll(source(file), "$storage", storageName(s.Schema)))
}

// ordinaryUpper is an identifier that needs no quotes.
var ordinaryUpper = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// storageName returns how the names of a schema's buffer pool and table space begin. They belong to the whole database,
// so those of two schemas must differ, and they have at most 18 bytes, 6 of them for what follows.
func storageName(schema string) string {
	const longest = 12
	ordinary := ordinaryUpper.MatchString(schema)
	if ordinary && len(schema) <= longest {
		return schema
	}
	begin := "DB_"
	if ordinary {
		begin = schema[:4]
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(schema)) // it never fails
	return fmt.Sprintf("%s%08X", begin, hash.Sum32())
}

// Schemas are what XMLVALIDATE uses: the name under which each is registered, and its file in api/schema.
var Schemas = []struct{ Name, File string }{
	{"CUSTACC", "custacc.xsd"},
	{"ORDERS", "order.xsd"},
	{"SECURITY", "security.xsd"},
}
