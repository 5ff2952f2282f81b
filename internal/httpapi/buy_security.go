package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var buySecurity = transaction(&operation{
	name: "buy_security", method: http.MethodPost, path: "/v1/accounts/:account/buy", scope: access.Trade,
	links:  describedBy("custacc-messages.xsd"),
	handle: trade(tpox.Buy),
})
