package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "sell_security", method: http.MethodPost, path: "/v1/accounts/:account/sell", scope: access.Trade,
	links:  describedBy("custacc-messages.xsd"),
	handle: trade(tpox.Sell),
})
