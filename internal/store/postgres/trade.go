package postgres

import (
	"context"
	"errors"

	"brokerage/internal/tpox"
)

// errOtherOwner reports that a customer, when it was locked, did not have the account any more.
var errOtherOwner = errors.New("the account has just moved to another customer")

// Trade carries out buy_security and sell_security, and returns the Trade_Confirmation. The security is read after the
// customer is locked, so that a trade that had to wait uses the price of the moment when it runs.
func (s *Store) Trade(ctx context.Context, w tpox.Write, account tpox.ID, trade tpox.Trade) (answer []byte, err error) {
	if err := trade.Validate(); err != nil {
		return nil, err
	}
	err = s.again(ctx, func(ctx context.Context) error {
		var customer tpox.ID
		var doc, security []byte
		lock := step{
			name: "lock_customer_of_account", args: []any{account}, into: []any{&customer, &doc},
			missing: tpox.NoAccount(account),
		}
		if s.distributed {
			// If the account is missing, the transaction runs nevertheless: it may find an answer that was stored for its
			// idempotency key while the account existed.
			err := s.queryRow(ctx, "customer_of_account", []any{account}, &customer)
			if err != nil && !noRows(err) {
				return err
			}
			lock.name, lock.args, lock.into = "lock_customer", []any{customer}, []any{&doc}
			if err == nil {
				lock.missing = errOtherOwner
			}
		}
		symbol := trade.Symbol
		if !storable(symbol) {
			symbol = "" // no security has it
		}
		quote := step{
			name: "get_security", args: []any{symbol}, into: []any{&security}, missing: tpox.NoSecurity(trade.Symbol),
		}
		answer, err = s.write(ctx, w, []step{lock, quote}, func() ([]step, []byte, error) {
			if !tpox.HasAccount(doc, account) {
				return nil, nil, errOtherOwner
			}
			changed, answer, err := trade.Apply(s.options.Rules, doc, account, tpox.QuoteOf(security))
			return []step{{name: "update_customer", args: []any{customer, string(changed)}}}, answer, err
		})
		return err
	}, func(err error) bool { return errors.Is(err, errOtherOwner) })
	return answer, domainError(ctx, err, false)
}
