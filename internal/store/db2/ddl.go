package db2

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
)

// A Setup is a way to set up a database; the campaign compares them, as the papers did.
type Setup string

const (
	// Box is out of the box: one table space, one buffer pool, and Db2's defaults.
	Box Setup = "box"
	// Tuned has a table space and a buffer pool of its own for each table and for its indexes.
	Tuned Setup = "tuned"
)

// DDL returns every statement that creates the schema, in order. Schemas lists what is registered after it. Schema must
// be set: the names of buffer pools and table spaces depend on it.
func (s Options) DDL() []string {
	tables := s.tables()
	return withoutComments(slices.Concat(tables[:1], s.storage(), tables[1:]))
}

// storage returns the statements that create buffer pools and table spaces, with their comments. Each must be committed
// before the next: CREATE BUFFERPOOL creates the pool after its commit.
func (s Options) storage() (list []string) {
	if s.Setup == Tuned {
		for _, path := range s.Tuning.StoragePaths {
			list = append(list, s.fill("schema_storage_path", "$path", path)...)
		}
		if s.Tuning.Temporary {
			list = append(list, s.fill("schema_storage_temporary")...)
		}
	}
	return append(list, s.fill("schema_storage_"+string(s.Setup))...)
}

// tables returns the statements that create tables and indexes, with their comments. The first creates the table that
// makeSchema locks.
func (s Options) tables() []string {
	return s.Design.apply(slices.Concat(
		s.fill("schema_service"), s.fill("schema_"+string(s.Setup)), s.fill("schema_indexes"),
	))
}

// configuration returns the statements that configure the database around the schema, with their comments. They need
// more rights than a schema's owner may have.
func (s Options) configuration() []string {
	switch {
	case s.Setup == Box && s.Tuning.Autoconfigure > 0:
		return s.fill("configure_advisor",
			"$percent", fmt.Sprint(s.Tuning.Autoconfigure), "$connections", fmt.Sprint(cmp.Or(s.Pool, DefaultPool)))
	case s.Setup == Tuned && s.Tuning.LogPath != "":
		return slices.Concat(s.fill("configure_tuned"), s.fill("configure_log_path", "$path", s.Tuning.LogPath))
	}
	return s.fill("configure_" + string(s.Setup))
}

// share is the part of Tuning.PoolMemory that a buffer pool begins with, in percent.
var share = regexp.MustCompile(`\$(\d+)% `)

// fill returns the statements of a file, with their comments, and with values in place of names that begin with $.
func (s Options) fill(file string, namesAndValues ...string) []string {
	values := strings.NewReplacer(append(namesAndValues, "$storage", storageName(s.Schema))...)
	list := statementsOf(source(file), true)
	for i, text := range list {
		list[i] = share.ReplaceAllStringFunc(values.Replace(text), s.Tuning.poolPages)
	}
	return list
}

// withoutComments returns statements without their comments.
func withoutComments(list []string) []string {
	texts := make([]string, 0, len(list))
	for _, text := range list {
		texts = append(texts, split(text)...)
	}
	return texts
}

// ordinaryUpper is an identifier that needs no quotes.
var ordinaryUpper = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// storageName returns how the names of a schema's buffer pools and table spaces begin. They belong to the whole
// database, so those of two schemas must differ, and they have at most 18 bytes, 6 of them for what follows.
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
