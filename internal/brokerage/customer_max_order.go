package brokerage

import "brokerage/internal/xmldoc"

// MaxOrder constructs the answer of customer_max_order. doc is nil for a customer without orders.
func MaxOrder(customer ID, doc []byte) []byte {
	dst := root(make([]byte, 0, 256+len(doc)), "Customer_Max_Order", FIXMLNS)
	dst = attribute(dst, "CUSTOMERID", customer.String())
	order := orderElement.Find(in(doc))
	if doc != nil {
		var part [3]xmldoc.Node
		orderParts.Find(order, part[:])
		dst = attribute(dst, "ORDER_ID", text(part[0]))
		dst = attribute(dst, "CASH", text(part[2]))
	}
	dst = append(dst, '>')
	dst = order.AppendWithin(dst, FIXMLNS)
	return closed(dst, "Customer_Max_Order")
}
