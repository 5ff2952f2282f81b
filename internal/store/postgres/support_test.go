package postgres

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
)

func generator(t testing.TB, scale string) *dataset.Dataset {
	t.Helper()
	s, err := dataset.ParseScale(scale)
	require.NoError(t, err)
	return dataset.New(dataset.Spec{Scale: s, Seed: 1})
}

// templates are databases as they are after a load, by fingerprint: to copy one
// is quicker than to load it again.
var templates struct {
	sync.Mutex
	names map[string]string
}

func template(t testing.TB, server *pgtest.Server, d *dataset.Dataset) string {
	t.Helper()
	templates.Lock()
	defer templates.Unlock()
	name, ok := templates.names[d.Fingerprint()]
	if !ok {
		name = server.Template(t)
		s, err := Open(context.Background(), server.URL(name), Options{})
		require.NoError(t, err)
		require.NoError(t, s.LoadDataset(context.Background(), d, nil))
		require.NoError(t, s.Close())
		if templates.names == nil {
			templates.names = make(map[string]string)
		}
		templates.names[d.Fingerprint()] = name
	}
	return name
}

// opened opens a store that a test may close by itself.
func opened(t testing.TB, url string, options Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), url, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// tiny is a store with the smallest dataset.
func tiny(t testing.TB) (*Store, *dataset.Dataset, *pgtest.Server, string) {
	t.Helper()
	server := pgtest.Shared(t)
	d := generator(t, "tiny")
	database := server.Clone(t, template(t, server, d))
	return opened(t, server.URL(database), Options{}), d, server, database
}

func now() brokerage.Write { return brokerage.Write{Now: time.Now()} }

func customer(d *dataset.Dataset, id int64, accounts ...int64) []byte {
	return d.AppendNewCustomer(nil, 3, dataset.NewCustomer{ID: id, Accounts: accounts})
}

func account(d *dataset.Dataset, id int64) []byte {
	return d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: id})
}

func order(d *dataset.Dataset, id int64) []byte {
	return d.AppendNewOrder(nil, 7, dataset.NewOrder{ID: id})
}

func unavailable(err error) (*brokerage.Unavailable, bool) {
	return errors.AsType[*brokerage.Unavailable](err)
}

// step is a transaction by its name, on documents of its own.
type step struct {
	name string
	do   func(context.Context, *Store) error
}

// steps are the 17, in an order in which each finds what it needs.
func steps(d *dataset.Dataset) []step {
	const id, first, second, placed = 900_000_000_001, 900_000_000_002, 900_000_000_003, 900_000_000_004
	symbol := d.Symbol(0)
	read := func(f func(context.Context, *Store) ([]byte, error)) func(context.Context, *Store) error {
		return func(ctx context.Context, s *Store) error { _, err := f(ctx, s); return err }
	}
	trade := func(side brokerage.Side) func(context.Context, *Store) ([]byte, error) {
		return func(ctx context.Context, s *Store) ([]byte, error) {
			return s.Trade(ctx, now(), first, brokerage.Trade{Side: side, Symbol: symbol, Quantity: "2", Now: time.Now()})
		}
	}
	return []step{
		{"insert_customer", func(ctx context.Context, s *Store) error {
			_, err := s.InsertCustomer(ctx, now(), customer(d, id, first), true)
			return err
		}},
		{"open_account", func(ctx context.Context, s *Store) error {
			_, err := s.OpenAccount(ctx, now(), id, account(d, second))
			return err
		}},
		{"insert_order", func(ctx context.Context, s *Store) error {
			_, err := s.InsertOrder(ctx, now(), order(d, placed))
			return err
		}},
		{"get_order", read(func(ctx context.Context, s *Store) ([]byte, error) { return s.GetOrder(ctx, placed) })},
		{"get_security", read(func(ctx context.Context, s *Store) ([]byte, error) { return s.GetSecurity(ctx, symbol) })},
		{"customer_profile", read(func(ctx context.Context, s *Store) ([]byte, error) { return s.CustomerProfile(ctx, id) })},
		{"search_securities", read(func(ctx context.Context, s *Store) ([]byte, error) {
			return s.SearchSecurities(ctx, brokerage.Search{Sector: "Energy", PEMax: 1e12, YieldMin: -1})
		})},
		{"account_summary", read(func(ctx context.Context, s *Store) ([]byte, error) { return s.AccountSummary(ctx, id) })},
		{"get_security_price", read(func(ctx context.Context, s *Store) ([]byte, error) { return s.SecurityPrice(ctx, symbol) })},
		{"customer_max_order", read(func(ctx context.Context, s *Store) ([]byte, error) { return s.CustomerMaxOrder(ctx, id) })},
		{"update_security_price", read(func(ctx context.Context, s *Store) ([]byte, error) {
			return s.UpdateSecurityPrice(ctx, now(), symbol, brokerage.Price{LastTrade: "5.5"})
		})},
		{"update_order_status", read(func(ctx context.Context, s *Store) ([]byte, error) {
			return s.UpdateOrderStatus(ctx, now(), brokerage.ID(d.ID(dataset.Order, 1)), "4")
		})},
		{"buy_security", read(trade(brokerage.Buy))},
		{"sell_security", read(trade(brokerage.Sell))},
		{"close_account", func(ctx context.Context, s *Store) error { return s.CloseAccount(ctx, now(), id, second) }},
		{"delete_order", func(ctx context.Context, s *Store) error { return s.DeleteOrder(ctx, now(), placed) }},
		{"delete_customer", func(ctx context.Context, s *Store) error { return s.DeleteCustomer(ctx, now(), id) }},
	}
}

// The steps are the 17, and not some of them.
func TestSteps(t *testing.T) {
	names := make(map[string]bool)
	for _, step := range steps(generator(t, "tiny")) {
		names[step.name] = true
	}
	for _, transaction := range brokerage.Transactions {
		require.True(t, names[transaction.Name], transaction.Name)
	}
	require.Len(t, names, len(brokerage.Transactions))
}
