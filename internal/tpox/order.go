package tpox

import "brokerage/internal/xmldoc"

// OrderKeys are the keys of an order in a store. Cash is nil if the first OrdQty of the order, which need not be
// valid, has none that is a decimal.
type OrderKeys struct {
	ID, Account ID
	Cash        []byte // a SortKey
}

var (
	orderElement = path("f:FIXML/f:Order")
	orderParts   = paths("@ID", "@Acct", "f:OrdQty[1]/@Cash") // of the first Order
)

// OrderKeysOf returns the keys of an order, or *Invalid if the document is no FIXML order or its id or account is
// missing or malformed.
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
