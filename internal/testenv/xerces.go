package testenv

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An Opinion is what Xerces-C says about a document.
type Opinion struct {
	Doc    []byte // with a reference to the schema
	Errors string // empty if the document is valid
}

var (
	targetNamespace = regexp.MustCompile(`targetNamespace="([^"]*)"`)
	schemaLocation  = regexp.MustCompile(`schemaLocation="[^"]*"`)
	firstTag        = regexp.MustCompile(`<\pL[^\s/>]*`)
)

// Xerces validates documents with SAX2Count, a sample program of Xerces-C, and returns an opinion on each. The schema
// is the path of its file.
func Xerces(t testing.TB, schema string, docs [][]byte) []Opinion {
	t.Helper()
	program := Command(t, "SAX2Count")
	source, err := os.ReadFile(schema)
	require.NoError(t, err)
	schemas, err := filepath.Abs(filepath.Dir(schema))
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.Symlink(schemas, filepath.Join(folder, "schema")))
	// SAX2Count finds a schema only by a reference in the document.
	reference := fmt.Sprintf(`schemaLocation="%s schema/%s"`, targetNamespace.FindSubmatch(source)[1],
		filepath.Base(schema))

	opinions, names := make([]Opinion, len(docs)), make([]string, len(docs))
	for i, doc := range docs {
		opinions[i].Doc = refer(doc, reference)
		names[i] = filepath.Join(folder, fmt.Sprintf("%05d.xml", i))
		require.NoError(t, os.WriteFile(names[i], opinions[i].Doc, 0o600))
	}
	list := filepath.Join(folder, "list")
	require.NoError(t, os.WriteFile(list, []byte(strings.Join(names, "\n")), 0o600))
	command := exec.CommandContext(t.Context(), program, "-v=always", "-f", "-l", list)
	var counts, errorsByName bytes.Buffer
	command.Stdout, command.Stderr = &counts, &errorsByName
	// The exit status says that some are invalid; only the output says which.
	if err = command.Run(); err != nil {
		_, exited := errors.AsType[*exec.ExitError](err)
		require.True(t, exited, "%v", err)
	}

	valid, said := map[string]bool{}, map[string]string{}
	for line := range strings.Lines(counts.String()) {
		name, _, _ := strings.Cut(line, ": ")
		valid[name] = true
	}
	for part := range strings.SplitSeq(errorsByName.String(), "==Parsing== ") {
		name, text, _ := strings.Cut(part, "\n")
		said[name] = strings.TrimSpace(text)
	}
	for i, name := range names {
		opinions[i].Errors = said[name]
		require.Equal(t, valid[name], said[name] == "", "%s: %q\n%s", name, said[name], opinions[i].Doc)
	}
	return opinions
}

// refer returns the document with a reference to a schema. One that has no tag stays the same.
func refer(doc []byte, reference string) []byte {
	if schemaLocation.Match(doc) {
		return schemaLocation.ReplaceAllLiteral(doc, []byte(reference))
	}
	tag := firstTag.FindIndex(doc)
	if tag == nil {
		return doc
	}
	return fmt.Appendf(nil, `%s xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:%s%s`,
		doc[:tag[1]], reference, doc[tag[1]:])
}
