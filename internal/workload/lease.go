package workload

import (
	"cmp"
	"context"
	"sync"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// idKind is a kind of ids that a store leases.
type idKind struct {
	name  string // as Store.Lease calls it
	width int64  // ids that are taken together
}

// The kinds of ids. A new customer has at most three accounts.
var (
	orderIDs    = &idKind{"order", 1}
	customerIDs = &idKind{"customer", 1}
	accountIDs  = &idKind{"account", 3}
)

// leaseCount is how many transactions a lease is for.
const leaseCount = 1_000_000

// leased are the ids of a kind that are left: [next, end). All users take them in ascending order, as from a sequence.
type leased struct {
	sync.Mutex

	next, end int64
}

// newID takes a leased id, or the first of several that follow each other.
func (u *User) newID(kind *idKind, into *tpox.ID) bool {
	l := u.leases[kind]
	l.Lock()
	defer l.Unlock()
	if u.outOfIDs = l.next+kind.width > l.end; u.outOfIDs {
		return false
	}
	*into = tpox.ID(l.next)
	l.next += kind.width
	return true
}

// Leaser leases ids of a kind from a store.
type Leaser func(ctx context.Context, kind string, count int64) (tpox.Range, error)

// Lease leases ids of all kinds that the users need.
func (c *Crowd) Lease(ctx context.Context, lease Leaser) error {
	var err error
	for _, part := range c.mix {
		err = cmp.Or(err, c.refill(ctx, lease, part.Transaction))
	}
	for _, i := range c.definition.Preparation(&result.Prepared{}) {
		if i.Calls > 0 {
			err = cmp.Or(err, c.refill(ctx, lease, i.Transaction))
		}
	}
	return err
}

// refill leases ids of each kind that a transaction needs and that the users have run out of.
func (c *Crowd) refill(ctx context.Context, lease Leaser, t *Transaction) error {
	for _, kind := range t.newIDs {
		if err := c.leases[kind].refill(ctx, lease, kind); err != nil {
			return err
		}
	}
	return nil
}

func (l *leased) refill(ctx context.Context, lease Leaser, kind *idKind) error {
	l.Lock()
	defer l.Unlock()
	if l.next+kind.width <= l.end {
		return nil // another user has leased some
	}
	more, err := lease(ctx, kind.name, leaseCount*kind.width)
	if err == nil {
		l.next, l.end = int64(more.First), int64(more.First)+more.Count
	}
	return err
}
