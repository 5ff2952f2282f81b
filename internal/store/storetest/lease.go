package storetest

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var lease = &transaction{
	call: func(e *env) call {
		return call{watch{}, false, func(ctx context.Context, _ tpox.Write) (string, error) {
			r, err := e.s.Lease(ctx, "order", 1)
			return answer(r.First, err)
		}}
	},
	cases: []testCase{
		{name: "Lease/Disjoint", run: func(e *env) {
			for _, kind := range leaseKinds {
				var leases [16][4]tpox.Range
				e.together(len(leases), func(i int) (err error) {
					for n := range leases[i] {
						if leases[i][n], err = e.s.Lease(e.Context(), kind, int64(1+n*3)); err != nil {
							return err
						}
					}
					return nil
				})
				taken := map[tpox.ID]bool{}
				for _, of := range leases {
					for n, r := range of {
						e.equal("the size of a lease", int64(1+n*3), r.Count)
						for id := r.First; id < r.First+tpox.ID(r.Count); id++ {
							e.equal(fmt.Sprintf("whether %s %d was leased twice", kind, id), false, taken[id])
							taken[id] = true
						}
					}
				}
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
				require.GreaterOrEqual(e, int64(r.First), first[kind], "the lease of %s begins within the dataset", kind)
			}
		}},
		{name: "Lease/Durable", run: func(e *env) {
			for _, kind := range leaseKinds {
				before, err := e.s.Lease(e.Context(), kind, 1000)
				e.must(err)
				e.reopened()
				after, err := e.s.Lease(e.Context(), kind, 1000)
				e.must(err)
				require.GreaterOrEqual(e, after.First, before.First+1000, "%s: after the store was opened again", kind)
			}
		}},
		// No id has more than 15 digits, and what clients insert does not use up the ids of others.
		{name: "Lease/Exhausted", run: func(e *env) {
			const last = 999_999_999_999_999
			e.insertOrder(orderXML(last, e.accountID(0), `<OrdQty Qty="1" Cash="5"></OrdQty>`))
			for _, kind := range leaseKinds {
				r, err := e.s.Lease(e.Context(), kind, tpox.MaxLease)
				e.must(err)
				require.LessOrEqual(e, int64(r.First), int64(last-tpox.MaxLease), kind)
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
