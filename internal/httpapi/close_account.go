package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var _ = transaction(&operation{
	name: "close_account", method: http.MethodDelete, path: "/v1/customers/:customer/accounts/:account",
	scope: access.Trade, handle: (*request).closeAccount,
})

func (q *request) closeAccount() error {
	customer, err := q.key("customer")
	if err != nil {
		return err
	}
	account, err := q.key("account")
	if err != nil {
		return err
	}
	if err := q.store.CloseAccount(q.ctx, q.plainWrite(), customer, account); err != nil {
		return err
	}
	return q.noContent(http.StatusNoContent)
}
