package tpox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

func TestPage(t *testing.T) {
	var hits []byte
	for _, symbol := range []string{"A", "B&C", "D"} {
		hits = tpox.AppendHit(hits, tpox.SecurityKeys{Symbol: symbol})
	}
	answer := tpox.SearchAnswer(3, hits)
	for limit, want := range map[int]string{1: "A", 2: "B&C", 3: "", 4: ""} {
		page, last, err := tpox.Page(answer, limit)
		require.NoError(t, err)
		require.Equal(t, want, last)
		require.Contains(t, string(page), fmt.Sprintf(` count="%d">`, min(limit, 3)))
		whole, _, err := tpox.Page(page, limit)
		require.NoError(t, err)
		require.Equal(t, string(page), string(whole), "a page of a page")
	}
	// An answer as a database writes it.
	page, last, err := tpox.Page([]byte(`<s:Securities xmlns:s="http://tpox-benchmark.com/security" count='2'>`+
		`<s:Security><s:Symbol>A</s:Symbol><s:Name/></s:Security><s:Security><s:Symbol>B</s:Symbol></s:Security>`+
		`</s:Securities>`), 1)
	require.NoError(t, err)
	require.Equal(t, "A", last)
	require.Equal(t, `<s:Securities xmlns:s="http://tpox-benchmark.com/security" count="1"><s:Security>`+
		`<s:Symbol>A</s:Symbol><s:Name></s:Name></s:Security></s:Securities>`, string(page))
}
