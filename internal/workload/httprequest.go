package workload

import (
	"strconv"

	"brokerage/internal/brokerage"
)

// requestWriter writes the first line and the body of a call's request, after
// what it is given, without an allocation.
type requestWriter struct {
	base    string   // path of the service
	sectors []string // percent-encoded
}

// line writes method and path.
func (w *requestWriter) line(dst []byte, c *call) []byte {
	switch c.transaction {
	case getOrder:
		return id(w.start(dst, "GET ", "/v1/orders/"), c.id)
	case deleteOrder:
		return id(w.start(dst, "DELETE ", "/v1/orders/"), c.id)
	case updateOrderStatus:
		return append(id(w.start(dst, "PUT ", "/v1/orders/"), c.id), "/status"...)
	case insertOrder:
		return w.start(dst, "POST ", "/v1/orders")

	case getSecurity:
		return append(w.start(dst, "GET ", "/v1/securities/"), c.symbol...)
	case getSecurityPrice:
		return append(append(w.start(dst, "GET ", "/v1/securities/"), c.symbol...), "/price"...)
	case updateSecurityPrice:
		return append(append(w.start(dst, "PUT ", "/v1/securities/"), c.symbol...), "/price"...)
	case searchSecurities:
		dst = append(w.start(dst, "GET ", "/v1/securities?sector="), w.sectors[c.search.sector]...)
		dst = strconv.AppendInt(append(dst, "&peMin="...), c.search.peMin, 10)
		dst = strconv.AppendInt(append(dst, "&peMax="...), c.search.peMax, 10)
		return strconv.AppendInt(append(dst, "&yieldMin="...), c.search.yieldMin, 10)

	case customerProfile:
		return append(id(w.start(dst, "GET ", "/v1/customers/"), c.id), "/profile"...)
	case accountSummary:
		return append(id(w.start(dst, "GET ", "/v1/customers/"), c.id), "/statement"...)
	case customerMaxOrder:
		return append(id(w.start(dst, "GET ", "/v1/customers/"), c.id), "/orders/largest"...)
	case insertCustomer:
		return validation(w.start(dst, "POST ", "/v1/customers"), c)
	case deleteCustomer:
		return id(w.start(dst, "DELETE ", "/v1/customers/"), c.id)
	case openAccount:
		return append(id(w.start(dst, "POST ", "/v1/customers/"), c.id), "/accounts"...)
	case closeAccount:
		return id(append(id(w.start(dst, "DELETE ", "/v1/customers/"), c.id), "/accounts/"...), c.account)

	case buySecurity:
		return append(id(w.start(dst, "POST ", "/v1/accounts/"), c.id), "/buy"...)
	case sellSecurity:
		return append(id(w.start(dst, "POST ", "/v1/accounts/"), c.id), "/sell"...)
	default:
		return w.document(dst, "GET ", c)
	}
}

// document names the whole document that an update of the older mix is about.
func (w *requestWriter) document(dst []byte, method string, c *call) []byte {
	if c.transaction == updSecurity {
		return append(w.start(dst, method, "/v1/securities/"), c.symbol...)
	}
	return id(w.start(dst, method, "/v1/customers/"), c.id)
}

func (w *requestWriter) start(dst []byte, method, path string) []byte {
	return append(append(append(dst, method...), w.base...), path...)
}

func id(dst []byte, id brokerage.ID) []byte { return strconv.AppendInt(dst, int64(id), 10) }

func validation(dst []byte, c *call) []byte {
	if c.validate {
		return dst
	}
	return append(dst, "?validate=no"...)
}

// body writes the body; nothing where a request has none.
func (w *requestWriter) body(dst []byte, c *call) []byte {
	switch c.transaction {
	case insertOrder, insertCustomer, openAccount:
		return append(dst, c.doc...)
	case updateSecurityPrice:
		dst = append(dst, `<Price xmlns="`+brokerage.SecurityNS+`"><LastTrade>`...)
		return append(appendCents(dst, c.price), "</LastTrade></Price>"...)
	case updateOrderStatus:
		dst = append(dst, `<OrderStatus xmlns="`+brokerage.FIXMLNS+`" Stat="`...)
		return append(append(dst, c.status...), `"></OrderStatus>`...)
	case buySecurity, sellSecurity:
		dst = append(append(dst, `<Trade xmlns="`+brokerage.CustAccNS+`"><Symbol>`...), c.symbol...)
		dst = strconv.AppendInt(append(dst, "</Symbol><Quantity>"...), c.quantity, 10)
		return append(dst, "</Quantity></Trade>"...)
	default:
		return dst
	}
}
