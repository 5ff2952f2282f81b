package httpapi

import (
	"net/http"

	"brokerage/internal/access"
)

var accountSummary = &operation{
	name: "account_summary", method: http.MethodGet, path: "/v1/customers/:customer/statement", scope: access.Read,
	handle: (*request).accountSummary,
}

func (q *request) accountSummary() error {
	id, err := q.key("customer")
	return read(q, id, err, q.server.store.AccountSummary, q.answer)
}
