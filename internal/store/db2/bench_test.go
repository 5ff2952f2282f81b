package db2

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// BenchmarkGetOrder measures what the store's own code adds to a query: the fake answers at once, with the buffer that
// the driver would allocate. The limits are 60 µs and 300 KB for each.
func BenchmarkGetOrder(b *testing.B) {
	doc := string(tpox.Order(dataset.New(dataset.Spec{Seed: 1}).Append(nil, dataset.Order, 7)))
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		buffer := make([]byte, 2*(4096+1))
		return answer{rows: [][]driver.Value{{buffer[:copy(buffer, doc)]}}}, nil
	}}
	s := open(b, f)
	b.ReportAllocs()
	for b.Loop() {
		f.calls = f.calls[:0]
		got, err := s.GetOrder(b.Context(), 103282)
		require.NoError(b, err)
		require.Len(b, got, len(doc))
	}
}
