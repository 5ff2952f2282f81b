package testenv

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An Opinion is what another validator says about a document.
type Opinion struct {
	Doc    []byte // with a reference to the schema, for Xerces-C
	Errors string // empty if the document is valid
}

var (
	targetNamespace = regexp.MustCompile(`targetNamespace="([^"]*)"`)
	schemaLocation  = regexp.MustCompile(`schemaLocation="[^"]*"`)
	firstTag        = regexp.MustCompile(`<\pL[^\s/>]*`)
)

// Xmllint validates documents with libxml2, and returns an opinion on each. The schema is the path of its file.
func Xmllint(t testing.TB, schema string, docs [][]byte) []Opinion {
	t.Helper()
	program := Command(t, "xmllint")
	opinions, names := write(t, t.TempDir(), docs)
	said := map[string]string{}
	for part := range slices.Chunk(names, 1000) {
		args := append([]string{"--noout", "--nonet", "--schema", schema}, part...)
		// The exit status says that some are invalid; only the output says which.
		out, _ := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		for line := range strings.Lines(string(out)) {
			name, _, _ := strings.Cut(line, ".xml")
			said[name+".xml"] += line
		}
	}
	for i, name := range names {
		if !strings.Contains(said[name], name+" validates\n") {
			require.Contains(t, said[name], name+" fails to validate\n")
			opinions[i].Errors = said[name]
		}
	}
	return opinions
}

// write writes documents to files of a folder.
func write(t testing.TB, folder string, docs [][]byte) (opinions []Opinion, names []string) {
	t.Helper()
	for i, doc := range docs {
		opinions = append(opinions, Opinion{Doc: doc})
		names = append(names, filepath.Join(folder, fmt.Sprintf("%05d.xml", i)))
		require.NoError(t, os.WriteFile(names[i], doc, 0o600))
	}
	return opinions, names
}

// Xerces validates documents with SAX2Count, a sample program of Xerces-C, and returns an opinion on each. The schema
// is the path of its file.
func Xerces(t testing.TB, schema string, docs [][]byte) []Opinion {
	t.Helper()
	program := Command(t, "SAX2Count")
	schemas, err := filepath.Abs(filepath.Dir(schema))
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.Symlink(schemas, filepath.Join(folder, "schema")))
	// SAX2Count finds a schema only by a reference in the document.
	reference := fmt.Sprintf(`schemaLocation="%s schema/%s"`, targetNamespace.FindStringSubmatch(Text(t, schema))[1],
		filepath.Base(schema))

	referring := make([][]byte, len(docs))
	for i, doc := range docs {
		referring[i] = refer(doc, reference)
	}
	opinions, names := write(t, folder, referring)
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

// refer returns the document with a reference to a schema. A document without a tag stays the same.
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
