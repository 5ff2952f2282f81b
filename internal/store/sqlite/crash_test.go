package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
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
	var mu sync.Mutex
	say := func(what string, id int64) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(what, id)
	}
	failed := make(chan error)
	for i := range int64(32) {
		go func() { failed <- writeOn(ctx, s, i, int64(lease.First)+i, 32, say) }()
	}
	return <-failed
}

// writeOn inserts orders and buys shares for an account until ctx ends, and calls say with each write after it was
// acknowledged.
func writeOn(ctx context.Context, s *Store, account, first, step int64, say func(what string, id int64)) error {
	account = tiny.AccountAt(account)
	within := context.WithoutCancel(ctx) // an error of ctx is not an error of the store
	for id := first; ctx.Err() == nil; id += step {
		if _, err := s.InsertOrder(within, now(), order(id)); err != nil {
			return fmt.Errorf("order %d: %w", id, err)
		}
		say("order", id)
		if _, err := s.Trade(within, now(), tpox.ID(account), buyOne(account)); err != nil {
			return fmt.Errorf("account %d: %w", account, err)
		}
		say("trade", account)
	}
	return nil
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

// answers collects the acknowledged writes of clients that write all the time.
type answers struct {
	mu     sync.Mutex
	more   *sync.Cond
	orders []int64
	trades map[int64]int // by account
}

func newAnswers() *answers {
	a := &answers{trades: make(map[int64]int)}
	a.more = sync.NewCond(&a.mu)
	return a
}

func (a *answers) add(what string, id int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if what == "order" {
		a.orders = append(a.orders, id)
	} else {
		a.trades[id]++
	}
	a.more.Broadcast()
}

// wait waits for n more orders, and returns everything that was acknowledged until then.
func (a *answers) wait(n int) (orders []int64, trades map[int64]int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n += len(a.orders); len(a.orders) < n; {
		a.more.Wait()
	}
	return slices.Clone(a.orders), maps.Clone(a.trades)
}

// startWriting starts a process that writes to a database until it is killed.
func startWriting(t testing.TB, path string) (*victim, *answers) {
	t.Helper()
	v, a := startVictim(t, "write", path), newAnswers()
	go v.answers(a.add)
	return v, a
}

// answers calls add with what a writing victim has printed, until it ends.
func (v *victim) answers(add func(what string, id int64)) {
	for v.lines.Scan() {
		var what string
		var id int64
		if _, err := fmt.Sscan(v.lines.Text(), &what, &id); err == nil {
			add(what, id)
		}
	}
}

// After a kill at any moment, the database has every acknowledged write, and no half trade: position and balance change
// together.
func TestCrash_Killed(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	for first, name := range []string{"Even", "Odd"} { // either has a database
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tinyDatabase(t)
			a := newAnswers()
			var traded [32]account
			for round := first; round < rounds; round += 2 {
				a.untilKilled(t, path, 300+97*round)
				s, err := Open(t.Context(), path, store.Options{})
				require.NoError(t, err)
				for _, id := range a.orders {
					requireOrder(t, s, id)
				}
				for i := range traded {
					traded[i].id = tiny.AccountAt(int64(i))
					traded[i].requireWholeTrades(t, s, a.trades[traded[i].id])
				}
				require.Equal(t, "ok", scan[string](t, s.reading, "PRAGMA integrity_check"))
				require.NoError(t, s.Close())
			}
		})
	}
}

// untilKilled collects the answers of a process that is killed after a number of them.
func (a *answers) untilKilled(t testing.TB, path string, most int) {
	t.Helper()
	v := startVictim(t, "write", path)
	a.orders = nil
	n := 0
	v.answers(func(what string, id int64) {
		a.add(what, id)
		if n++; n > most {
			_ = v.Process.Kill() // what it has printed is still read
		}
	})
	v.kill()
	require.Greater(t, len(a.orders), 100)
}

// An account is one that clients buy for, as it was last read.
type account struct {
	id       int64
	customer []byte // its customer's document; empty: as generated
	bought   int
}

// requireWholeTrades compares an account with its earlier state: it has one share more for each buy, at least for the
// acknowledged ones, and paid for exactly those.
func (a *account) requireWholeTrades(t testing.TB, s *Store, answered int) {
	t.Helper()
	held, err := s.GetAccount(t.Context(), tpox.ID(a.id))
	require.NoError(t, err)
	doc, err := s.GetCustomer(t.Context(), held.Customer)
	require.NoError(t, err)
	trade := buyOne(a.id)
	security, err := s.GetSecurity(t.Context(), trade.Symbol)
	require.NoError(t, err)

	// Apply the same number of buys, one after the other, to the earlier document.
	found := stateOf(doc, a.id)
	require.NotEmpty(t, found)
	if a.customer == nil {
		a.customer = tiny.Append(nil, dataset.Customer, int64(held.Customer-customerID(0)))
	}
	for ; stateOf(a.customer, a.id) != found; a.bought++ {
		require.Less(t, a.bought, answered+64, "account %d is in no state that whole trades lead to", a.id)
		a.customer, _, err = trade.Apply(tpox.DefaultRules, a.customer, tpox.ID(a.id), tpox.QuoteOf(security))
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, a.bought, answered, "account %d: trades were answered", a.id)
}

var (
	accountPath = xmldoc.MustPath(xmldoc.Namespaces{"c": tpox.CustAccNS}, "c:Customer/c:Accounts/c:Account")
	statePaths  = xmldoc.MustSet(xmldoc.Namespaces{"c": tpox.CustAccNS}, "c:Balance", "c:Holdings")
)

// stateOf returns the balances and holdings of an account in its customer's document.
func stateOf(customer []byte, account int64) string {
	for n := range accountPath.All(xmldoc.Document(customer)) {
		if n.Attr("id").Is(fmt.Sprint(account)) {
			var part [2]xmldoc.Node
			statePaths.Find(n, part[:])
			return string(part[0].Raw()) + string(part[1].Raw())
		}
	}
	return ""
}
