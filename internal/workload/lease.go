package workload

import (
	"context"
	"errors"
	"sync"

	"brokerage/internal/tpox"
)

// Leaser leases ids of a kind from a store.
type Leaser func(ctx context.Context, kind string, count int64) (tpox.Range, error)

// leaseCount is how many transactions a lease is for.
const leaseCount = 1_000_000

// leased are the ids of a kind that are left: [next, end). All users take them in ascending order, as from a sequence.
type leased struct {
	sync.Mutex

	kind      string // as Store.Lease calls it
	next, end int64
}

// newIDs takes count consecutive ids, and sets *first to the lowest. It leases more when too few are left, and
// returns false when that fails.
func (u *User) newIDs(from *leased, count int64, first *tpox.ID) bool {
	from.Lock()
	defer from.Unlock()
	if from.next+count > from.end {
		more, err := u.lease(from.kind, leaseCount*count)
		if err == nil && more.Count < count {
			err = errors.New("the service leased too few ids")
		}
		if err != nil {
			u.leaseErr = err
			return false
		}
		from.next, from.end = int64(more.First), int64(more.First)+more.Count
	}
	*first = tpox.ID(from.next)
	from.next += count
	return true
}
