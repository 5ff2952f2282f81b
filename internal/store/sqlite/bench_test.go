package sqlite

import (
	"cmp"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// BenchmarkStore measures every transaction on a warm database of XXXS, or of BENCH_SCALE; writes come from 64
// goroutines, because groups make them cheap.
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

	var next atomic.Int64
	next.Store(5_000_000)
	var orders atomic.Int64
	for name, write := range map[string]func() error{
		"insert_order": func() error {
			id := next.Add(1)
			_, err := s.InsertOrder(ctx, now(), d.AppendNewOrder(nil, id, dataset.NewOrder{ID: id}))
			return err
		},
		"delete_order": func() error {
			err := s.DeleteOrder(ctx, now(), tpox.ID(5_000_000+orders.Add(1)))
			if tpox.Is[*tpox.NotFound](err) {
				return nil
			}
			return err
		},
		"insert_customer": func() error {
			id := next.Add(3)
			_, err := s.InsertCustomer(
				ctx, now(), d.AppendNewCustomer(nil, id, dataset.NewCustomer{ID: id, Accounts: []int64{id, id + 1, id + 2}}), true,
			)
			return err
		},
		"sell_security": func() error {
			account := d.AccountAt(rand.Int64N(d.TotalAccounts()))
			_, err := s.Trade(ctx, now(), tpox.ID(account), tpox.Trade{
				Side: tpox.Sell, Symbol: d.Symbol(int(account % d.Count(dataset.Security))), Quantity: "0.001",
			})
			return err
		},
		"update_order_status": func() error {
			_, err := s.UpdateOrderStatus(ctx, now(), order1(), string(rune('0'+rand.IntN(5))))
			return err
		},
		"update_security_price": func() error {
			_, err := s.UpdateSecurityPrice(ctx, now(), security(), tpox.Price{LastTrade: "100.25"})
			return err
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

// BenchmarkLoad measures documents a second: of a generated dataset, which is trusted; and of each kind from files,
// which are admitted, without and with validation.
func BenchmarkLoad(b *testing.B) {
	d := scaled("XXXS")
	b.Run("generated", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s := trainedStore(b, d)
			b.StartTimer()
			require.NoError(b, s.LoadDataset(b.Context(), d, nil))
		}
		report(b, d.Count(dataset.Security)+d.Count(dataset.Customer)+d.Count(dataset.Order))
	})
	for _, k := range dataset.Kinds {
		for name, validate := range map[string]bool{"admitted": false, "validated": true} {
			b.Run(k.String()+"/"+name, func(b *testing.B) {
				from := storetest.Source("benchmark", batchSize, nil, storetest.Documents(d, k)...)
				from.Validate = validate
				for b.Loop() {
					b.StopTimer()
					s := trainedStore(b, d)
					b.StartTimer()
					_, err := s.LoadBatches(b.Context(), from, nil)
					require.NoError(b, err)
				}
				report(b, d.Count(k))
			})
		}
	}
}

func report(b *testing.B, documents int64) {
	b.ReportMetric(float64(documents)*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

func trainedStore(b *testing.B, d *dataset.Dataset) *Store {
	b.Helper()
	s := empty(b)
	require.NoError(b, s.train(b.Context(), func(k dataset.Kind, n int) [][]byte { return sample(d, k, n) }))
	require.NoError(b, s.control(b.Context(), beginLoad))
	return s
}
