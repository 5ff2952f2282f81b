package drive

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/workload"
)

func TestThink_Text(t *testing.T) {
	const ms = time.Millisecond
	for text, want := range map[string]Think{
		"0s": {}, "100ms": {Mean: 100 * ms}, "50ms..150ms": {workload.Uniform, 100 * ms, 50 * ms},
		"exponential:100ms": {Exponential, 100 * ms, 0}, "normal:100ms,20ms": {workload.Normal, 100 * ms, 20 * ms},
	} {
		var got Think
		require.NoError(t, got.UnmarshalText([]byte(text)), text)
		require.Equal(t, want, got, text)
		require.Equal(t, text, got.String())
	}
	for _, text := range []string{
		"", "5", "-1s", "25h", "2s..1s", "1s..1s", "..1s", "exponential:", "exponential:0s", "exponential:1s,2s", "normal:1s",
		"normal:1s,-1s", "uniform:1s..2s", "1s,2s",
	} {
		require.ErrorContains(t, new(Think).UnmarshalText([]byte(text)), "is not TIME, TIME..TIME", text)
	}
}

// Pauses have the mean and the bounds of their distribution.
func TestThink_Draws(t *testing.T) {
	const n, mean = 100_000, 100 * time.Millisecond
	r := rand.New(rand.NewPCG(1, 2))
	for text, deviation := range map[string]float64{
		"100ms": 0, "50ms..150ms": 100 / 3.4641 * 1e6, "exponential:100ms": 1e8, "normal:100ms,20ms": 2e7,
	} {
		var think Think
		require.NoError(t, think.UnmarshalText([]byte(text)))
		sum, squares, least, most := 0.0, 0.0, time.Hour, time.Duration(0)
		for range n {
			pause := think.draw(r)
			sum += float64(pause)
			squares += float64(pause-mean) * float64(pause-mean)
			least, most = min(least, pause), max(most, pause)
		}
		require.InDelta(t, float64(mean), sum/n, 2e6, text)
		require.InDelta(t, deviation*deviation, squares/n, deviation*deviation/20, text)
		require.GreaterOrEqual(t, least, time.Duration(0), text)
		if think.Distribution == workload.Uniform {
			require.True(t, least >= mean/2 && most <= 3*mean/2, text)
		}
	}
}
