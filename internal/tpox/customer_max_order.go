package tpox

import "brokerage/internal/xmldoc"

// MaxOrder constructs the answer of customer_max_order. doc is nil for a customer without orders.
func MaxOrder(customer ID, doc []byte) []byte {
	attributes := append(make([]string, 0, 8), "xmlns", FIXMLNS, "CUSTOMERID", customer.String())
	order := orderElement.Find(xmldoc.Document(doc))
	if doc != nil {
		var part [3]xmldoc.Node
		orderParts.Find(order, part[:])
		attributes = append(attributes, "ORDER_ID", text(part[0]), "CASH", text(part[2]))
	}
	dst := xmldoc.AppendStart(make([]byte, 0, 256+len(doc)), "Customer_Max_Order", attributes...)
	return append(order.AppendWithin(dst, FIXMLNS), "</Customer_Max_Order>"...)
}
