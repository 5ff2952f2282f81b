package guard

import (
	"context"

	"brokerage/internal/brokerage"
)

// Each method calls the same method of the store inside, and holds it to the operation that is declared above it.

var getOrder = transaction("get_order")

func (s *Store) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call(ctx, s, getOrder, func(ctx context.Context) ([]byte, error) { return s.inner.GetOrder(ctx, id) })
}

var customerMaxOrder = transaction("customer_max_order")

func (s *Store) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	return call(ctx, s, customerMaxOrder, func(ctx context.Context) ([]byte, error) {
		return s.inner.CustomerMaxOrder(ctx, customer)
	})
}

var insertOrder = transaction("insert_order")

func (s *Store) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	return call(ctx, s, insertOrder, func(ctx context.Context) (brokerage.ID, error) {
		return s.inner.InsertOrder(ctx, w, doc)
	})
}

var updateOrderStatus = transaction("update_order_status")

func (s *Store) UpdateOrderStatus(
	ctx context.Context, w brokerage.Write, id brokerage.ID, stat string,
) ([]byte, error) {
	return call(ctx, s, updateOrderStatus, func(ctx context.Context) ([]byte, error) {
		return s.inner.UpdateOrderStatus(ctx, w, id, stat)
	})
}

var deleteOrder = transaction("delete_order")

func (s *Store) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return run(ctx, s, deleteOrder, func(ctx context.Context) error { return s.inner.DeleteOrder(ctx, w, id) })
}

var getCustomer = query("get_customer", brokerage.IsNotFound)

func (s *Store) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call(ctx, s, getCustomer, func(ctx context.Context) ([]byte, error) { return s.inner.GetCustomer(ctx, id) })
}

var customerProfile = transaction("customer_profile")

func (s *Store) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call(ctx, s, customerProfile, func(ctx context.Context) ([]byte, error) {
		return s.inner.CustomerProfile(ctx, id)
	})
}

var accountSummary = transaction("account_summary")

func (s *Store) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call(ctx, s, accountSummary, func(ctx context.Context) ([]byte, error) {
		return s.inner.AccountSummary(ctx, id)
	})
}

var customerOf = query("customer_of", brokerage.IsNotFound)

func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (brokerage.ID, error) {
	return call(ctx, s, customerOf, func(ctx context.Context) (brokerage.ID, error) {
		return s.inner.CustomerOf(ctx, account)
	})
}

var insertCustomer = transaction("insert_customer")

func (s *Store) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	return call(ctx, s, insertCustomer, func(ctx context.Context) (brokerage.ID, error) {
		return s.inner.InsertCustomer(ctx, w, doc, validate)
	})
}

var replaceCustomer = write("replace_customer",
	brokerage.IsNotFound|brokerage.IsConflict|brokerage.IsInvalid|brokerage.IsStale)

func (s *Store) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match,
) error {
	return run(ctx, s, replaceCustomer, func(ctx context.Context) error {
		return s.inner.ReplaceCustomer(ctx, w, id, doc, validate, match)
	})
}

var deleteCustomer = transaction("delete_customer")

func (s *Store) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return run(ctx, s, deleteCustomer, func(ctx context.Context) error { return s.inner.DeleteCustomer(ctx, w, id) })
}

var openAccount = transaction("open_account")

func (s *Store) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	return call(ctx, s, openAccount, func(ctx context.Context) (brokerage.ID, error) {
		return s.inner.OpenAccount(ctx, w, customer, account)
	})
}

var closeAccount = transaction("close_account")

func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	return run(ctx, s, closeAccount, func(ctx context.Context) error {
		return s.inner.CloseAccount(ctx, w, customer, account)
	})
}

var (
	buySecurity  = transaction("buy_security")
	sellSecurity = transaction("sell_security")
)

// Trade counts a trade without a proper side, which stores refuse, as buy_security.
func (s *Store) Trade(
	ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade,
) ([]byte, error) {
	op := buySecurity
	if t.Side == brokerage.Sell {
		op = sellSecurity
	}
	return call(ctx, s, op, func(ctx context.Context) ([]byte, error) { return s.inner.Trade(ctx, w, account, t) })
}

var getSecurity = transaction("get_security")

func (s *Store) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return call(ctx, s, getSecurity, func(ctx context.Context) ([]byte, error) {
		return s.inner.GetSecurity(ctx, symbol)
	})
}

var securityPrice = transaction("get_security_price")

func (s *Store) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return call(ctx, s, securityPrice, func(ctx context.Context) ([]byte, error) {
		return s.inner.SecurityPrice(ctx, symbol)
	})
}

var searchSecurities = transaction("search_securities")

func (s *Store) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	return call(ctx, s, searchSecurities, func(ctx context.Context) ([]byte, error) {
		return s.inner.SearchSecurities(ctx, search)
	})
}

var updateSecurityPrice = transaction("update_security_price")

func (s *Store) UpdateSecurityPrice(
	ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price,
) ([]byte, error) {
	return call(ctx, s, updateSecurityPrice, func(ctx context.Context) ([]byte, error) {
		return s.inner.UpdateSecurityPrice(ctx, w, symbol, p)
	})
}

var replaceSecurity = write("replace_security", brokerage.IsNotFound|brokerage.IsInvalid|brokerage.IsStale)

func (s *Store) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match,
) error {
	return run(ctx, s, replaceSecurity, func(ctx context.Context) error {
		return s.inner.ReplaceSecurity(ctx, w, symbol, doc, validate, match)
	})
}

var contents = query("contents", 0)

func (s *Store) Contents(ctx context.Context) (brokerage.Contents, error) {
	return call(ctx, s, contents, func(ctx context.Context) (brokerage.Contents, error) { return s.inner.Contents(ctx) })
}

// lease takes no idempotency key.
var lease = &operation{
	name: "lease", declared: brokerage.IsNotFound | brokerage.IsInvalid | brokerage.IsUnavailable, writes: true,
}

func (s *Store) Lease(ctx context.Context, kind string, count int64) (brokerage.Range, error) {
	return call(ctx, s, lease, func(ctx context.Context) (brokerage.Range, error) {
		return s.inner.Lease(ctx, kind, count)
	})
}

var ready = query("ready", 0)

func (s *Store) Ready(ctx context.Context) error {
	return run(ctx, s, ready, func(ctx context.Context) error { return s.inner.Ready(ctx) })
}
