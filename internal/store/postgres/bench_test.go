package postgres

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// BenchmarkExtraction measures transactions alternately on two databases of one server: one with extracted keys, and a
// pure one. Their ratio is what extraction saves, or costs where it is below 1.
func BenchmarkExtraction(b *testing.B) {
	d := generator(b, "XXXS")
	var stores []*Store
	for _, parameters := range []string{"", pure} {
		stores = append(stores, opened(b, loaded(b, d, parameters), Options{}))
	}
	sectors, turn := dataset.Sectors(), int64(0)
	for name, call := range map[string]func(s *Store, i int64) error{
		"search_securities": func(s *Store, i int64) error {
			search := tpox.Search{Sector: sectors[i%int64(len(sectors))], PEMin: 210000, PEMax: 260000, YieldMin: 50000}
			return errOf(s.SearchSecurities(b.Context(), search))
		},
		"customer_max_order": func(s *Store, i int64) error {
			return errOf(s.CustomerMaxOrder(b.Context(), tpox.ID(d.ID(dataset.Customer, i%d.Count(dataset.Customer)))))
		},
		"insert_order": func(s *Store, i int64) error {
			doc := d.AppendNewOrder(nil, i, dataset.NewOrder{ID: 990_000_000 + i, Account: d.FirstAccount(i % 1000)})
			return errOf(s.InsertOrder(b.Context(), now(), doc))
		},
		"update_order_status": func(s *Store, i int64) error {
			return errOf(s.UpdateOrderStatus(b.Context(), now(), orderID(d, i%d.Count(dataset.Order)), "2"))
		},
		"update_security_price": func(s *Store, i int64) error {
			price := tpox.Price{LastTrade: fmt.Sprint(1 + i%100)}
			return errOf(s.UpdateSecurityPrice(b.Context(), now(), d.Symbol(int(i)%int(d.Count(dataset.Security))), price))
		},
	} {
		b.Run(name, func(b *testing.B) {
			var times [2][]time.Duration
			for b.Loop() {
				turn++
				for j := range stores {
					at := (int(turn) + j) % 2 // the first of each turn alternates
					began := time.Now()
					require.NoError(b, call(stores[at], turn))
					times[at] = append(times[at], time.Since(began))
				}
			}
			var medians [2]float64
			for i, unit := range []string{"µs-keys", "µs-pure"} {
				slices.Sort(times[i])
				medians[i] = float64(times[i][len(times[i])/2].Nanoseconds()) / 1000
				b.ReportMetric(medians[i], unit)
			}
			b.ReportMetric(medians[1]/medians[0], "pure/keys")
		})
	}
}
