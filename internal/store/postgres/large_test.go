package postgres

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// bigCustomer returns a valid customer of some 940 kB.
func bigCustomer(d *dataset.Dataset, id int64) []byte {
	date := `<mValueDate><ValueDate>1999-02-04</ValueDate><CreditMovement>95261.34</CreditMovement>` +
		`<ValueDatedBal>786528</ValueDatedBal></mValueDate>`
	dates := "<gValueDate>" + strings.Repeat(date, 7000)
	return []byte(strings.Replace(string(customer(d, id, id+1)), "<gValueDate>", dates, 1))
}

// While clients read and change a large document as fast as they can, other requests are answered in time, and those
// clients wait or are refused.
func TestLarge_OthersGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	_, d, server, database := tiny(t)
	s := opened(t, server.URL(database), Options{Rules: tpox.Rules{MaxCustomer: 1 << 20}})
	const id, users, others = 900_000_000_000, 64, 8
	insertCustomer(t, s, bigCustomer(d, id), true)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()

	var answered, refused, served, longest atomic.Int64
	var wg sync.WaitGroup
	greedy := []func() error{
		func() error { _, err := s.AccountSummary(ctx, id); return err },
		func() error { _, err := s.CustomerProfile(ctx, id); return err },
		func() error { _, err := s.Trade(ctx, now(), id+1, buy(d.Symbol(1))); return err },
		func() error { return s.ReplaceCustomer(ctx, now(), id, bigCustomer(d, id), false, nil) },
	}
	for i := range users {
		wg.Go(func() {
			for ctx.Err() == nil {
				err := greedy[i%len(greedy)]()
				unavailable, ok := errors.AsType[*tpox.Unavailable](err)
				switch {
				case err == nil:
					answered.Add(1)
				case ok && unavailable.Busy:
					refused.Add(1)
					time.Sleep(10 * time.Millisecond) // a client waits for longer
				case ctx.Err() == nil:
					t.Errorf("a large document: %v", err)
					return
				}
			}
		})
	}
	for i := range int64(others) {
		wg.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				var err error
				if i%2 == 0 {
					_, err = s.GetOrder(t.Context(), orderID(d, i))
				} else {
					_, err = s.UpdateOrderStatus(t.Context(), now(), orderID(d, i), "2")
				}
				if err != nil {
					t.Errorf("somebody else: %v", err)
					return
				}
				served.Add(1)
				longest.Store(max(longest.Load(), int64(time.Since(began))))
			}
		})
	}
	wg.Wait()
	t.Logf("%d large answers, %d refusals as busy; %d others answered, after %v at most",
		answered.Load(), refused.Load(), served.Load(), time.Duration(longest.Load()))
	require.Positive(t, answered.Load())
	require.Positive(t, refused.Load())
	require.Greater(t, served.Load(), int64(others*10))
	require.Less(t, time.Duration(longest.Load()), 5*time.Second) // of the ten that a request has
	require.Zero(t, s.large.waiting.Load())
	require.Empty(t, s.large.slots)
}

// Large documents get the same responses as small ones, and missing ones are not found.
func TestLarge_Same(t *testing.T) {
	s, d, _, _ := tiny(t)
	const id = 900_000_000_000
	doc := bigCustomer(d, id)
	insertCustomer(t, s, doc, true)
	summary, err := s.AccountSummary(t.Context(), id)
	require.NoError(t, err)
	require.Greater(t, len(summary), len(doc)/2)
	long := ` Txt="` + strings.Repeat("x", 2*largeBytes)
	insertOrder(t, s, []byte(strings.Replace(string(order(d, id)), ` Txt="`, long, 1)))
	got, err := s.GetOrder(t.Context(), id)
	require.NoError(t, err)
	require.Greater(t, len(got), 2*largeBytes)

	_, noSummary := s.AccountSummary(t.Context(), id+7)
	_, noTrade := s.Trade(t.Context(), now(), id+7, buy("A"))
	for _, err := range []error{
		s.CloseAccount(t.Context(), now(), id+7, id+8), s.DeleteCustomer(t.Context(), now(), id+7), noSummary, noTrade,
	} {
		require.True(t, tpox.Is[*tpox.NotFound](err), "%v", err)
	}
}

// A limited number of requests waits, and a waiting request can be cancelled.
func TestLarge_Queue(t *testing.T) {
	l := newLarge(3)
	require.Equal(t, 1, cap(l.slots))
	l.slots <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	for range 1 + waitingForEach {
		go func() { ended <- l.do(ctx, func() error { return nil }) }()
	}
	require.Eventually(t, func() bool { return l.waiting.Load() == 1+waitingForEach }, time.Minute, time.Millisecond)
	require.Equal(t, error(errManyLarge), l.do(t.Context(), func() error { return nil }))
	cancel()
	for range 1 + waitingForEach {
		require.ErrorIs(t, <-ended, context.Canceled)
	}
	<-l.slots
	require.NoError(t, l.do(t.Context(), func() error { return nil }))
	require.Empty(t, l.slots)
}
