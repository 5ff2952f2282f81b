package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "open_account", method: http.MethodPost, path: "/v1/customers/:customer/accounts", scope: access.Trade,
	handle: (*request).openAccount,
})

func (q *request) openAccount() error {
	customer, err := q.key("customer")
	if err != nil {
		return err
	}
	open := func(w tpox.Write, account []byte) (tpox.ID, error) {
		return q.store.OpenAccount(q.ctx, w, customer, account)
	}
	return q.insert("/v1/accounts/", tpox.CheckAccount, open)
}
