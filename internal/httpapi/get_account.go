package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var getAccount = &operation{
	name: "get_account", method: http.MethodGet, path: "/v1/accounts/:account", scope: access.Read,
	links:  describedBy("custacc-messages.xsd"),
	handle: query(byID("account"), tpox.Store.GetAccount, (*request).account),
}

func (q *request) account(account tpox.Account) error {
	q.related = "</v1/customers/" + account.Customer.String() + `>; rel="up"`
	return q.document(account.Document)
}
