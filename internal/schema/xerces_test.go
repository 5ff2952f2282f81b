package schema

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// TestEquivalence_Xerces: Xerces-C gives the same verdicts. Db2 validates with XML4C, IBM's edition of it.
func TestEquivalence_Xerces(t *testing.T) {
	docs := generated(50)
	for _, s := range schemaFiles {
		t.Run(s.root, func(t *testing.T) {
			all := docs[s.root]
			for _, name := range s.examples {
				for _, r := range rules[name] {
					all = append(all, replaced(t, example(t, name), r.from, r.to))
				}
			}
			for _, c := range allowed {
				if slices.Contains(s.examples, c.file) {
					all = append(all, replaced(t, example(t, c.file), c.from, c.to))
				}
			}
			requireXercesAgrees(t, s.file, s.validator(), append(all, damaged(t, examples(t, s.examples), 100)...))
		})
	}
}

func TestEquivalence_XercesKit(t *testing.T) {
	for _, s := range schemaFiles {
		t.Run(s.root, func(t *testing.T) {
			var docs [][]byte
			for _, name := range s.kit {
				docs = append(docs, kitFile(t, name))
			}
			requireXercesAgrees(t, s.file, s.validator(), damaged(t, docs, 50))
		})
	}
}

// damaged returns the documents, and each with damage of both kinds.
func damaged(t *testing.T, docs [][]byte, each int) [][]byte {
	t.Helper()
	all := slices.Clone(docs)
	for _, doc := range mutants(t, docs, each) {
		all = append(all, []byte(written(doc)))
	}
	r := rand.New(rand.NewPCG(2026, 20))
	for _, doc := range docs {
		for range each {
			all = append(all, damage(r, doc))
		}
	}
	return all
}

// lenient matches findings on which Xerces-C has nothing to say: any global element may be the document element, which
// XML Schema leaves open, and a number may be without a digit, which it forbids.
var lenient = regexp.MustCompile(`^expected the document element|^expected a decimal number.*, found "\s*[-+]?\.\s*"$`)

func requireXercesAgrees(t *testing.T, file string, v *Validator, docs [][]byte) {
	t.Helper()
	valid := 0
	for _, theirs := range testenv.Xerces(t, filepath.Join("..", "..", "api", "schema", file), docs) {
		ours, words := verdict(t, v, string(theirs.Doc))
		if refusal, ok := errors.AsType[*Error](words); ok && theirs.Errors == "" &&
			!slices.ContainsFunc(refusal.Findings, func(f Finding) bool { return !lenient.MatchString(f.Message) }) {
			continue
		}
		require.Equal(t, theirs.Errors == "", ours, "ours: %v\nXerces-C: %s\n%s", words, theirs.Errors, theirs.Doc)
		if ours {
			valid++
		}
	}
	requireBothVerdicts(t, valid, len(docs))
}

// TestEquivalence_XercesLenient: the exceptions of the comparison are needed.
func TestEquivalence_XercesLenient(t *testing.T) {
	docs := [][]byte{[]byte(`<CEO xmlns="http://tpox-benchmark.com/security">X</CEO>`)}
	for _, number := range []string{".", "-.", " +. "} {
		docs = append(docs, replaced(t, example(t, "security-stock.xml"), "21.75", number))
	}
	for _, theirs := range testenv.Xerces(t, filepath.Join("..", "..", "api", "schema", "security.xsd"), docs) {
		require.Empty(t, theirs.Errors, "%s", theirs.Doc)
		refusal := requireFindings(t, Security(), theirs.Doc)
		require.Len(t, refusal.Findings, 1)
		require.Regexp(t, lenient, refusal.Findings[0].Message)
	}
}
