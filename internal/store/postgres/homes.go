package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/tpox"
)

// errMoved reports that what a look-up found has changed before it was used; the transaction has changed nothing.
var errMoved = errors.New("another transaction has moved it")

func isMoved(err error) bool { return errors.Is(err, errMoved) }

// atOrder calls f with the home of an order, again when f does not find the order because it was deleted and inserted
// at another home since.
//
// A write with an idempotency key calls f in any case, since an answer may be stored from when there was an order.
func (s spread) atOrder(
	ctx context.Context, once *tpox.Once, id tpox.ID, f func(home tpox.ID) error,
) error {
	missing := tpox.NoOrder(id)
	err := s.again(ctx, func(ctx context.Context) error {
		var home tpox.ID
		err := s.queryRow(ctx, "order_home", missing, []any{id}, []any{&home})
		if err != nil && (once == nil || !errors.Is(err, missing)) {
			return err
		}
		err = f(home)
		if tpox.Is[*tpox.NotFound](err) {
			return s.moved(ctx, "order_home", id, home, missing)
		}
		return err
	}, isMoved)
	return domainError(ctx, err, false)
}

// moved returns errMoved if a look-up by key no longer finds what it found, and missing if it still does or finds
// nothing.
func (s spread) moved(ctx context.Context, lookUp string, key, found tpox.ID, missing error) error {
	var now tpox.ID
	err := s.queryRow(ctx, lookUp, missing, []any{key}, []any{&now})
	switch {
	case err != nil:
		return err
	case now != found:
		return errMoved
	}
	return missing
}

// homeOf returns the home of an account, and sets it for an account that was never seen. The home never changes.
func (s spread) homeOf(ctx context.Context, account tpox.ID) (home tpox.ID, err error) {
	read := func() error { return s.queryRow(ctx, "account_home", pgx.ErrNoRows, []any{account}, []any{&home}) }
	if err = read(); !noRows(err) {
		return home, err
	}
	err = s.again(ctx, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, s.sql("first_order"), account)
		return err
	}, s.mayTryAgain) // the second attempt finds what the first has inserted
	if err == nil {
		err = read()
	}
	return home, domainError(ctx, err, false)
}

// A claim is the list of accounts that a customer is to have.
type claim struct {
	customer tpox.ID
	accounts []claimed
}

// claimed is an account with the contents of its row when it was locked: nothing for an account that was never seen.
type claimed struct {
	account        tpox.ID
	home, customer *tpox.ID
}

func newClaim(customer tpox.ID, accounts []tpox.ID) *claim {
	c := &claim{customer: customer}
	for _, account := range accounts {
		c.accounts = append(c.accounts, claimed{account: account})
	}
	return c
}

// lock returns the queries that lock the rows of the accounts, in the order of their ids.
func (c *claim) lock() (queries []query) {
	for i := range c.accounts {
		a := &c.accounts[i]
		queries = append(queries, query{statement: "lock_account", args: []any{a.account}, into: []any{&a.home, &a.customer}})
	}
	slices.SortFunc(queries, func(a, b query) int { return cmp.Compare(firstID(a.args), firstID(b.args)) })
	return queries
}

// changes returns the changes that give the accounts to the customer, in the order of their ids, or a
// *tpox.Conflict for the first in the document that another customer has.
func (c *claim) changes() (all []change, err error) {
	for _, a := range c.accounts {
		switch {
		case a.home == nil:
			all = append(all, change{statement: "new_account", args: []any{a.account, c.customer}, taken: errMoved})
		case a.customer == nil:
			all = append(all, change{statement: "claim_account", args: []any{a.account, c.customer}})
		case *a.customer != c.customer:
			return nil, tpox.DuplicateAccount(a.account)
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(firstID(a.args), firstID(b.args)) })
	return all, nil
}

func firstID(args []any) tpox.ID { return args[0].(tpox.ID) } //nolint:forcetypeassert // set here

// elsewhere returns the accounts whose home is not the customer.
func (c *claim) elsewhere() []tpox.ID {
	all := []tpox.ID{} // not NULL
	for _, a := range c.accounts {
		if a.home != nil && *a.home != c.customer {
			all = append(all, a.account)
		}
	}
	return all
}

// release returns the change that takes an account from its customer. In a cluster, the customer may be visible before
// the account is: see DeleteOrder.
func release(account tpox.ID) change {
	return change{statement: "release_account", args: []any{account}, notFound: errMoved}
}

func lockCustomerElsewhere(id tpox.ID, doc *[]byte, elsewhere *[]tpox.ID) []query {
	return []query{{"lock_customer_elsewhere", []any{id}, []any{doc, elsewhere}, nil, tpox.NoCustomer(id)}}
}
