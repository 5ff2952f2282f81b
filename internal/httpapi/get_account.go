package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var getAccount = &operation{
	name: "get_account", method: http.MethodGet, path: "/v1/accounts/:account", scope: access.Read,
	handle: (*request).getAccount,
}

func (q *request) getAccount() error {
	id, err := q.key("account")
	if err != nil {
		return err
	}
	if err := q.accepts(); err != nil {
		return err
	}
	customer, err := q.server.store.CustomerOf(q.ctx, id)
	if err != nil {
		return err
	}
	return q.answer(element("Account", "id", id.String(), "customer", customer.String()))
}
