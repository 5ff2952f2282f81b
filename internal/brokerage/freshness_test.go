package brokerage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
)

func TestToken(t *testing.T) {
	token := brokerage.Token{0, 1, 0xAB, 15: 0xFF}
	require.Equal(t, "0001ab000000000000000000000000ff", token.String())
	parsed, ok := brokerage.ParseToken(token.String())
	require.True(t, ok)
	require.Equal(t, token, parsed)
	for _, text := range []string{
		"", "x", token.String()[1:], token.String() + "0", strings.ToUpper(token.String()),
		strings.Repeat("g", 32), strings.Repeat(" ", 32), strings.Repeat("é", 16),
	} {
		parsed, ok := brokerage.ParseToken(text)
		require.False(t, ok, "%q", text)
		require.Zero(t, parsed)
	}
}

func TestFreshnessOf(t *testing.T) {
	require.Zero(t, brokerage.FreshnessOf(t.Context()))
	want := brokerage.Freshness{After: brokerage.Token{1}, Within: time.Second}
	require.Equal(t, want, brokerage.FreshnessOf(brokerage.WithFreshness(t.Context(), want)))
}
