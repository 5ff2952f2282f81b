package db2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// What the store declares of each transaction is what the statement of its name does.
func TestFaithful(t *testing.T) {
	for _, transaction := range tpox.Transactions {
		name := transaction.Name
		require.Contains(t, statements, name)
		require.Equal(t, faithful[name], storetest.Judge([]string{statements[name]}), name)
	}
}
