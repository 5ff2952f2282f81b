package workload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkDraw measures drawing a transaction of the mixed workload and making its document.
func BenchmarkDraw(b *testing.B) {
	d, err := Load("mixed")
	require.NoError(b, err)
	u := newTestUser(b, d, 1, 0, 1)
	b.ReportAllocs()
	for b.Loop() {
		if u.draw(u.mix[u.Choose()].Transaction) {
			u.Keep()
		}
	}
}
