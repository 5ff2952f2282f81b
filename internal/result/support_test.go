package result

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv/schematest"
)

// requireSchema requires that a result is valid by its schema.
func requireSchema(t testing.TB, r any) {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	schematest.Require(t, schematest.Compile(t, Schema), text)
}
