//go:build db2

package db2

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// Verify reads documents of more than a megabyte, which nothing but the limit of a request keeps out of a database.
func TestVerify_LongDocument(t *testing.T) {
	s := openBench(t, onBench(t), Options{})
	doc := string(few().Append(nil, dataset.Security, 0))
	at := strings.Index(doc, "Summary>")
	require.Positive(t, at, "the document has no text to make longer")
	at += len("Summary>")
	long := strings.Repeat("long ", 1<<17) // the validator takes no longer one
	doc = doc[:at] + long + "<CEO>N. N.</CEO>" + long + doc[at:]
	require.NoError(t, s.ReplaceSecurity(t.Context(), tpox.Write{Now: noon}, few().Symbol(0), []byte(doc), true, nil))
	find := func(finding string) error { t.Error(finding); return nil }
	v, err := s.Verify(t.Context(), find, func(int64) {})
	require.NoError(t, err)
	require.Equal(t, few().Count(dataset.Security), v.Documents[dataset.Security])
}
