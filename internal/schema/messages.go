package schema

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sync"

	"brokerage/api"
)

// CompileFile returns a Validator for a schema file of package api, which may include one other. It compiles at each
// call: the service uses Body, and tests use this one for the answers that the contract describes.
func CompileFile(file, root string) (*Validator, error) {
	source, err := complete(api.Schemas, "schema/"+file)
	if err != nil {
		return nil, err
	}
	return Compile(file, source, root)
}

// Body returns a function that returns the validator of a root element of a schema file. It compiles the file at its
// first call, so that commands that never validate do not pay for it. It panics if the file does not compile, which is
// a bug that no caller could handle.
func Body(file, root string) func() *Validator {
	return sync.OnceValue(func() *Validator {
		v, err := CompileFile(file, root)
		if err != nil {
			panic(fmt.Sprintf("schema: %v", err))
		}
		return v
	})
}

var (
	include   = regexp.MustCompile(`<xs:include schemaLocation="([^"]+)"/>`)
	schemaTag = regexp.MustCompile(`<xs:schema\s[^>]*>`)
)

// complete reads a schema file and replaces its xs:include with the content of the included file, because Compile takes
// one source. Both files must begin with the same xs:schema tag: the same namespace, prefixes and defaults.
func complete(files fs.FS, file string) ([]byte, error) {
	source, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, err
	}
	at := include.FindSubmatchIndex(source)
	if at == nil {
		return source, nil
	}
	name := path.Join(path.Dir(file), string(source[at[2]:at[3]]))
	included, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", file, err)
	}
	if include.Match(included) || include.Match(source[at[1]:]) {
		return nil, fmt.Errorf("schema %s: only one include is supported", file)
	}
	head := schemaTag.FindIndex(included)
	end := bytes.LastIndex(included, []byte("</xs:schema>"))
	if len(head) == 0 || end < head[1] || !bytes.Equal(schemaTag.Find(source), included[head[0]:head[1]]) {
		return nil, fmt.Errorf("schema %s includes %s, which does not begin as it does", file, name)
	}
	return slices.Concat(source[:at[0]], included[head[1]:end], source[at[1]:]), nil
}
