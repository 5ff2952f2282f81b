package sqlite

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

var balance = regexp.MustCompile(`<OnlineActualBal>(-?\d+)\.(\d\d)</OnlineActualBal>`)

// cents returns the balance of the first account of a customer, which is not negative.
func cents(doc []byte) (int64, error) {
	found := balance.FindSubmatch(doc)
	if found == nil {
		return 0, errors.New("the customer has no balance")
	}
	return strconv.ParseInt(string(found[1])+string(found[2]), 10, 64)
}

func withCents(doc []byte, n int64) []byte {
	at := balance.FindIndex(doc)
	text := fmt.Sprintf("<OnlineActualBal>%d.%02d</OnlineActualBal>", n/100, n%100)
	return slices.Concat(doc[:at[0]], []byte(text), doc[at[1]:])
}

var errNoMoney = errors.New("the money is not there")

// transfer moves cents between the accounts of two customers: a write over two documents.
func (s *Store) transfer(
	ctx context.Context, w brokerage.Write, from, to brokerage.ID, amount int64,
) ([]byte, error) {
	return s.revise(ctx, w, func(r *revision) error {
		var ids, has [2]int64
		var docs [2][]byte
		var err error
		order := []int{0, 1} // ascending
		if to < from {
			order = []int{1, 0}
		}
		for _, i := range order {
			if ids[i], docs[i], err = r.customerOf(ctx, [...]brokerage.ID{from, to}[i]); err != nil {
				return err
			}
			if has[i], err = cents(docs[i]); err != nil {
				return err
			}
		}
		left, becomes := has[0]-amount, has[1]+amount
		if left < 0 {
			return errNoMoney
		}
		r.write(replaceCustomer, ids[0], s.pack(customers, withCents(docs[0], left)))
		r.write(replaceCustomer, ids[1], s.pack(customers, withCents(docs[1], becomes)))
		r.answer = []byte(strconv.FormatInt(left, 10))
		return nil
	})
}

// Transfers between two customers in both directions, beside trades of one of them: none waits for another without
// end, none is lost or done twice, and one that is refused changes neither customer.
func TestRevise_TwoCustomers(t *testing.T) {
	d := generator(t, "tiny")
	s := loaded(t, d)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	accounts := [2]brokerage.ID{brokerage.ID(d.FirstAccount(3)), brokerage.ID(d.FirstAccount(8))}
	balances := func() (found [2]int64) {
		for i, n := range []int64{3, 8} {
			doc, err := s.GetCustomer(ctx, brokerage.ID(d.ID(dataset.Customer, n)))
			require.NoError(t, err)
			found[i], err = cents(doc)
			require.NoError(t, err)
		}
		return found
	}
	require.NoError(t, s.Census(ctx))
	for _, account := range accounts { // both have something to give
		_, err := s.Trade(ctx, now(), account, brokerage.Trade{
			Side: brokerage.Sell, Symbol: d.Symbol(
				int(int64(account) % d.Count(dataset.Security)),
			), Quantity: "1", Now: time.Now(),
		})
		require.NoError(t, err)
	}
	want := balances()

	const workers, each = 8, 40
	var mu sync.Mutex
	var refused atomic.Int64
	var wg sync.WaitGroup
	for worker := range workers {
		from, to := worker%2, 1-worker%2
		wg.Go(func() {
			for i := range each {
				amount := int64(worker*each + i + 1)
				if i%10 == 9 {
					amount = 1 << 50
				}
				switch _, err := s.transfer(ctx, now(), accounts[from], accounts[to], amount); {
				case errors.Is(err, errNoMoney):
					refused.Add(1)
				case err != nil:
					t.Error(err)
				default:
					mu.Lock()
					want[from] -= amount
					want[to] += amount
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, ctx.Err())
	require.Equal(t, want, balances())
	require.GreaterOrEqual(t, refused.Load(), int64(workers*each/10))
	require.Positive(t, s.redone.Load(), "without one whose documents changed meanwhile this shows nothing")

	// A key does it once; a change of the second customer alone has it planned again.
	keyed := now()
	keyed.Once = &brokerage.Once{Client: "c", Key: "k", Expires: keyed.Now.Add(time.Hour)}
	redone := s.redone.Load()
	release := hold(t, s)
	done := make(chan error, 2)
	third := brokerage.ID(d.FirstAccount(12))
	go func() { _, err := s.transfer(ctx, now(), accounts[1], third, 1); done <- err }()
	waitForQueue(t, s, 1)
	go func() { _, err := s.transfer(ctx, keyed, accounts[1], accounts[0], 3); done <- err }()
	waitForQueue(t, s, 2)
	require.NoError(t, release())
	require.NoError(t, errors.Join(<-done, <-done))
	require.Equal(t, redone+1, s.redone.Load())
	_, err := s.transfer(ctx, keyed, accounts[1], accounts[0], 3)
	require.NoError(t, err)
	require.Equal(t, [2]int64{want[0] + 3, want[1] - 4}, balances())

	// What the census follows is right for both documents.
	var stored int64
	const sum = "SELECT sum(length(doc)) FROM customers"
	require.NoError(t, s.reading.QueryRowContext(ctx, sum).Scan(&stored))
	i := slices.IndexFunc(s.Stats().Kinds, func(k KindStats) bool { return strings.EqualFold(k.Kind, string(customers)) })
	require.Equal(t, stored, s.Stats().Kinds[i].Stored)
	requireClean(t, s)
}

// Neither document is written where the second of two writes fails.
func TestRevise_AllOrNothing(t *testing.T) {
	d := generator(t, "tiny")
	s := loaded(t, d)
	id := func(n int64) int64 { return d.ID(dataset.Customer, n) }
	before, err := s.GetCustomer(t.Context(), brokerage.ID(id(0)))
	require.NoError(t, err)
	_, err = s.revise(t.Context(), now(), func(r *revision) error {
		doc, err := r.document(t.Context(), getCustomer, id(0))
		if err != nil {
			return err
		}
		r.write(replaceCustomer, id(0), s.pack(customers, withCents(doc, 1)))
		r.write(insertCustomer, id(1), s.pack(customers, doc)) // exists
		return nil
	})
	require.Error(t, err)
	after, err := s.GetCustomer(t.Context(), brokerage.ID(id(0)))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	requireClean(t, s)
}
