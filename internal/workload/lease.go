package workload

import (
	"context"

	"brokerage/internal/brokerage"
)

// share is what was leased for all users.
type share struct {
	brokerage.Range

	width int64 // ids that are taken together
	users int64
}

// of is the part of user n.
func (s share) of(n int) ids {
	return ids{next: int64(s.First) + int64(n)*s.width, step: s.users * s.width, end: int64(s.First) + s.Count}
}

const (
	refillCount = 100_000
	// expectedRate is how many transactions a second ids are leased for. A faster
	// target means leases during the run, of refillCount each.
	expectedRate = 20_000
)

// lease leases ids of orders, customers and accounts once for all users.
func (d *driver) lease(ctx context.Context) (shares [3]share, err error) {
	definition, users := d.config.Definition, int64(d.config.Users)
	seconds := (d.config.Ramp + d.config.Duration).Seconds() + 60
	for i, kind := range [...]struct {
		name   string
		shares float64
		own    int
		width  int64
	}{
		{"order", d.plan.shares[insertOrder], definition.Prepare.Orders, 1},
		{"customer", d.plan.shares[insertCustomer], definition.Prepare.Customers, 1},
		{"account", d.plan.shares[insertCustomer] + d.plan.shares[openAccount], definition.Prepare.Customers, accountsAtOnce},
	} {
		if kind.shares == 0 && kind.own == 0 {
			continue
		}
		count := kind.width * (users*int64(kind.own+1) + int64(min(kind.shares*expectedRate*seconds, brokerage.MaxLease)))
		shares[i] = share{width: kind.width, users: users}
		if shares[i].Range, err = d.backend.lease(ctx, kind.name, min(count, brokerage.MaxLease)); err != nil {
			return shares, err
		}
	}
	return shares, nil
}

// refill leases ids for this user alone, of each kind that it has run out of.
func (w *worker) refill(ctx context.Context) error {
	u := w.user
	for _, kind := range [...]struct {
		name  string
		ids   *ids
		width int64
	}{{"order", &u.newOrders, 1}, {"customer", &u.newCustomers, 1}, {"account", &u.newAccounts, accountsAtOnce}} {
		if kind.ids.next+kind.width <= kind.ids.end {
			continue
		}
		leased, err := w.driver.backend.lease(ctx, kind.name, refillCount*kind.width)
		if err != nil {
			return err
		}
		*kind.ids = share{Range: leased, width: kind.width, users: 1}.of(0)
	}
	return nil
}

// ids hands out what was leased to all users, each its own: user u of n has the
// ids u, u+n, u+2n, …, so that all together go up through the lease, as they
// would from a sequence, and not in as many places as there are users.
type ids struct {
	next, step, end int64
}

// take gives the first of n ids that follow each other; n is the same each time.
func (s *ids) take(n int64) (first int64, ok bool) {
	if s.next+n > s.end {
		return 0, false
	}
	first = s.next
	s.next += s.step
	return first, true
}
