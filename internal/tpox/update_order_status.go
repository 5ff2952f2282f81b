package tpox

import (
	"errors"

	"brokerage/internal/schema"
	"brokerage/internal/xmldoc"
)

var (
	orderStatusBody = schema.Body("order-messages.xsd", "OrderStatus")
	newStatus       = path("f:OrderStatus/@Stat")
)

// ReadOrderStatus returns the status in the body of update_order_status. The error is *Invalid.
func ReadOrderStatus(body []byte) (stat string, err error) {
	if err := validate(orderStatusBody(), body); err != nil {
		return "", err
	}
	return text(newStatus.Find(xmldoc.Document(body))), nil
}

// SetOrderStatus sets the status of an order, and constructs the answer of update_order_status. The caller validates
// the changed order: this function does not check that FIX has such a status.
func SetOrderStatus(doc []byte, stat string) (changed, answer []byte, err error) {
	e := xmldoc.Edit(doc)
	e.SetAttr(orderElement.Find(xmldoc.Document(doc)), "Stat", stat)
	switch changed, err = e.Apply(nil); {
	case errors.Is(err, xmldoc.ErrText):
		return nil, nil, invalidf("/OrderStatus/@Stat", "not a text that XML can hold")
	case err != nil:
		return nil, nil, err
	}
	return changed, xmldoc.AppendEmpty(nil, "OrderStatus", "xmlns", FIXMLNS, "Stat", stat), nil
}
