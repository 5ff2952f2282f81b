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
	account, err := q.body()
	if err != nil {
		return err
	}
	if err := brokerage.CheckAccount(account); err != nil {
		return err
	}
	return q.insert(account, "/v1/accounts/", func(w brokerage.Write) (brokerage.ID, error) {
		return q.server.store.OpenAccount(q.ctx, w, customer, account)
	})
}
