package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var getAccount = &operation{
	name: "get_account", method: http.MethodGet, path: "/v1/accounts/:account", scope: access.Read,
	links:  describedBy("custacc-messages.xsd"),
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
	ctx, err := q.fresh()
	if err != nil {
		return err
	}
	account, err := q.server.store.GetAccount(ctx, id)
	if err != nil {
		return err
	}
	q.related = "</v1/customers/" + account.Customer.String() + `>; rel="up"`
	return q.document(account.Document)
}
