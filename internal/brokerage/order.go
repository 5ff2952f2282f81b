package brokerage

import (
	"errors"

	"brokerage/internal/xmldoc"
)

// OrderKeys are what an order is found by. Cash is nil where the first OrdQty of an
// order, which need not be valid, has none that is a decimal.
type OrderKeys struct {
	ID, Account ID
	Cash        []byte // a SortKey
}

var (
	orderElement = path("f:FIXML/f:Order")
	orderParts   = paths("@ID", "@Acct", "f:OrdQty[1]/@Cash") // of that one element, should there be more
)

// OrderKeysOf reads the keys; a document without proper ones is *Invalid.
func OrderKeysOf(doc []byte) (keys OrderKeys, err error) {
	order := orderElement.Find(in(doc))
	if !order.Exists() {
		return keys, invalidf("", "the root element is not FIXML with an Order, in namespace %s", FIXMLNS)
	}
	var part [3]xmldoc.Node
	orderParts.Find(order, part[:])
	invalid := &Invalid{}
	var ok bool
	if keys.ID, ok = ParseID(part[0].Text()); !ok {
		invalid.add("/FIXML/Order/@ID", notAnID)
	}
	if keys.Account, ok = ParseID(part[1].Text()); !ok {
		invalid.add("/FIXML/Order/@Acct", notAnID)
	}
	keys.Cash, _ = SortKey(text(part[2]))
	return keys, invalid.orNil()
}

// Order cuts the answer of get_order out of the message.
func Order(doc []byte) []byte {
	return orderElement.Find(in(doc)).AppendStandalone(make([]byte, 0, len(doc)))
}

// MaxOrder constructs the answer of customer_max_order; doc is nil where the
// customer has no order.
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

// SetOrderStatus gives an order a status, and the answer to who asked for it.
// Whether the status is one of FIX's, the schema says.
func SetOrderStatus(doc []byte, stat string) (changed, answer []byte, err error) {
	e := xmldoc.Edit(doc)
	e.SetAttr(orderElement.Find(in(doc)), "Stat", stat)
	switch changed, err = e.Apply(nil); {
	case errors.Is(err, xmldoc.ErrText):
		return nil, nil, invalidf("/OrderStatus/@Stat", "not a text that XML can hold")
	case err != nil:
		return nil, nil, err
	}
	answer = attribute(root(nil, "OrderStatus", FIXMLNS), "Stat", stat)
	return changed, append(answer, "></OrderStatus>"...), nil
}
