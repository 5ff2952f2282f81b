package guard

import (
	"context"
	"sync/atomic"

	"brokerage/internal/brokerage"
)

// Store is a guarded store. See the package's comment.
type Store struct {
	inner   brokerage.Store
	options Options
	absent  atomic.Pointer[brokerage.Unavailable] // what every call gets, until there is a store inside
}

var _ brokerage.Store = (*Store)(nil)

var (
	getOrder            = transaction("get_order")
	getSecurity         = transaction("get_security")
	customerProfile     = transaction("customer_profile")
	searchSecurities    = transaction("search_securities")
	accountSummary      = transaction("account_summary")
	securityPrice       = transaction("get_security_price")
	customerMaxOrder    = transaction("customer_max_order")
	closeAccount        = transaction("close_account")
	openAccount         = transaction("open_account")
	updateSecurityPrice = transaction("update_security_price")
	updateOrderStatus   = transaction("update_order_status")
	buySecurity         = transaction("buy_security")
	sellSecurity        = transaction("sell_security")
	insertOrder         = transaction("insert_order")
	insertCustomer      = transaction("insert_customer")
	deleteOrder         = transaction("delete_order")
	deleteCustomer      = transaction("delete_customer")

	getCustomer     = query("get_customer", brokerage.IsNotFound)
	customerOf      = query("customer_of", brokerage.IsNotFound)
	replaceCustomer = write("replace_customer", brokerage.IsNotFound|brokerage.IsConflict|brokerage.IsInvalid|brokerage.IsStale)
	replaceSecurity = write("replace_security", brokerage.IsNotFound|brokerage.IsInvalid|brokerage.IsStale)
	contents        = query("contents", 0)
	ready           = query("ready", 0)
	// A lease takes no idempotency key.
	lease = &operation{"lease", brokerage.IsNotFound | brokerage.IsInvalid | brokerage.IsUnavailable, true}
)

// New puts a guard around a store.
func New(inner brokerage.Store, options Options) *Store {
	return &Store{inner: inner, options: options}
}

// Later is a guard around a store that is still to be opened: until Open, every
// call ends with *brokerage.Unavailable, for the cause that was given last.
func Later(options Options, cause error) *Store {
	s := &Store{options: options}
	s.Absent(cause)
	return s
}

// Absent says why there is no store yet. It is for before Open.
func (s *Store) Absent(cause error) { s.absent.Store(&brokerage.Unavailable{Cause: cause}) }

// Open puts the store inside, once.
func (s *Store) Open(inner brokerage.Store) {
	s.inner = inner
	s.absent.Store(nil) // whoever sees this sees inner
}

// GetOrder is get_order.
func (s *Store) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call(ctx, s, getOrder, func(ctx context.Context) ([]byte, error) { return s.inner.GetOrder(ctx, id) })
}

// CustomerMaxOrder is customer_max_order.
func (s *Store) CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error) {
	return call(ctx, s, customerMaxOrder, func(ctx context.Context) ([]byte, error) { return s.inner.CustomerMaxOrder(ctx, customer) })
}

// InsertOrder is insert_order.
func (s *Store) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	return call(ctx, s, insertOrder, func(ctx context.Context) (brokerage.ID, error) { return s.inner.InsertOrder(ctx, w, doc) })
}

// UpdateOrderStatus is update_order_status.
func (s *Store) UpdateOrderStatus(ctx context.Context, w brokerage.Write, id brokerage.ID, stat string) ([]byte, error) {
	return call(ctx, s, updateOrderStatus, func(ctx context.Context) ([]byte, error) { return s.inner.UpdateOrderStatus(ctx, w, id, stat) })
}

// DeleteOrder is delete_order.
func (s *Store) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return run(ctx, s, deleteOrder, func(ctx context.Context) error { return s.inner.DeleteOrder(ctx, w, id) })
}

// GetCustomer is get_customer, beside the 17.
func (s *Store) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call(ctx, s, getCustomer, func(ctx context.Context) ([]byte, error) { return s.inner.GetCustomer(ctx, id) })
}

// CustomerProfile is customer_profile.
func (s *Store) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call(ctx, s, customerProfile, func(ctx context.Context) ([]byte, error) { return s.inner.CustomerProfile(ctx, id) })
}

// AccountSummary is account_summary.
func (s *Store) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return call(ctx, s, accountSummary, func(ctx context.Context) ([]byte, error) { return s.inner.AccountSummary(ctx, id) })
}

// CustomerOf is customer_of, beside the 17.
func (s *Store) CustomerOf(ctx context.Context, account brokerage.ID) (brokerage.ID, error) {
	return call(ctx, s, customerOf, func(ctx context.Context) (brokerage.ID, error) { return s.inner.CustomerOf(ctx, account) })
}

// InsertCustomer is insert_customer.
func (s *Store) InsertCustomer(ctx context.Context, w brokerage.Write, doc []byte, validate bool) (brokerage.ID, error) {
	return call(ctx, s, insertCustomer, func(ctx context.Context) (brokerage.ID, error) { return s.inner.InsertCustomer(ctx, w, doc, validate) })
}

// ReplaceCustomer is replace_customer, beside the 17.
func (s *Store) ReplaceCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match) error {
	return run(ctx, s, replaceCustomer, func(ctx context.Context) error { return s.inner.ReplaceCustomer(ctx, w, id, doc, validate, match) })
}

// DeleteCustomer is delete_customer.
func (s *Store) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	return run(ctx, s, deleteCustomer, func(ctx context.Context) error { return s.inner.DeleteCustomer(ctx, w, id) })
}

// OpenAccount is open_account.
func (s *Store) OpenAccount(ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte) (brokerage.ID, error) {
	return call(ctx, s, openAccount, func(ctx context.Context) (brokerage.ID, error) { return s.inner.OpenAccount(ctx, w, customer, account) })
}

// CloseAccount is close_account.
func (s *Store) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	return run(ctx, s, closeAccount, func(ctx context.Context) error { return s.inner.CloseAccount(ctx, w, customer, account) })
}

// Trade is buy_security or sell_security, by its side; without a proper one,
// which stores refuse, it counts as the former.
func (s *Store) Trade(ctx context.Context, w brokerage.Write, account brokerage.ID, t brokerage.Trade) ([]byte, error) {
	op := buySecurity
	if t.Side == brokerage.Sell {
		op = sellSecurity
	}
	return call(ctx, s, op, func(ctx context.Context) ([]byte, error) { return s.inner.Trade(ctx, w, account, t) })
}

// GetSecurity is get_security.
func (s *Store) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return call(ctx, s, getSecurity, func(ctx context.Context) ([]byte, error) { return s.inner.GetSecurity(ctx, symbol) })
}

// SecurityPrice is get_security_price.
func (s *Store) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return call(ctx, s, securityPrice, func(ctx context.Context) ([]byte, error) { return s.inner.SecurityPrice(ctx, symbol) })
}

// SearchSecurities is search_securities.
func (s *Store) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	return call(ctx, s, searchSecurities, func(ctx context.Context) ([]byte, error) { return s.inner.SearchSecurities(ctx, search) })
}

// UpdateSecurityPrice is update_security_price.
func (s *Store) UpdateSecurityPrice(ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price) ([]byte, error) {
	return call(ctx, s, updateSecurityPrice, func(ctx context.Context) ([]byte, error) { return s.inner.UpdateSecurityPrice(ctx, w, symbol, p) })
}

// ReplaceSecurity is replace_security, beside the 17.
func (s *Store) ReplaceSecurity(ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match) error {
	return run(ctx, s, replaceSecurity, func(ctx context.Context) error { return s.inner.ReplaceSecurity(ctx, w, symbol, doc, validate, match) })
}

// Describe is that of the store; nothing is known of one that is not open yet.
func (s *Store) Describe() brokerage.Engine {
	if s.absent.Load() != nil {
		return brokerage.Engine{}
	}
	return s.inner.Describe()
}

// Contents is contents, beside the 17.
func (s *Store) Contents(ctx context.Context) (brokerage.Contents, error) {
	return call(ctx, s, contents, func(ctx context.Context) (brokerage.Contents, error) { return s.inner.Contents(ctx) })
}

// Lease is lease, beside the 17.
func (s *Store) Lease(ctx context.Context, kind string, count int64) (brokerage.Range, error) {
	return call(ctx, s, lease, func(ctx context.Context) (brokerage.Range, error) { return s.inner.Lease(ctx, kind, count) })
}

// Ready is ready, beside the 17.
func (s *Store) Ready(ctx context.Context) error {
	return run(ctx, s, ready, func(ctx context.Context) error { return s.inner.Ready(ctx) })
}

// Close closes the store inside, if there is one. Open must not run at the same time.
func (s *Store) Close() error {
	if s.inner == nil {
		return nil
	}
	return s.inner.Close()
}
