//go:build db2

package db2test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/db2/db2test"
)

// The service answers the same requests on the stand-in and on the embedded store in the same way.
func TestDiffer(t *testing.T) {
	out, err := tested(t, "./internal/httpapi", "^TestDiffer_URL$", "BROKERAGE_DIFFER_URL="+db2test.Start(t).URL())
	require.NoError(t, err, out)
	require.Contains(t, out, "--- PASS: TestDiffer_URL")
}
