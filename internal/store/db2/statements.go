package db2

import (
	"embed"
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
	for name, text := range texts {
		if strings.HasPrefix(name, "schema_") {
			delete(texts, name) // many statements each: see DDL
			continue
		}
		texts[name] = strings.Join(split(text), ";\n") // a block has some within
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

// split splits a script at its semicolons, except those within literals, and drops comments.
func split(script string) []string { return statementsOf(script, false) }

// statementsOf splits a script as split does. With comments, each statement has those before it.
func statementsOf(script string, comments bool) (list []string) {
	var b strings.Builder
	flush := func() {
		if text := strings.TrimSpace(b.String()); text != "" {
			list = append(list, text)
		}
		b.Reset()
	}
	for script != "" {
		switch {
		case strings.HasPrefix(script, "--"):
			var comment string
			if comment, script, _ = strings.Cut(script, "\n"); comments {
				b.WriteString(comment + "\n")
			}
			continue
		case script[0] == '\'':
			end := strings.IndexByte(script[1:], '\'') + 2
			b.WriteString(script[:end]) // a doubled quote is two literals in a row here
			script = script[end:]
			continue
		case script[0] == ';':
			flush()
		default:
			b.WriteByte(script[0])
		}
		script = script[1:]
	}
	flush()
	return list
}
