package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
)

// BenchmarkQueries measures each query on one document, for several clients at once.
func BenchmarkQueries(b *testing.B) {
	server := pgtest.Shared(b)
	d := generator(b, "XXXS")
	s := opened(b, server.URL(server.Clone(b, template(b, server, d))), Options{})
	for i, call := range storetest.Calls(b, s, d) {
		if brokerage.Transactions[i].Kind != brokerage.Query {
			continue
		}
		b.Run(call.Name, func(b *testing.B) {
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					require.NoError(b, call.Do(b.Context()))
				}
			})
		})
	}
}
