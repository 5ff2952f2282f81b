package tpox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

func TestToken(t *testing.T) {
	token := tpox.Token{0, 1, 0xAB, 15: 0xFF}
	require.Equal(t, "0001ab000000000000000000000000ff", token.String())
	parsed, ok := tpox.ParseToken(token.String())
	require.True(t, ok)
	require.Equal(t, token, parsed)
	for _, text := range []string{
		"", "x", token.String()[1:], token.String() + "0", strings.ToUpper(token.String()),
		strings.Repeat("g", 32), strings.Repeat(" ", 32), strings.Repeat("é", 16),
	} {
		parsed, ok := tpox.ParseToken(text)
		require.False(t, ok, "%q", text)
		require.Zero(t, parsed)
	}
}

func TestFreshnessOf(t *testing.T) {
	require.Zero(t, tpox.FreshnessOf(t.Context()))
	want := tpox.Freshness{After: tpox.Token{1}, Within: time.Second}
	require.Equal(t, want, tpox.FreshnessOf(tpox.WithFreshness(t.Context(), want)))
}
