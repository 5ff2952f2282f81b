package db2

import (
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// Verify reads every document, whatever its length: also one that the driver takes for NULL.
func TestStored(t *testing.T) {
	sizes := []int{100, 1<<16 - 2, 1<<16 - 1, 1 << 16, 3<<16 - 1}
	f := &fake{answer: func(query string, _ []driver.Value) (all answer, err error) {
		for _, size := range sizes {
			one, err := documentOf(query, strings.Repeat("x", size))
			if err != nil {
				return all, err
			}
			all.rows = append(all.rows, one.rows...)
		}
		return all, nil
	}}
	s := open(t, f)
	var got []int
	for b, err := range s.stored(t.Context(), dataset.Order) {
		require.NoError(t, err)
		require.Empty(t, b.findings)
		for _, doc := range b.docs {
			got = append(got, len(doc))
		}
	}
	require.ElementsMatch(t, sizes, got)
	require.Len(t, strings.Fields(f.said()), 2, "the second query is for those that the driver took for NULL")
}
