package db2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/storetest"
)

// What the store declares of each transaction is what the statement of its name does.
func TestFaithful(t *testing.T) {
	for _, transaction := range brokerage.Transactions {
		name := transaction.Name
		require.Contains(t, statements, name)
		require.Equal(t, faithful[name], storetest.Judge([]string{statements[name]}), name)
	}
}
