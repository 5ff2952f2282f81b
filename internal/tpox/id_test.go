package tpox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"1", "9", "10", "103282", "104000000", "999999999999999"} {
		id, ok := tpox.ParseID(s)
		require.True(t, ok, s)
		require.Equal(t, s, id.String())
		fromBytes, ok := tpox.ParseID([]byte(s))
		require.True(t, ok, s)
		require.Equal(t, id, fromBytes)
	}
	for _, s := range []string{
		"", "0", "01", "-1", "+1", " 1", "1 ", "1\n", "1.0", "1e3", "0x1", "1_0", "a", "1000000000000000", "١",
	} {
		id, ok := tpox.ParseID(s)
		require.False(t, ok, "%q", s)
		require.Zero(t, id, "%q", s)
	}
}
