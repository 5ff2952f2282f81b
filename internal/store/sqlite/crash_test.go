package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// writingVictim inserts orders and buys shares from 32 goroutines, and prints each write after it was acknowledged.
func writingVictim(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], store.Options{})
	if err != nil {
		return err
	}
	lease, err := s.Lease(ctx, "order", 1_000_000)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for i := range int64(32) {
		go func() {
			account := tiny.AccountAt(i)
			for id := int64(lease.First) + i; ; id += 32 {
				if _, err := s.InsertOrder(ctx, now(), order(id)); err != nil {
					failed <- fmt.Errorf("order %d: %w", id, err)
					return
				}
				fmt.Println("order", id)
				if _, err := s.Trade(ctx, now(), tpox.ID(account), buyOne(account)); err != nil {
					failed <- fmt.Errorf("account %d: %w", account, err)
					return
				}
				fmt.Println("trade", account)
			}
		}()
	}
	return <-failed
}

// insertingVictim inserts a few orders one after another and ends.
func insertingVictim(args []string) error {
	s, err := Open(context.Background(), args[0], store.Options{})
	for id := int64(1); err == nil && id <= inTurn; id++ {
		if _, err = s.InsertOrder(context.Background(), now(), order(id)); err == nil {
			fmt.Println("order", id)
		}
	}
	return err
}

// inTurn is how many orders insertingVictim inserts.
const inTurn = 20

// A writing is a process that writes to a database until it is killed, with the writes that it has acknowledged.
type writing struct {
	*victim

	orders []int64
	trades map[int64]int // by account
}

func startWriting(t testing.TB, path string) *writing {
	t.Helper()
	return &writing{victim: startVictim(t, "write", path), trades: make(map[int64]int)}
}

// read reads the next n writes that the process acknowledges, fewer if it has ended.
func (w *writing) read(n int) {
	for ; n > 0 && w.lines.Scan(); n-- {
		var what string
		var id int64
		switch _, err := fmt.Sscan(w.lines.Text(), &what, &id); {
		case err != nil:
		case what == "order":
			w.orders = append(w.orders, id)
		default:
			w.trades[id]++
		}
	}
}

// killAfter kills the process after n further writes, and reads what it has printed until then.
func (w *writing) killAfter(n int) {
	w.read(n)
	_ = w.Process.Kill()
	w.read(math.MaxInt)
	w.kill()
}

// After a kill at any moment, the database has every acknowledged write, and no half trade: position and balance change
// together.
func TestCrash_Killed(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const rounds = 20
	path, trades := tinyDatabase(t), make(map[int64]int)
	for round := range rounds {
		w := startWriting(t, path)
		w.trades = trades // of all rounds
		w.killAfter(300 + 100*round)
		require.Greater(t, len(w.orders), 100)
		s, err := Open(t.Context(), path, store.Options{})
		require.NoError(t, err)
		w.requireKept(t, s)
		require.Equal(t, "ok", scan[string](t, s.reading, "PRAGMA integrity_check"))
		require.NoError(t, s.Close())
	}
}

// requireKept requires that a database has all acknowledged writes, and no half ones.
func (w *writing) requireKept(t testing.TB, s *Store) {
	t.Helper()
	for _, id := range w.orders {
		requireOrder(t, s, id)
	}
	for i := range int64(32) {
		account := tiny.AccountAt(i)
		requireWholeTrades(t, s, account, w.trades[account])
	}
}

// requireWholeTrades requires that an account is in the state after whole trades, at least the acknowledged ones.
func requireWholeTrades(t testing.TB, s *Store, id int64, acknowledged int) {
	t.Helper()
	found, err := s.GetAccount(t.Context(), tpox.ID(id))
	require.NoError(t, err)
	trade, doc := buyOne(id), tiny.Append(nil, dataset.Customer, int64(found.Customer-customerID(0)))
	security, err := s.GetSecurity(t.Context(), trade.Symbol)
	require.NoError(t, err)
	for bought := 0; ; bought++ {
		account, err := tpox.AccountOf(doc, tpox.ID(id))
		require.NoError(t, err)
		if bytes.Equal(account.Document, found.Document) {
			require.GreaterOrEqual(t, bought, acknowledged, "account %d lacks trades", id)
			return
		}
		require.Less(t, bought, acknowledged+64, "account %d is in no state that whole trades lead to", id)
		doc, _, err = trade.Apply(tpox.DefaultRules, doc, tpox.ID(id), tpox.QuoteOf(security))
		require.NoError(t, err)
	}
}
