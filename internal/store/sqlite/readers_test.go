package sqlite

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// A kept snapshot must not hide what has been written: after every change, every
// query answers as it does from a new snapshot.
func TestReaders_SeeEveryChange(t *testing.T) {
	d := generator(t, "tiny")
	s := opened(t, t.TempDir()+"/b.db", Options{Pool: 1})
	ctx := t.Context()
	require.NoError(t, s.LoadDataset(ctx, d, nil))
	customer, account := brokerage.ID(d.ID(dataset.Customer, 3)), brokerage.ID(d.FirstAccount(3))
	held, symbol := d.Symbol(int(int64(account)%d.Count(dataset.Security))), d.Symbol(7)
	order1 := brokerage.ID(d.ID(dataset.Order, 0))
	const newOrder, newCustomer, newAccount = 9_000_001, 9_000_002, 9_000_003
	best := d.AppendNewOrder(nil, 1, dataset.NewOrder{ID: newOrder, Account: int64(account), Symbol: held})
	best = regexp.MustCompile(` Cash="[^"]*"`).ReplaceAll(best, []byte(` Cash="99999999999"`))
	stored := func(symbol string) []byte {
		doc, err := s.GetSecurity(ctx, symbol)
		require.NoError(t, err)
		return doc
	}
	person := func() []byte {
		doc, err := s.GetCustomer(ctx, customer)
		require.NoError(t, err)
		return doc
	}

	search := brokerage.Search{Sector: "Technology", PEMax: 1e12, YieldMin: -1}
	ask := func() string {
		var out strings.Builder
		for _, query := range []func() ([]byte, error){
			func() ([]byte, error) { return s.GetOrder(ctx, order1) },
			func() ([]byte, error) { return s.GetOrder(ctx, newOrder) },
			func() ([]byte, error) { return s.GetSecurity(ctx, symbol) },
			func() ([]byte, error) { return s.SecurityPrice(ctx, symbol) },
			func() ([]byte, error) { return s.SearchSecurities(ctx, search) },
			func() ([]byte, error) { return s.CustomerProfile(ctx, customer) },
			func() ([]byte, error) { return s.AccountSummary(ctx, customer) },
			func() ([]byte, error) { return s.GetCustomer(ctx, newCustomer) },
			func() ([]byte, error) { return s.CustomerMaxOrder(ctx, customer) },
			func() ([]byte, error) { return s.CustomerMaxOrder(ctx, newCustomer) },
			func() ([]byte, error) { id, err := s.CustomerOf(ctx, newAccount); return []byte(id.String()), err },
		} {
			answer, err := query()
			fmt.Fprintf(&out, "%x %v\n", sha256.Sum256(answer), err) // whole answers would fill a screen
		}
		return out.String()
	}
	for _, change := range []struct {
		name string
		do   func() error
	}{
		{"insert_order", func() error { _, err := s.InsertOrder(ctx, now(), best); return err }},
		{"update_order_status", func() error { _, err := s.UpdateOrderStatus(ctx, now(), order1, "2"); return err }},
		{
			"update_order_status/Largest", func() error { _, err := s.UpdateOrderStatus(ctx, now(), newOrder, "1"); return err },
		},
		{"delete_order", func() error { return s.DeleteOrder(ctx, now(), newOrder) }},
		{"update_security_price", func() error {
			_, err := s.UpdateSecurityPrice(ctx, now(), symbol, brokerage.Price{LastTrade: "77.25"})
			return err
		}},
		{"replace_security", func() error {
			doc := strings.Replace(string(stored(symbol)), "<Name>", "<Name>Another ", 1)
			return s.ReplaceSecurity(ctx, now(), symbol, []byte(doc), true, nil)
		}},
		{"buy_security", func() error {
			_, err := s.Trade(
				ctx, now(), account, brokerage.Trade{Side: brokerage.Buy, Symbol: held, Quantity: "3", Now: now().Now},
			)
			return err
		}},
		{"open_account", func() error {
			_, err := s.OpenAccount(ctx, now(), customer, d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: newAccount}))
			return err
		}},
		{"close_account", func() error { return s.CloseAccount(ctx, now(), customer, newAccount) }},
		{"insert_customer", func() error {
			doc := d.AppendNewCustomer(nil, 5, dataset.NewCustomer{ID: newCustomer, Accounts: []int64{newAccount}})
			_, err := s.InsertCustomer(ctx, now(), doc, true)
			return err
		}},
		{"replace_customer", func() error {
			doc := strings.Replace(string(person()), "</LastName>", "x</LastName>", 1)
			return s.ReplaceCustomer(ctx, now(), customer, []byte(doc), true, nil)
		}},
		{"delete_customer", func() error { return s.DeleteCustomer(ctx, now(), newCustomer) }},
	} {
		t.Run(change.name, func(t *testing.T) {
			before := ask()
			r := s.readers.idle[0]
			require.True(t, r.open, "no snapshot is kept")
			as, misses := r.from, s.Stats().Misses
			require.NoError(t, change.do())
			after := ask()
			require.Equal(t, as, r.from, "the snapshot was renewed, so nothing is shown")
			require.Greater(t, s.Stats().Misses, misses)
			require.NotEqual(t, before, after, "nothing asked for has changed")
			s.readers.keepSnapshots(false)
			require.False(t, r.open)
			require.Equal(t, ask(), after, "an answer was of before the change")
			s.readers.keepSnapshots(true)
		})
	}
}

// What is acknowledged is seen by every read that begins after it.
func TestReaders_NeverGoBack(t *testing.T) {
	d := generator(t, "tiny")
	s := loaded(t, d)
	symbol := d.Symbol(7)
	var acknowledged atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for acknowledged.Load() < 300 {
				least := acknowledged.Load()
				answer, err := s.SecurityPrice(context.Background(), symbol)
				if err != nil {
					t.Error(err)
					return
				}
				var price int64
				_, trade, _ := strings.Cut(string(answer), "<LastTrade>")
				if _, err := fmt.Sscanf(trade, "%d<", &price); least > 0 && (err != nil || price < least) {
					t.Errorf("read %d after %d was acknowledged: %v", price, least, err)
					return
				}
			}
		})
	}
	for price := int64(1); price <= 300; price++ {
		_, err := s.UpdateSecurityPrice(t.Context(), now(), symbol, brokerage.Price{LastTrade: fmt.Sprint(price)})
		require.NoError(t, err)
		acknowledged.Store(price)
	}
	wg.Wait()
}

// A look-up without an entry would never see a change.
func TestChanges_EveryStatement(t *testing.T) {
	texts := statementTexts
	other := map[string]bool{
		"search_securities": true, // says itself what it depends on
		"get_answer":        true, // of the writer alone
		"has_customer":      true,
		"keep_answer":       true,
		"forget_answers":    true,
		"lease":             true,
		"insert_dictionary": true, // read before there is a reader
		"insert_account":    true, // only together with the customer
		"delete_account":    true,
		"delete_accounts":   true,
		"delete_order":      true, // where it is executed, which knows the account
		"delete_customer":   true, // where it is executed, which gets what goes
	}
	fields := declaredStatements(t)
	for name := range texts {
		require.Contains(t, fields, name)
		has := strings.Contains(fields[name], "kind:") || strings.Contains(fields[name], "depends:")
		require.Equal(t, !other[name], has, name)
	}
	require.Len(t, fields, len(texts))
}

var declaration = regexp.MustCompile(`&statement\{\s*name: "(\w+)"([^}]*)`)

// declaredStatements returns the fields that each statement declares beside its name, by the name.
func declaredStatements(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	declared := make(map[string]string)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range declaration.FindAllStringSubmatch(string(source), -1) {
			require.NotContains(t, declared, found[1], "declared twice")
			declared[found[1]] = found[2]
		}
	}
	return declared
}

// Kept snapshots do not keep SQLite from restarting the journal.
func TestReaders_JournalStaysShort(t *testing.T) {
	const pages, written = 100, 3000
	d := generator(t, "tiny")
	s := loaded(t, d)
	s.writer.journalPages = pages
	require.NoError(t, s.control(t.Context(), fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", pages)))
	length := func() (n int) {
		var busy, moved int
		require.NoError(t, s.reading.QueryRowContext(t.Context(), journalLength).Scan(&busy, &n, &moved))
		return n
	}
	longest := 0
	for i := range written {
		_, err := s.InsertOrder(t.Context(), now(), order(d, int64(1_000_000+i)))
		require.NoError(t, err)
		_, err = s.GetOrder(t.Context(), brokerage.ID(d.ID(dataset.Order, int64(i)%d.Count(dataset.Order))))
		require.NoError(t, err)
		longest = max(longest, length())
	}
	require.Greater(t, longest, pages/2)
	require.Less(t, longest, 4*pages)
}
