package sqlite

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// BenchmarkStore is every transaction on a warm database, of XXXS size unless BENCH_SCALE says another; writes by 64
// goroutines, because groups are what makes them cheap.
func BenchmarkStore(b *testing.B) {
	d := generator(b, cmp.Or(os.Getenv("BENCH_SCALE"), "XXXS"))
	s := loaded(b, d)
	ctx := b.Context()
	order1 := func() brokerage.ID { return brokerage.ID(d.ID(dataset.Order, rand.Int64N(d.Count(dataset.Order)))) }
	customer := func() brokerage.ID {
		return brokerage.ID(d.ID(dataset.Customer, rand.Int64N(d.Count(dataset.Customer))))
	}
	security := func() string { return d.Symbol(rand.IntN(int(d.Count(dataset.Security)))) }
	search := func() brokerage.Search {
		return brokerage.Search{
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
			_, err := s.InsertOrder(ctx, now(), order(d, next.Add(1)))
			return err
		},
		"delete_order": func() error {
			return ignoreMissing(s.DeleteOrder(ctx, now(), brokerage.ID(5_000_000+orders.Add(1))))
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
			_, err := s.Trade(ctx, now(), brokerage.ID(account), brokerage.Trade{
				Side: brokerage.Sell, Symbol: d.Symbol(int(account % d.Count(dataset.Security))), Quantity: "0.001",
			})
			return err
		},
		"update_order_status": func() error {
			_, err := s.UpdateOrderStatus(ctx, now(), order1(), string(rune('0'+rand.IntN(5))))
			return err
		},
		"update_security_price": func() error {
			_, err := s.UpdateSecurityPrice(ctx, now(), security(), brokerage.Price{LastTrade: "100.25"})
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

func ignoreMissing(err error) error {
	if _, missing := errors.AsType[*brokerage.NotFound](err); missing {
		return nil
	}
	return err
}
