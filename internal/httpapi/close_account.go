package httpapi

import (
	"context"
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var closeAccount = &operation{
	name: "close_account", method: http.MethodDelete,
	path: "/v1/customers/:customer/accounts/:account", scope: access.Trade,
	handle: (*request).closeAccount,
}

func (q *request) closeAccount() error {
	customer, err := q.key("customer")
	if err != nil {
		return err
	}
	return q.remove("account", func(ctx context.Context, w brokerage.Write, account brokerage.ID) error {
		return q.server.store.CloseAccount(ctx, w, customer, account)
	})
}
