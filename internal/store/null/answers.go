package null

import (
	"context"
	"slices"

	"brokerage/api"
	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// newStatus is FIX's "filled".
const newStatus = "2"

// answersOf returns the answer of each transaction that has one, and of the other reads, by their names. An answer that
// is not made here is the example of the contract.
func answersOf(d *dataset.Dataset) (answers map[string][]byte, account tpox.Account, err error) {
	order := typical(d, dataset.Order, tpox.Order)
	customer := typical(d, dataset.Customer, tpox.CustomerProfile, tpox.AccountSummary)
	security := typical(d, dataset.Security, tpox.SecurityPrice)
	keys, err := tpox.CustomerKeysOf(customer)
	if err != nil {
		return nil, account, err
	}
	if account, err = tpox.AccountOf(customer, keys.Accounts[0]); err != nil {
		return nil, account, err
	}
	account.Document = slices.Clip(account.Document)
	_, status, err := tpox.SetOrderStatus(order, newStatus)
	if err != nil {
		return nil, account, err
	}
	hits, err := search(d)
	if err != nil {
		return nil, account, err
	}
	bought, err := trade(d, tpox.Buy, customer, keys.Accounts[0])
	if err != nil {
		return nil, account, err
	}
	sold, err := trade(d, tpox.Sell, customer, keys.Accounts[0])
	if err != nil {
		return nil, account, err
	}
	answers = map[string][]byte{
		"get_order":             tpox.Order(order),
		"customer_max_order":    tpox.MaxOrder(keys.ID, order),
		"update_order_status":   status,
		"get_customer":          customer,
		"customer_profile":      tpox.CustomerProfile(customer),
		"account_summary":       tpox.AccountSummary(customer),
		"get_security":          security,
		"get_security_price":    tpox.SecurityPrice(security),
		"update_security_price": tpox.SecurityPrice(security),
		"search_securities":     hits,
		"buy_security":          bought,
		"sell_security":         sold,
	}
	for _, t := range tpox.Transactions {
		if t.Answer != "" && answers[t.Name] == nil {
			if answers[t.Name], err = api.Examples.ReadFile("examples/" + t.Name + ".response.xml"); err != nil {
				return nil, account, err
			}
		}
	}
	for name, answer := range answers {
		answers[name] = slices.Clip(answer) // so that not even an append by a caller reaches another's bytes
	}
	return answers, account, nil
}

func (s *Store) GetOrder(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return answer(ctx, s.answers["get_order"])
}

func (s *Store) CustomerMaxOrder(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return answer(ctx, s.answers["customer_max_order"])
}

func (s *Store) UpdateOrderStatus(ctx context.Context, _ tpox.Write, _ tpox.ID, _ string) ([]byte, error) {
	return answer(ctx, s.answers["update_order_status"])
}

func (s *Store) DeleteOrder(ctx context.Context, _ tpox.Write, _ tpox.ID) error { return ctx.Err() }

func (s *Store) CustomerProfile(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return answer(ctx, s.answers["customer_profile"])
}

func (s *Store) AccountSummary(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return answer(ctx, s.answers["account_summary"])
}

func (s *Store) DeleteCustomer(ctx context.Context, _ tpox.Write, _ tpox.ID) error { return ctx.Err() }

func (s *Store) CloseAccount(ctx context.Context, _ tpox.Write, _, _ tpox.ID) error { return ctx.Err() }

func (s *Store) GetSecurity(ctx context.Context, _ string) ([]byte, error) {
	return answer(ctx, s.answers["get_security"])
}

func (s *Store) SecurityPrice(ctx context.Context, _ string) ([]byte, error) {
	return answer(ctx, s.answers["get_security_price"])
}

func (s *Store) GetCustomer(ctx context.Context, _ tpox.ID) ([]byte, error) {
	return answer(ctx, s.answers["get_customer"])
}

// GetAccount returns the first account of the only customer.
func (s *Store) GetAccount(ctx context.Context, _ tpox.ID) (tpox.Account, error) {
	return s.account, ctx.Err()
}

// SearchSecurities finds the same hits for every search, and none after them.
func (s *Store) SearchSecurities(ctx context.Context, search tpox.Search) ([]byte, error) {
	if search.After != "" {
		return tpox.SearchAnswer(0, nil), ctx.Err()
	}
	return answer(ctx, s.answers["search_securities"])
}

func (s *Store) OpenAccount(
	ctx context.Context, _ tpox.Write, _ tpox.ID, account []byte,
) (tpox.ID, error) {
	return keys(ctx, account, tpox.AccountKeyOf)
}

func (s *Store) UpdateSecurityPrice(
	ctx context.Context, _ tpox.Write, _ string, p tpox.Price,
) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return answer(ctx, s.answers["update_security_price"])
}

// Trade is buy_security and sell_security.
func (s *Store) Trade(ctx context.Context, _ tpox.Write, _ tpox.ID, t tpox.Trade) ([]byte, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if _, err := t.TermsAt(s.quote); err != nil {
		return nil, err
	}
	if t.Side == tpox.Sell {
		return answer(ctx, s.answers["sell_security"])
	}
	return answer(ctx, s.answers["buy_security"])
}

func (s *Store) InsertOrder(ctx context.Context, _ tpox.Write, doc []byte) (tpox.ID, error) {
	k, err := keys(ctx, doc, tpox.OrderKeysOf)
	return k.ID, err
}

func (s *Store) InsertCustomer(ctx context.Context, _ tpox.Write, doc []byte, _ bool) (tpox.ID, error) {
	k, err := keys(ctx, doc, tpox.CustomerKeysOf)
	return k.ID, err
}

// ReplaceCustomer accepts a customer with any id.
func (s *Store) ReplaceCustomer(
	ctx context.Context, _ tpox.Write, _ tpox.ID, doc []byte, _ bool, _ tpox.Match,
) error {
	_, err := keys(ctx, doc, tpox.CustomerKeysOf)
	return err
}

// ReplaceSecurity accepts a security with any symbol.
func (s *Store) ReplaceSecurity(
	ctx context.Context, _ tpox.Write, _ string, doc []byte, _ bool, _ tpox.Match,
) error {
	_, err := keys(ctx, doc, tpox.SecurityKeysOf)
	return err
}

// answer returns what was made at Open, unless the caller has given up.
func answer(ctx context.Context, made []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return made, nil
}

// keys reads the keys of a document, unless the caller has given up.
func keys[K any](ctx context.Context, doc []byte, of func([]byte) (K, error)) (k K, err error) {
	if err := ctx.Err(); err != nil {
		return k, err
	}
	return of(doc)
}
