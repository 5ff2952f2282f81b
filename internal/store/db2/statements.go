package db2

import (
	"embed"
	"regexp"
	"strings"

	"brokerage/internal/store"
)

// The statements, each in a file of its name, static, so that every one can be
// pasted into a console. Names of tables are not qualified: the schema is a
// setting of the connection (see Options.Schema).
//
//go:embed sql/*.sql
var files embed.FS

// statements are the texts by name, without the comments before them, which would be sent each time and be part of the
// key of the server's package cache.
var statements = readStatements()

func readStatements() map[string]string {
	texts := store.ReadStatements(files, "sql")
	for name := range texts {
		if strings.HasPrefix(name, "schema_") {
			delete(texts, name) // many statements each: see DDL
		}
	}
	return texts
}

func source(name string) string {
	text, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(text)
}

var comment = regexp.MustCompile(`(?m)^--.*$`)

// split splits a script where a line ends with a semicolon, as the command line processor does, and drops comments.
func split(script string) (list []string) {
	for text := range strings.SplitSeq(comment.ReplaceAllString(script, "")+"\n", ";\n") {
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, text)
		}
	}
	return list
}
