package db2

import (
	"embed"
	"regexp"
	"strings"

	"brokerage/internal/store"
)

// The statements, each in a file of its name. In some the store replaces placeholders such as $schema. Names of tables
// are not qualified: the schema is a setting of the connection (see Options.Schema).
//
//go:embed sql/*.sql
var files embed.FS

// statements are the texts by name, without the comments before them, which would be sent each time and be part of the
// key of the server's package cache.
var statements = store.ReadStatements(files, "sql")

// names are the statements' names for traces, by each text that is sent. Statements with placeholders are not traced.
var names = make(map[string]string)

func init() {
	for name, text := range statements {
		for _, width := range widths {
			names[widened(text, width)] = name
			names[padded(widened(text, width))] = name
		}
	}
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
