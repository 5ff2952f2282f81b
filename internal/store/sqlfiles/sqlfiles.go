// Package sqlfiles reads the SQL statements of a store from its files.
package sqlfiles

import (
	"io/fs"
	"path"
	"strings"
)

// Read returns the texts of the files *.sql in a folder by name, without the extension and without the comments before
// a statement. It is for files that are embedded, and panics when one cannot be read.
func Read(files fs.FS, folder string) map[string]string {
	names, err := fs.Glob(files, folder+"/*.sql")
	if err != nil {
		panic(err)
	}
	texts := make(map[string]string, len(names))
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		text := strings.TrimSpace(string(b))
		for strings.HasPrefix(text, "--") {
			_, text, _ = strings.Cut(text, "\n")
		}
		texts[strings.TrimSuffix(path.Base(name), ".sql")] = text
	}
	return texts
}
