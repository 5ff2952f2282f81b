package httpapi

import (
	"context"
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var getAccount = &operation{
	name: "get_account", method: http.MethodGet, path: "/v1/accounts/:account", scope: access.Read,
	links:  describedBy("service.xsd"),
	handle: query(byID("account"), accountOf, (*request).answer),
}

func accountOf(s brokerage.Store, ctx context.Context, id brokerage.ID) ([]byte, error) {
	customer, err := s.CustomerOf(ctx, id)
	return element("Account", "id", id.String(), "customer", customer.String()), err
}
