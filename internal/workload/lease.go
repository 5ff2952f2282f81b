package workload

import (
	"context"
	"slices"

	"brokerage/internal/brokerage"
)

// An idKind is a kind of ids that a store leases.
type idKind struct {
	name  string // as Store.Lease calls it
	width int64  // ids that are taken together
}

var (
	orderIDs    = &idKind{"order", 1}
	customerIDs = &idKind{"customer", 1}
	accountIDs  = &idKind{"account", accountsAtOnce}

	idKinds = [...]*idKind{orderIDs, customerIDs, accountIDs}
)

// accountsAtOnce is how many account ids are taken together: as many as a new customer has at most.
const accountsAtOnce = 3

// leased are ids that users share.
type leased struct {
	brokerage.Range

	width int64 // ids that are taken together
	users int64
}

// of returns the part of user n.
func (l leased) of(n int) *ids {
	return &ids{next: int64(l.First) + int64(n)*l.width, step: l.users * l.width, end: int64(l.First) + l.Count}
}

const (
	refillCount = 100_000
	// expectedRate is how many transactions a second ids are leased for. With a faster target, users lease refillCount
	// more ids each during the run.
	expectedRate = 20_000
)

// lease leases ids of all kinds for all users.
func (d *driver) lease(ctx context.Context) (map[*idKind]leased, error) {
	leases := make(map[*idKind]leased)
	users := int64(d.config.Users)
	seconds := (d.config.Ramp + d.config.Duration).Seconds() + 60
	for _, kind := range idKinds {
		l := leased{width: kind.width, users: users}
		if share, prepared := d.plan.uses(kind); share > 0 || prepared > 0 {
			each := min(share*expectedRate*seconds, brokerage.MaxLease)
			count := kind.width * (users*int64(prepared+1) + int64(each))
			var err error
			if l.Range, err = d.backend.lease(ctx, kind.name, min(count, brokerage.MaxLease)); err != nil {
				return nil, err
			}
		}
		leases[kind] = l
	}
	return leases, nil
}

// uses returns the share of the mix that needs ids of a kind, and how many calls that need them each user prepares.
func (p *plan) uses(kind *idKind) (share float64, prepared int) {
	for _, part := range p.mix {
		if slices.Contains(part.newIDs, kind) {
			share += part.share
		}
	}
	for _, t := range registry {
		if t.prepare != nil && slices.Contains(t.newIDs, kind) {
			calls, _ := t.prepare(p.definition.Prepare, &Prepared{})
			prepared += calls
		}
	}
	return share, prepared
}

// refill leases ids for this user alone, of each kind that it has run out of.
func (w *worker) refill(ctx context.Context) error {
	for _, kind := range idKinds {
		if own := w.user.ids[kind]; own.next+kind.width <= own.end {
			continue
		}
		more, err := w.driver.backend.lease(ctx, kind.name, refillCount*kind.width)
		if err != nil {
			return err
		}
		w.user.ids[kind] = leased{Range: more, width: kind.width, users: 1}.of(0)
	}
	return nil
}

// ids is one user's part of a lease: of n users, user u has the ids u, u+n, u+2n, …, so that all users together go
// through the lease in ascending order, as a sequence would, instead of in as many places as there are users.
type ids struct {
	next, step, end int64
}

// take returns the first of n consecutive ids; n is the same each time.
func (s *ids) take(n int64) (first int64, ok bool) {
	if s.next+n > s.end {
		return 0, false
	}
	first = s.next
	s.next += s.step
	return first, true
}
