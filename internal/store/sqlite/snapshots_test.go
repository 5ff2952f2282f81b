package sqlite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// After every kind of change, and after refused ones, no kept snapshot hides what was written: every query answers as
// it does from a new snapshot. The figures of the census, which follow each change, equal those of a new count.
func TestStore_EveryChange(t *testing.T) {
	s := opened(t, tinyDatabase(t), store.Options{Pool: 1})
	ctx, d := t.Context(), tiny
	customer, account := customerID(3), tpox.ID(d.FirstAccount(3))
	trade, symbol, order1 := buyOne(int64(account)), d.Symbol(7), orderID(0)
	const newOrder, newCustomer, newAccount = 9_000_001, 9_000_002, 9_000_003
	best := d.AppendNewOrder(nil, 1, dataset.NewOrder{ID: newOrder, Account: int64(account), Symbol: trade.Symbol})
	best = regexp.MustCompile(` Cash="[^"]*"`).ReplaceAll(best, []byte(` Cash="99999999999"`))
	edited := func(doc []byte, err error) func(old, text string) []byte {
		require.NoError(t, err)
		return func(old, text string) []byte { return changed(t, doc, old, text) }
	}
	opening := d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: newAccount})
	inserted := func(accounts ...int64) []byte {
		return d.AppendNewCustomer(nil, 5, dataset.NewCustomer{ID: newCustomer, Accounts: accounts})
	}
	ask := func() string {
		var out strings.Builder
		answered := func(answer []byte, err error) {
			fmt.Fprintf(&out, "%x %v\n", sha256.Sum256(answer), err) // whole answers would be too long
		}
		answered(s.GetOrder(ctx, order1))
		answered(s.GetOrder(ctx, newOrder))
		answered(s.GetSecurity(ctx, symbol))
		answered(s.SecurityPrice(ctx, symbol))
		answered(s.SearchSecurities(ctx, tpox.Search{Sector: "Technology", PEMax: 1e12, YieldMin: -1}))
		answered(s.CustomerProfile(ctx, customer))
		answered(s.AccountSummary(ctx, customer))
		answered(s.GetCustomer(ctx, newCustomer))
		answered(s.CustomerMaxOrder(ctx, customer))
		answered(s.CustomerMaxOrder(ctx, newCustomer))
		held, err := s.GetAccount(ctx, newAccount)
		answered(held.Document, err)
		return out.String()
	}
	counted := func() []store.KindStats {
		kinds := s.Stats().Kinds
		for i := range kinds {
			require.True(t, kinds[i].Known)
			kinds[i].Packed, kinds[i].PackedFrom, kinds[i].PackedTo = 0, 0, 0
		}
		return kinds
	}
	require.False(t, s.Stats().Kinds[0].Known)
	require.NoError(t, s.Census(ctx))
	for i, k := range dataset.Kinds {
		require.Equal(t, d.Count(k), counted()[i].Documents)
		require.Positive(t, counted()[i].Stored)
	}
	for _, change := range []struct {
		name      string
		kind      kind
		documents int64
		do        func() error
	}{
		{"insert_order", orders, 1, func() error { return errOf(s.InsertOrder(ctx, now(), best)) }},
		{"insert_order/Refused", orders, 0, func() error { return errOf(s.InsertOrder(ctx, now(), best)) }},
		{"update_order_status", orders, 0, func() error { return errOf(s.UpdateOrderStatus(ctx, now(), order1, "2")) }},
		{"update_order_status/Largest", orders, 0, func() error {
			return errOf(s.UpdateOrderStatus(ctx, now(), newOrder, "1"))
		}},
		{"delete_order", orders, -1, func() error { return s.DeleteOrder(ctx, now(), newOrder) }},
		{"update_security_price", securities, 0, func() error {
			return errOf(s.UpdateSecurityPrice(ctx, now(), symbol, tpox.Price{LastTrade: "12345.25"}))
		}},
		{"replace_security", securities, 0, func() error {
			doc := edited(s.GetSecurity(ctx, symbol))("<Name>", "<Name>Another ")
			return s.ReplaceSecurity(ctx, now(), symbol, doc, true, nil)
		}},
		{"buy_security", customers, 0, func() error { return errOf(s.Trade(ctx, now(), account, trade)) }},
		{"open_account", customers, 0, func() error { return errOf(s.OpenAccount(ctx, now(), customer, opening)) }},
		{"open_account/Refused", customers, 0, func() error {
			return errOf(s.OpenAccount(ctx, now(), customer, opening))
		}},
		{"insert_customer/Refused", customers, 0, func() error {
			return errOf(s.InsertCustomer(ctx, now(), inserted(newAccount+7, newAccount), true))
		}},
		{"close_account", customers, 0, func() error { return s.CloseAccount(ctx, now(), customer, newAccount) }},
		{"insert_customer", customers, 1, func() error {
			return errOf(s.InsertCustomer(ctx, now(), inserted(newAccount), true))
		}},
		{"replace_customer", customers, 0, func() error {
			doc := edited(s.GetCustomer(ctx, customer))("</LastName>", strings.Repeat("x", 50)+"</LastName>")
			return s.ReplaceCustomer(ctx, now(), customer, doc, true, nil)
		}},
		{"delete_customer", customers, -1, func() error { return s.DeleteCustomer(ctx, now(), newCustomer) }},
	} {
		t.Run(change.name, func(t *testing.T) {
			before, were := ask(), counted()
			r := s.readers.idle[0]
			require.True(t, r.open, "no snapshot is kept")
			as, misses := r.from, s.Stats().Misses
			if err := change.do(); strings.HasSuffix(change.name, "/Refused") {
				require.ErrorAs(t, err, new(*tpox.Conflict))
				require.Equal(t, before, ask())
			} else {
				require.NoError(t, err)
				require.NotEqual(t, before, ask(), "no answer has changed")
				require.Greater(t, s.Stats().Misses, misses)
			}
			after, are := ask(), counted()
			require.Equal(t, as, r.from, "the snapshot was renewed, so nothing is shown")
			s.readers.keepSnapshots(false)
			require.False(t, r.open)
			require.Equal(t, ask(), after, "an answer has data from before the change")
			s.readers.keepSnapshots(true)

			require.Equal(t, change.documents, are[indexOf(change.kind)].Documents-were[indexOf(change.kind)].Documents)
			require.NoError(t, s.Census(ctx))
			require.Equal(t, counted(), are)
		})
	}
}

// Kept snapshots do not keep SQLite from restarting the journal.
func TestReaders_JournalStaysShort(t *testing.T) {
	const pages, written = 100, 3000
	s := tinyStore(t)
	s.writer.journalPages = pages
	require.NoError(t, s.control(t.Context(), fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", pages)))
	longest := 0
	for i := range int64(written) {
		insert(t, s, 1_000_000+i)
		_, err := s.GetOrder(t.Context(), orderID(i%tiny.Count(dataset.Order)))
		require.NoError(t, err)
		var length int
		require.NoError(t, s.reading.QueryRowContext(t.Context(), journalLength).Scan(new(int), &length, new(int)))
		longest = max(longest, length)
	}
	require.Greater(t, longest, pages/2)
	require.Less(t, longest, 4*pages)
}

// A commit can be read before its group has ended, so a reader with an older snapshot looks again before it says that a
// document does not exist: another reader may have seen it.
func TestReaders_NotFoundIsOfNow(t *testing.T) {
	s := opened(t, t.TempDir()+"/b.db", store.Options{Pool: 1})
	const id = 5_000_000
	requireNoOrder(t, s, id)
	require.True(t, s.readers.idle[0].open, "no snapshot is kept")
	w := s.writer // an idle one
	require.NoError(t, w.exec("BEGIN IMMEDIATE"))
	keys, err := tpox.OrderKeysOf(order(id))
	require.NoError(t, err)
	tx := &transaction{w: w, job: &job{ctx: t.Context()}}
	require.NoError(t, tx.insert(store.PreparedDocument{Keys: keys, Doc: order(id)}))
	require.NoError(t, w.exec("COMMIT"))
	requireOrder(t, s, id)
}

// Requests that are cut off may still read when the store is closed: it waits for them, refuses later ones, and leaves
// nothing open.
func TestReaders_CloseWhileReading(t *testing.T) {
	path := tinyDatabase(t)
	for range 10 {
		s := opened(t, path, store.Options{Pool: 4})
		var readers sync.WaitGroup
		for range 6 {
			readers.Go(func() {
				for i := int64(0); ; i++ {
					_, err := s.GetOrder(context.Background(), orderID(i%100))
					if errors.Is(err, errClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		time.Sleep(5 * time.Millisecond)
		require.NoError(t, s.Close())
		readers.Wait()
		require.NoFileExists(t, path+"-wal", "a connection was left open")
	}
}

// A panic affects only its own request.
func TestReaders_Panic(t *testing.T) {
	s := tinyStore(t)
	require.Panics(t, func() {
		_ = s.readers.read(t.Context(), &statement{name: "no statement"}, nil, nil)
	})
	require.Zero(t, s.Stats().InUse)
	for range 3 {
		_, err := s.GetOrder(t.Context(), orderID(1))
		require.NoError(t, err)
	}
}

// The newest reader may be busy with a search; no other read waits for it.
func TestReaders_NewestIsTaken(t *testing.T) {
	s := tinyStore(t)
	symbol := tiny.Symbol(3)
	_, err := s.SecurityPrice(t.Context(), symbol)
	require.NoError(t, err)
	_, err = s.UpdateSecurityPrice(t.Context(), now(), symbol, tpox.Price{LastTrade: "1.25"})
	require.NoError(t, err)
	s.readers.newest.Lock()
	defer s.readers.newest.Unlock()
	answer, err := s.SecurityPrice(t.Context(), symbol)
	require.NoError(t, err)
	require.Contains(t, string(answer), "<LastTrade>1.25<")
}
