package sqlite

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
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
func (s *Store) transfer(ctx context.Context, w tpox.Write, from, to tpox.ID, amount int64) ([]byte, error) {
	return s.revise(ctx, w, func(r *revision) error {
		var ids, has [2]int64
		var docs [2][]byte
		var err error
		order := []int{0, 1}
		if to < from {
			order = []int{1, 0} // in ascending order
		}
		for _, i := range order {
			if ids[i], docs[i], err = r.customerOf(ctx, [...]tpox.ID{from, to}[i]); err != nil {
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

// Transfers between two customers in both directions, concurrent with trades of one of them: there is no deadlock, none
// is lost or done twice, and a refused one changes neither customer.
func TestRevise_TwoCustomers(t *testing.T) {
	s := tinyStore(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	accounts := [2]tpox.ID{tpox.ID(tiny.FirstAccount(3)), tpox.ID(tiny.FirstAccount(8))}
	balances := func() (found [2]int64) {
		for i, n := range []int64{3, 8} {
			doc, err := s.GetCustomer(ctx, customerID(n))
			require.NoError(t, err)
			found[i], err = cents(doc)
			require.NoError(t, err)
		}
		return found
	}
	require.NoError(t, s.Census(ctx))
	for _, account := range accounts { // each has an amount to transfer
		sale := buyOne(int64(account))
		sale.Side = tpox.Sell
		_, err := s.Trade(ctx, now(), account, sale)
		require.NoError(t, err)
	}
	want := balances()

	const workers, each = 8, 40
	var mu sync.Mutex
	refused := 0
	together(workers, func(worker int) {
		from, to := worker%2, 1-worker%2
		for i := range each {
			amount := int64(worker*each + i + 1)
			if i%10 == 9 {
				amount = 1 << 50
			}
			_, err := s.transfer(ctx, now(), accounts[from], accounts[to], amount)
			mu.Lock()
			switch {
			case errors.Is(err, errNoMoney):
				refused++
			case err != nil:
				t.Error(err)
			default:
				want[from] -= amount
				want[to] += amount
			}
			mu.Unlock()
		}
	})
	require.NoError(t, ctx.Err())
	require.Equal(t, want, balances())
	require.GreaterOrEqual(t, refused, workers*each/10)
	redone := s.Stats().Retries["changed"]
	require.Positive(t, redone, "without one whose documents changed meanwhile this shows nothing")

	// With a key it is done once; a change of the second customer alone causes another plan.
	keyed := now()
	keyed.Once = &tpox.Once{Client: "c", Key: "k", Expires: keyed.Now.Add(time.Hour)}
	release := hold(t, s)
	done := make(chan error, 2)
	third := tpox.ID(tiny.FirstAccount(12))
	go func() { _, err := s.transfer(ctx, now(), accounts[1], third, 1); done <- err }()
	waitForQueue(t, s, 1)
	go func() { _, err := s.transfer(ctx, keyed, accounts[1], accounts[0], 3); done <- err }()
	waitForQueue(t, s, 2)
	require.NoError(t, release())
	require.NoError(t, errors.Join(<-done, <-done))
	require.Equal(t, redone+1, s.Stats().Retries["changed"])
	_, err := s.transfer(ctx, keyed, accounts[1], accounts[0], 3)
	require.NoError(t, err)
	require.Equal(t, [2]int64{want[0] + 3, want[1] - 4}, balances())

	// The census counts the changes of both documents.
	stored := scan[int64](t, s.reading, "SELECT sum(length(doc)) FROM customers")
	require.Equal(t, stored, s.Stats().Kinds[indexOf(customers)].Stored)
	requireClean(t, s)
}

// Neither document is written if the second of two writes fails.
func TestRevise_AllOrNothing(t *testing.T) {
	s := tinyStore(t)
	first, second := int64(customerID(0)), int64(customerID(1))
	before, err := s.GetCustomer(t.Context(), customerID(0))
	require.NoError(t, err)
	_, err = s.revise(t.Context(), now(), func(r *revision) error {
		doc, err := r.document(t.Context(), getCustomer, first)
		if err != nil {
			return err
		}
		r.write(replaceCustomer, first, s.pack(customers, withCents(doc, 1)))
		r.write(insertCustomer, second, s.pack(customers, doc)) // which exists already
		return nil
	})
	require.Error(t, err)
	after, err := s.GetCustomer(t.Context(), customerID(0))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	requireClean(t, s)
}
