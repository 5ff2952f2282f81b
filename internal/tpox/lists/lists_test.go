package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// exceptions are the files of the product besides the registry that name transactions, each with the reason.
var exceptions = map[string]string{
	"api/openapi.yaml":                        "the contract, which tests compare with the registry",
	"api/clients/go/tour.go":                  "a client, which is generated from the contract alone",
	"api/clients/java/Tour.java":              "the same",
	"api/clients/python/tour.py":              "the same",
	"internal/store/null/answers.go":          "answers of the mean size, which the contract's examples do not have",
	"internal/report/published_data.go":       "figures as TPoX published them",
	"internal/store/storetest/cost.go":        "test code: calls and sizes of documents by transaction",
	"loadtest/workloads/classic.json":         "a mix",
	"loadtest/workloads/mixed.json":           "a mix with the registry's weights: TestLoad_MixedIsTheRegistrys",
	"loadtest/workloads/query.json":           "a mix",
	"loadtest/workloads/workload.schema.json": "generated, and compared by TestGenerate_IsCurrent",
}

// languages are the extensions of files that are searched for lists.
var languages = []string{".go", ".java", ".js", ".json", ".py", ".sh", ".yaml", ".yml"}

// sources calls visit for each file of the product in one of these languages, except tests.
func sources(t *testing.T, visit func(name string, source []byte)) {
	t.Helper()
	root := os.DirFS("../../..")
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch extension := path.Ext(name); {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains(languages, extension) || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err == nil {
			visit(name, source)
		}
		return err
	}))
}

// generated matches the first line of every generated file, by Go's convention.
var generated = regexp.MustCompile(`^(//|#) Code generated .* DO NOT EDIT\.\n`)

var declaration = regexp.MustCompile(`(?m)^package (\w+)\n\nvar transactions = \[\.\.\.\]\*(\w+)\{$`)

// A generated list equals the output of go generate.
func TestList_Current(t *testing.T) {
	found := 0
	sources(t, func(name string, source []byte) {
		if !bytes.HasPrefix(source, []byte(header)) {
			return
		}
		found++
		current, err := Methods(path.Join("../../..", path.Dir(name)), "methods.tmpl")
		if path.Base(name) != "methods.go" {
			require.Regexp(t, declaration, string(source), name)
			d := declaration.FindSubmatch(source)
			current, err = List(string(d[1]), string(d[2])), nil
		}
		require.NoError(t, err)
		require.Equal(t, string(current), string(source), "%s is stale: make generate", name)
	})
	require.Positive(t, found)
}

// listed is how many transactions a file may name before it counts as a list of them.
const listed = 4

// literal matches the name of a transaction as a string, as a key, or as a value or an item in YAML.
var literal = func() *regexp.Regexp {
	var names []string
	for _, t := range tpox.Transactions {
		names = append(names, t.Name)
	}
	return regexp.MustCompile("(?m)[\"'`]?\\b(" + strings.Join(names, "|") + ")(?:[\"'`]|\\s*:|$)")
}()

var comment = regexp.MustCompile(`(?m)^\s*//.*$`)

// named returns how many transactions a source names, outside comments.
func named(source []byte) int {
	names := make(map[string]bool)
	for _, match := range literal.FindAllSubmatch(comment.ReplaceAll(source, nil), -1) {
		names[string(match[1])] = true
	}
	return len(names)
}

// The registry is the only list of the transactions that is written by hand.
func TestTransactions_OneList(t *testing.T) {
	lists := make(map[string]bool)
	sources(t, func(name string, source []byte) {
		if named(source) > listed && !generated.Match(source) {
			lists[name] = true
		}
	})
	require.True(t, lists["internal/tpox/transaction.go"], "the registry is not found")
	delete(lists, "internal/tpox/transaction.go")
	for name := range lists {
		require.Contains(t, exceptions, name, "%s lists transactions: take them from tpox.Transactions", name)
	}
	for name := range exceptions {
		require.True(t, lists[name], "%s is no longer a list: take it out of the exceptions", name)
	}
}
