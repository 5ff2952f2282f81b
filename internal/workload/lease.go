package workload

import (
	"context"
	"slices"
	"time"

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

// ids is one user's part of a lease: of n users, user u has the ids u, u+n, u+2n, …, so that all users together go
// through the lease in ascending order, as a sequence would, instead of in as many places as there are users.
type ids struct{ next, step, width, end int64 }

// partOf returns the part of one of several users.
func (k *idKind) partOf(lease tpox.Range, user, users int) *ids {
	first := int64(lease.First)
	return &ids{
		next: first + int64(user)*k.width, step: int64(users) * k.width, width: k.width, end: first + lease.Count,
	}
}

func (s *ids) empty() bool { return s.next+s.width > s.end }

// newID takes a leased id, or the first of several that follow each other.
func (u *User) newID(kind *idKind, into *tpox.ID) bool {
	s := u.ids[kind]
	if s.empty() {
		return false
	}
	*into = tpox.ID(s.next)
	s.next += s.step
	return true
}

const (
	refillCount = 100_000
	// expectedRate is how many transactions a second ids are leased for. With a faster target, users lease refillCount
	// more ids each during the run.
	expectedRate = 20_000
)

// Leaser leases ids of a kind from a store.
type Leaser func(ctx context.Context, kind string, count int64) (tpox.Range, error)

// Lease leases ids of all kinds that the users need: for what they prepare, and for a run of a length or of a count.
func (c *Crowd) Lease(ctx context.Context, lease Leaser, length time.Duration, count int64) error {
	for _, kind := range []*idKind{orderIDs, customerIDs, accountIDs} {
		needed := c.needed(kind, length, count)
		if needed == 0 {
			continue
		}
		var err error
		if c.leases[kind], err = lease(ctx, kind.name, min(needed, tpox.MaxLease)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Crowd) needed(kind *idKind, length time.Duration, count int64) int64 {
	share, prepared := 0.0, 0
	for _, part := range c.mix {
		if slices.Contains(part.newIDs, kind) {
			share += part.Share
		}
	}
	for _, t := range registry {
		if slices.Contains(t.newIDs, kind) {
			calls, _ := t.Prepares(c.definition.Prepare, &result.Prepared{})
			prepared += calls
		}
	}
	if share == 0 && prepared == 0 {
		return 0
	}
	during := min(share*(expectedRate*(length.Seconds()+60)+float64(count)), tpox.MaxLease)
	return kind.width * (int64(c.to-c.from)*int64(prepared+1) + int64(during))
}

// refill leases ids for this user alone, of each kind that it needs for a transaction and has run out of.
func (u *User) refill(ctx context.Context, lease Leaser, t *Transaction) error {
	for _, kind := range t.newIDs {
		if !u.ids[kind].empty() {
			continue
		}
		more, err := lease(ctx, kind.name, refillCount*kind.width)
		if err != nil {
			return err
		}
		u.ids[kind] = kind.partOf(more, 0, 1)
	}
	return nil
}
