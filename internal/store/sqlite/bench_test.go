package sqlite

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// BenchmarkStore measures most transactions on a warm database of XXXS, or of BENCH_SCALE; writes come from 32
// goroutines for each processor, because groups make them cheap.
func BenchmarkStore(b *testing.B) {
	d, s, ctx := scaled(cmp.Or(os.Getenv("BENCH_SCALE"), "XXXS")), empty(b), b.Context()
	require.NoError(b, s.LoadDataset(ctx, d, nil))
	order1 := func() tpox.ID { return tpox.ID(d.ID(dataset.Order, rand.Int64N(d.Count(dataset.Order)))) }
	customer := func() tpox.ID {
		return tpox.ID(d.ID(dataset.Customer, rand.Int64N(d.Count(dataset.Customer))))
	}
	security := func() string { return d.Symbol(rand.IntN(int(d.Count(dataset.Security)))) }
	search := func() tpox.Search {
		return tpox.Search{
			Sector: []string{"Technology", "Energy", "Utilities", "Financial"}[rand.IntN(4)],
			PEMin:  200_000 + rand.Int64N(30_000), PEMax: 250_000 + rand.Int64N(20_000), YieldMin: 40_000 + rand.Int64N(20_000),
		}
	}
	for name, query := range map[string]func() ([]byte, error){
		"get_order":          func() ([]byte, error) { return s.GetOrder(ctx, order1()) },
		"get_security":       func() ([]byte, error) { return s.GetSecurity(ctx, security()) },
		"customer_profile":   func() ([]byte, error) { return s.CustomerProfile(ctx, customer()) },
		"search_securities":  func() ([]byte, error) { return s.SearchSecurities(ctx, search()) },
		"account_summary":    func() ([]byte, error) { return s.AccountSummary(ctx, customer()) },
		"get_security_price": func() ([]byte, error) { return s.SecurityPrice(ctx, security()) },
		"customer_max_order": func() ([]byte, error) { return s.CustomerMaxOrder(ctx, customer()) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := query()
				require.NoError(b, err)
			}
		})
	}

	var inserted, deleted atomic.Int64
	inserted.Store(5_000_000)
	deleted.Store(5_000_000)
	for name, write := range map[string]func() error{
		"insert_order": func() error {
			id := inserted.Add(1)
			return errOf(s.InsertOrder(ctx, now(), d.AppendNewOrder(nil, id, dataset.NewOrder{ID: id})))
		},
		"delete_order": func() error {
			err := s.DeleteOrder(ctx, now(), tpox.ID(deleted.Add(1)))
			if tpox.Is[*tpox.NotFound](err) {
				return nil
			}
			return err
		},
		"insert_customer": func() error {
			id := inserted.Add(3)
			customer := dataset.NewCustomer{ID: id, Accounts: []int64{id, id + 1, id + 2}}
			return errOf(s.InsertCustomer(ctx, now(), d.AppendNewCustomer(nil, id, customer), true))
		},
		"sell_security": func() error {
			account := d.AccountAt(rand.Int64N(d.TotalAccounts()))
			symbol := d.Symbol(int(account % d.Count(dataset.Security)))
			sale := tpox.Trade{Side: tpox.Sell, Symbol: symbol, Quantity: "0.001"}
			return errOf(s.Trade(ctx, now(), tpox.ID(account), sale))
		},
		"update_order_status": func() error {
			return errOf(s.UpdateOrderStatus(ctx, now(), order1(), string(rune('0'+rand.IntN(5)))))
		},
		"update_security_price": func() error {
			return errOf(s.UpdateSecurityPrice(ctx, now(), security(), tpox.Price{LastTrade: "100.25"}))
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := write(); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tx/s")
		})
	}
}

// BenchmarkLoad measures documents a second: of a generated dataset, which is trusted, and of a source, whose documents
// are admitted, without and with validation.
func BenchmarkLoad(b *testing.B) {
	d := scaled("XXXS")
	docs := storetest.Documents(d, dataset.Kinds[:]...)
	fromFiles := func(validate bool) func(*Store) error {
		from := storetest.Source("benchmark", batchSize, nil, docs...)
		from.Validate = validate
		return func(s *Store) error { return errOf(s.LoadBatches(b.Context(), from, nil)) }
	}
	for name, load := range map[string]func(*Store) error{
		"generated": func(s *Store) error { return s.LoadDataset(b.Context(), d, nil) },
		"admitted":  fromFiles(false),
		"validated": fromFiles(true),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := trainedAt(b, filepath.Join(b.TempDir(), "brokerage.db"))
				b.StartTimer()
				require.NoError(b, load(s))
			}
			b.ReportMetric(float64(len(docs))*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}
