package drive

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestThink_Text(t *testing.T) {
	for text, want := range map[string]Think{
		"0s": {}, "100ms": {Mean: 100 * time.Millisecond}, "exponential:100ms": {100 * time.Millisecond, true},
	} {
		var got Think
		require.NoError(t, got.UnmarshalText([]byte(text)), text)
		require.Equal(t, want, got, text)
		require.Equal(t, text, got.String())
	}
	for _, text := range []string{"", "5", "-1s", "25h", "exponential:", "exponential:0s", "uniform:1s", "1s,2s"} {
		require.ErrorContains(t, new(Think).UnmarshalText([]byte(text)), "is not TIME or exponential:MEAN", text)
	}
}
