package storetest

import (
	"context"
	"fmt"
	"sync"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var lease = &transaction{
	call: func(e *env) call {
		return call{read: func(ctx context.Context) (string, error) {
			r, err := e.s.Lease(ctx, "order", 1)
			return answer(r.First, err)
		}}
	},
	cases: []testCase{
		{name: "Lease/Disjoint", run: func(e *env) {
			for _, kind := range leaseKinds {
				var mu sync.Mutex
				owner := map[tpox.ID]int{}
				e.together(16, func(i int) error {
					for n := range int64(4) {
						r, err := e.s.Lease(e.Context(), kind, 1+n*3)
						if err != nil {
							return err
						}
						if r.Count != 1+n*3 {
							return fmt.Errorf("a lease of %d has %d", 1+n*3, r.Count)
						}
						mu.Lock()
						for id := r.First; id < r.First+tpox.ID(r.Count); id++ {
							if other, taken := owner[id]; taken {
								err = fmt.Errorf("%s %d was leased twice, by %d and %d", kind, id, other, i)
							}
							owner[id] = i
						}
						mu.Unlock()
						if err != nil {
							return err
						}
					}
					return nil
				})
			}
		}},
		{name: "Lease/Fresh", run: func(e *env) {
			first := map[string]int64{
				"order":    e.d.ID(dataset.Order, e.d.Count(dataset.Order)),
				"customer": e.d.ID(dataset.Customer, e.d.Count(dataset.Customer)),
				"account":  e.d.FirstAccount(e.d.Count(dataset.Customer)),
			}
			for _, kind := range leaseKinds {
				r, err := e.s.Lease(e.Context(), kind, 100000)
				e.must(err)
				if int64(r.First) < first[kind] {
					e.Fatalf("the lease of %s begins at %d, within the dataset (to %d)", kind, r.First, first[kind])
				}
			}
		}},
		{name: "Lease/Durable", run: func(e *env) {
			for _, kind := range leaseKinds {
				before, err := e.s.Lease(e.Context(), kind, 1000)
				e.must(err)
				e.reopened()
				after, err := e.s.Lease(e.Context(), kind, 1000)
				e.must(err)
				if after.First < before.First+1000 {
					e.Fatalf("%s: %+v was leased, and %+v after the store was opened again", kind, before, after)
				}
			}
		}},
		// No id has more than 15 digits, and what clients insert does not use up the ids of others.
		{name: "Lease/Exhausted", run: func(e *env) {
			const last = 999_999_999_999_999
			e.insertOrder(orderXML(last, e.accountID(0), `<OrdQty Qty="1" Cash="5"></OrdQty>`))
			for _, kind := range leaseKinds {
				r, err := e.s.Lease(e.Context(), kind, tpox.MaxLease)
				e.must(err)
				if r.First+tpox.MaxLease > last {
					e.Fatalf("the lease of %s begins at %d", kind, r.First)
				}
			}
			e.raiseLeases(last - 9)
			for _, kind := range leaseKinds {
				e.conflict(errOf(e.s.Lease(e.Context(), kind, 11)), tpox.IDsExhausted)
				r, err := e.s.Lease(e.Context(), kind, 10)
				e.must(err)
				e.equal("the last lease", tpox.Range{First: last - 9, Count: 10}, r)
				for range 2 {
					e.conflict(errOf(e.s.Lease(e.Context(), kind, 1)), tpox.IDsExhausted)
				}
			}
		}},
		{name: "Lease/Refused", run: func(e *env) {
			for _, count := range []int64{0, -1, -1 << 63, 1 << 62, tpox.MaxLease + 1} {
				e.invalid(errOf(e.s.Lease(e.Context(), "order", count)))
			}
			for _, kind := range []string{"", "security", "orders", "Order"} {
				_ = refused[*tpox.NotFound](e, errOf(e.s.Lease(e.Context(), kind, 1)))
			}
		}},
	},
}

var leaseKinds = []string{"order", "customer", "account"}
