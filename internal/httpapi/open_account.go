package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var openAccount = &operation{
	name: "open_account", method: http.MethodPost, path: "/v1/customers/:customer/accounts", scope: access.Trade,
	handle: (*request).openAccount,
}

func (q *request) openAccount() error {
	customer, err := q.key("customer")
	if err != nil {
		return err
	}
	open := func(w brokerage.Write, account []byte) (brokerage.ID, error) {
		return q.server.store.OpenAccount(q.ctx, w, customer, account)
	}
	return q.insert("/v1/accounts/", brokerage.CheckAccount, open)
}
