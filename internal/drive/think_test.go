package drive

import (
	"math/rand/v2"
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

// Pauses have the mean and the deviation of their distribution.
func TestThink_Draws(t *testing.T) {
	const n, mean = 100_000, 100 * time.Millisecond
	r := rand.New(rand.NewPCG(1, 2))
	for text, deviation := range map[string]float64{"100ms": 0, "exponential:100ms": 1e8} {
		var think Think
		require.NoError(t, think.UnmarshalText([]byte(text)))
		sum, squares := 0.0, 0.0
		for range n {
			pause := think.draw(r)
			sum += float64(pause)
			squares += float64(pause-mean) * float64(pause-mean)
		}
		require.InDelta(t, float64(mean), sum/n, 2e6, text)
		require.InDelta(t, deviation*deviation, squares/n, deviation*deviation/20, text)
	}
}
