package store

import (
	"context"
	"io/fs"
	"path"
	"strings"
)

// ReadStatements returns the texts of the files *.sql in a folder by name, without the extension and without the
// comments before a statement. It is for files that are embedded, and panics when one cannot be read.
func ReadStatements(files fs.FS, folder string) map[string]string {
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

// A Trace is called when a statement begins, with the context of the transaction and the name of the statement, never
// its parameters, which clients have sent. The returned function is called when it ends, with its error or nil. Trace
// must be safe for concurrent use. It may be nil.
type Trace func(ctx context.Context, statement string) (end func(error))

// Statement calls t, if it is not nil.
func (t Trace) Statement(ctx context.Context, name string) (end func(error)) {
	if t == nil {
		return nothing
	}
	return t(ctx, name)
}

func nothing(error) {}
