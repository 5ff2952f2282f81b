package db2

import (
	"embed"
	"regexp"
	"slices"
	"strings"

	"brokerage/internal/store/sqlfiles"
)

// The statements, each in a file of its name, static, so that every one can be pasted into a console. Names of tables
// are not qualified: the schema is a setting of the connection (see Settings.Schema).
//
//go:embed sql/*.sql
var files embed.FS

var (
	// statements are the texts by name, without comments: they would go over the wire each time, and be part of the key of
	// the server's package cache.
	statements = readStatements()
	// names are the names of the statements for traces, by their texts in every form in which they are sent.
	names = namesOf(statements)
)

func readStatements() map[string]string {
	texts := sqlfiles.Read(files)
	for name, text := range texts {
		if strings.HasPrefix(name, "schema_") {
			delete(texts, name) // many statements each: see DDL
			continue
		}
		texts[name] = strings.Join(split(text), ";\n") // a block contains semicolons
	}
	return texts
}

func namesOf(statements map[string]string) map[string]string {
	names := make(map[string]string, 2*len(statements)*len(widths))
	for name, text := range statements {
		for _, width := range widths {
			names[widened(text, width)] = name
			names[padded(widened(text, width))] = name
		}
	}
	return names
}

// A Setting is a way to set up a database; the campaign compares them, as the papers did.
type Setting string

const (
	// Box is out of the box: one table space, one buffer pool, and Db2's defaults.
	Box Setting = "box"
	// Tuned has a table space and a buffer pool of its own for each table and for its indexes.
	Tuned Setting = "tuned"
)

// DDL returns every statement that creates the schema, in order. The schemas are registered after it.
func DDL(s Setting) []string {
	return slices.Concat(script("schema_service"), script("schema_"+string(s)), script("schema_indexes"))
}

// configuration returns the statements that configure the database around the schema. They need more rights than a
// schema's owner may have.
func configuration(s Setting) []string { return script("configure_" + string(s)) }

// schemas are what XMLVALIDATE uses: the name under which each is registered, and its file in api/schema.
var schemas = []struct{ name, file string }{
	{"CUSTACC", "custacc.xsd"},
	{"ORDERS", "order.xsd"},
	{"SECURITY", "security.xsd"},
}

// script returns the statements of a file.
func script(name string) []string {
	text, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err) // it is in the binary
	}
	return split(string(text))
}

// tokens are a comment, a literal (a doubled quote is two in a row), a semicolon, and text between them.
var tokens = regexp.MustCompile(`--[^\n]*|'[^']*'|;|[^-';]+|-`)

// split splits a script at its semicolons, except those within literals, and drops comments.
func split(script string) (list []string) {
	var statement strings.Builder
	for _, token := range append(tokens.FindAllString(script, -1), ";") {
		switch {
		case token != ";" && !strings.HasPrefix(token, "--"):
			statement.WriteString(token)
		case token == ";" && strings.TrimSpace(statement.String()) != "":
			list = append(list, strings.TrimSpace(statement.String()))
			statement.Reset()
		}
	}
	return list
}
