package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// occupy runs something that has to wait, until release, in what it is given. A
// test releases also when a check of it fails: Close waits for who reads or writes.
func occupy(run func(wait func()) error) (release func() error) {
	begun, end := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- run(func() {
			close(begun)
			<-end
		})
	}()
	<-begun
	return sync.OnceValue(func() error {
		close(end)
		return <-done
	})
}

// hold keeps the writer busy with a transaction of its own, until release.
func hold(t testing.TB, s *Store) (release func() error) {
	t.Helper()
	return occupy(func(wait func()) error {
		var first sync.Once // its group may be done again
		return s.writer.write(context.Background(), func(*transaction) error {
			first.Do(wait)
			return nil
		})
	})
}

func TestWriter_CancelOneOfAGroup(t *testing.T) {
	d := generator(t, "tiny")
	s := empty(t)
	const members, victim = 32, 13
	contexts := make([]context.Context, members)
	cancels := make([]context.CancelFunc, members)
	for i := range members {
		contexts[i], cancels[i] = cancellable(t) //nolint:fatcontext // a context for each member, none inside another
	}
	// The victim is cancelled while it is being done, in the middle of the group.
	inGroup := 0
	s.writer.afterJob = func(j *job) {
		inGroup++
		if j.ctx == contexts[victim] {
			cancels[victim]()
		}
	}
	release := hold(t, s)
	errs := make([]error, members)
	var wg sync.WaitGroup
	for i := range members {
		wg.Go(func() { _, errs[i] = s.InsertOrder(contexts[i], now(), order(d, int64(1000+i))) })
	}
	waitForQueue(t, s, members)
	require.NoError(t, release())
	wg.Wait()
	for i := range members {
		require.NoError(t, errs[i], "member %d", i)
		_, err := s.GetOrder(t.Context(), brokerage.ID(1000+i))
		require.NoError(t, err, "member %d: what was answered is there", i)
	}
	require.Equal(t, members+1, inGroup)
	require.LessOrEqual(t, s.writer.groups.Load(), int64(3), "they share commits")
}

func cancellable(t testing.TB) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// waitForQueue returns when n transactions wait for the writer, beside the one that holds it.
func waitForQueue(t testing.TB, s *Store, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.writer.waiting.Load() == int64(n+1) }, 30*time.Second, time.Millisecond)
	time.Sleep(20 * time.Millisecond) // for the last ones to come from counting to waiting
}

func TestWriter_CancelledWhileWaiting(t *testing.T) {
	d := generator(t, "tiny")
	s := empty(t)
	release := hold(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := s.InsertOrder(ctx, now(), order(d, 1000))
		done <- err
	}()
	waitForQueue(t, s, 1)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, release())
	_, err := s.GetOrder(t.Context(), 1000)
	require.ErrorAs(t, err, new(*brokerage.NotFound))
}

func TestWriter_AFailureLeavesItsNeighboursAlone(t *testing.T) {
	d := generator(t, "tiny")
	s := empty(t)
	release := hold(t, s)
	const members = 20
	errs := make([]error, members)
	var wg sync.WaitGroup
	for i := range members {
		wg.Go(func() {
			errs[i] = s.writer.write(t.Context(), func(tx *transaction) error {
				if err := tx.setSavepoint(); err != nil {
					return err
				}
				if _, err := tx.exec(insertOrder, 2000+i, 1, nil, order(d, int64(2000+i))); err != nil {
					return err
				}
				switch i % 4 {
				case 1:
					return &brokerage.Conflict{Reason: brokerage.NotHeld, Detail: "after a change"}
				case 2:
					panic("after a change")
				}
				return nil
			})
		})
	}
	waitForQueue(t, s, members)
	require.NoError(t, release())
	wg.Wait()
	for i := range members {
		_, err := s.GetOrder(t.Context(), brokerage.ID(2000+i))
		if failed := i%4 == 1 || i%4 == 2; failed {
			require.Error(t, errs[i])
			require.ErrorAs(t, err, new(*brokerage.NotFound), "member %d left something behind", i)
			continue
		}
		require.NoError(t, errs[i])
		require.NoError(t, err)
	}
}

// A full disk, by way of SQLite's own limit on pages.
func TestWriter_Full(t *testing.T) {
	d := generator(t, "tiny")
	s := loaded(t, d)
	var pages int
	require.NoError(t, s.reading.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages))
	require.NoError(t, s.control(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages+4)))

	release := hold(t, s)
	const members = 200
	errs := make([]error, members)
	var wg sync.WaitGroup
	for i := range members {
		wg.Go(func() { _, errs[i] = s.InsertOrder(t.Context(), now(), order(d, int64(900_000+i))) })
	}
	waitForQueue(t, s, members)
	_ = release() // of the group that is refused
	wg.Wait()
	refused := 0
	for i, err := range errs {
		_, missing := s.GetOrder(t.Context(), brokerage.ID(900_000+i))
		if err == nil {
			require.NoError(t, missing, "answered, so it is there")
			continue
		}
		refused++
		require.ErrorAs(t, err, new(*brokerage.Unavailable))
		require.ErrorAs(t, missing, new(*brokerage.NotFound), "refused, so it is not there")
	}
	require.Positive(t, refused)
	_, err := s.GetOrder(t.Context(), 103282)
	require.NoError(t, err, "reading goes on")

	require.NoError(t, s.control(t.Context(), "PRAGMA max_page_count = 1000000"))
	_, err = s.InsertOrder(t.Context(), now(), order(d, 950_000))
	require.NoError(t, err, "there is room again")
}

func TestWriter_Closed(t *testing.T) {
	s := empty(t)
	s.writer.close()
	_, err := s.InsertOrder(t.Context(), now(), order(generator(t, "tiny"), 1))
	unavailable, ok := errors.AsType[*brokerage.Unavailable](err)
	require.True(t, ok)
	require.ErrorContains(t, unavailable, "closed")
}

func TestStore_IsDurableBySettings(t *testing.T) {
	for name, s := range map[string]*Store{
		"Opened": empty(t),
		"Loaded": loaded(t, generator(t, "tiny")), // a load must not leave its own settings behind
	} {
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2"} {
			var got string
			j := &job{ctx: t.Context(), done: make(chan struct{})}
			j.exclusive = func(c *sql.Conn) error { return c.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got) }
			s.writer.queue <- j
			<-j.done
			require.NoError(t, j.err)
			require.Equal(t, want, got, "%s: %s", name, pragma)
		}
	}
}

// One of a group fails after a change and cannot be rolled back alone: the others
// are done all the same, and it is told that nothing of it was.
func TestWriter_AFailureWithoutASavepoint(t *testing.T) {
	d := generator(t, "tiny")
	for name, fail := range map[string]func(*transaction) error{
		"Refusal": func(*transaction) error {
			return &brokerage.Conflict{Reason: brokerage.NotHeld, Detail: "after a change"}
		},
		"Panic":    func(*transaction) error { panic("after a change") },
		"NoDomain": func(*transaction) error { return errors.New("after a change") },
		// An error of the database, by a statement that it does not take.
		"Database": func(tx *transaction) error {
			_, err := tx.exec(insertOrder, "no number", 1, nil, []byte("x"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := empty(t)
			release := hold(t, s)
			const members = 20
			fails := func(i int) bool { return i%5 == 2 && (name != "Database" || i == 2) }
			errs := make([]error, members)
			var wg sync.WaitGroup
			for i := range members {
				wg.Go(func() {
					errs[i] = s.writer.write(t.Context(), func(tx *transaction) error {
						if _, err := tx.exec(insertOrder, 2000+i, 1, nil, order(d, int64(2000+i))); err != nil {
							return err
						}
						if fails(i) {
							return fail(tx)
						}
						return nil
					})
				})
			}
			waitForQueue(t, s, members)
			require.NoError(t, release())
			wg.Wait()
			for i := range members {
				_, err := s.GetOrder(t.Context(), brokerage.ID(2000+i))
				if !fails(i) {
					require.NoError(t, errs[i], "member %d", i)
					require.NoError(t, err, "member %d", i)
					continue
				}
				require.ErrorAs(t, err, new(*brokerage.NotFound), "member %d left something behind", i)
				switch name {
				case "Refusal":
					require.ErrorAs(t, errs[i], new(*brokerage.Conflict))
				case "Database":
					unavailable, ok := errors.AsType[*brokerage.Unavailable](errs[i])
					require.True(t, ok, "%v", errs[i])
					require.False(t, unavailable.Unknown)
				default:
					require.ErrorContains(t, errs[i], "after a change")
					require.ErrorAs(t, errs[i], new(*brokerage.RolledBack), "nothing was done, and that is known")
				}
			}
		})
	}
}

// With an idempotency key too, a document is edited, validated and packed before
// the writer is there for it, and not again.
func TestWriter_WithAKeyDoesNoWork(t *testing.T) {
	d := generator(t, "tiny")
	s := loaded(t, d)
	customer, account := brokerage.ID(d.ID(dataset.Customer, 0)), brokerage.ID(d.FirstAccount(0))
	opened := d.AppendNewCustomer(nil, 3, dataset.NewCustomer{ID: 1, Accounts: []int64{900_000}})
	_, rest, _ := strings.Cut(string(opened), "<Account ")
	element, _, _ := strings.Cut(rest, "</Account>")
	newAccount := `<Account xmlns="` + brokerage.CustAccNS + `" ` + element + "</Account>"
	for name, c := range map[string]struct {
		kind kind
		do   func(w brokerage.Write) error
	}{
		"Trade": {customers, func(w brokerage.Write) error {
			_, err := s.Trade(
				t.Context(), w, account, brokerage.Trade{Side: brokerage.Buy, Symbol: d.Symbol(0), Quantity: "1", Now: w.Now},
			)
			return err
		}},
		"OpenAccount": {customers, func(w brokerage.Write) error {
			_, err := s.OpenAccount(t.Context(), w, customer, []byte(newAccount))
			return err
		}},
		"UpdateOrderStatus": {orders, func(w brokerage.Write) error {
			_, err := s.UpdateOrderStatus(t.Context(), w, brokerage.ID(d.ID(dataset.Order, 0)), "4")
			return err
		}},
		"UpdateSecurityPrice": {securities, func(w brokerage.Write) error {
			_, err := s.UpdateSecurityPrice(t.Context(), w, d.Symbol(0), brokerage.Price{LastTrade: "5.5"})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			packed := &s.packed[slices.Index(kinds[:], c.kind)].documents
			before, redone := packed.Load(), s.redone.Load()
			release := hold(t, s)
			defer func() { require.NoError(t, release()) }()
			done := make(chan error, 1)
			go func() {
				w := now()
				w.Once = &brokerage.Once{Client: "c", Key: name, Expires: w.Now.Add(time.Hour)}
				done <- c.do(w)
			}()
			waitForQueue(t, s, 1)
			require.Equal(t, before+1, packed.Load(), "packed while the writer is busy with another")
			require.NoError(t, release())
			require.NoError(t, <-done)
			require.Equal(t, before+1, packed.Load(), "packed again by the writer")
			require.Equal(t, redone, s.redone.Load())
		})
	}
}
