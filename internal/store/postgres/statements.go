package postgres

import (
	"embed"
	"io/fs"
	"path/filepath"
	"strings"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// statements are the texts in sql/, by name, past their comments.
var statements = readStatements()

func readStatements() map[string]string {
	names, err := fs.Glob(sqlFiles, "sql/*.sql")
	if err != nil {
		panic(err) // the pattern is right
	}
	texts := make(map[string]string, len(names))
	for _, name := range names {
		b, err := sqlFiles.ReadFile(name)
		if err != nil {
			panic(err) // it is in the binary
		}
		text := strings.TrimSpace(string(b))
		for strings.HasPrefix(text, "--") {
			_, text, _ = strings.Cut(text, "\n")
		}
		texts[strings.TrimSuffix(filepath.Base(name), ".sql")] = text
	}
	return texts
}
