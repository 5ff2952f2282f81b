package brokerage

import (
	"strings"
	"time"

	"brokerage/internal/schema"
	"brokerage/internal/xmldoc"
)

// What clients send beside documents: bodies of their own elements, in the
// normal form. What their schemas refuse is *Invalid.

var (
	tradeParts = paths("c:Trade/c:Symbol", "c:Trade/c:Quantity")
	newPrice   = paths("s:Price/s:LastTrade", "s:Price/s:Ask", "s:Price/s:Bid")
	newStatus  = path("f:OrderStatus/@Stat")
)

// ReadTrade reads a Trade.
func ReadTrade(body []byte, side Side, now time.Time) (t Trade, err error) {
	if err := validate(schema.Trade(), body); err != nil {
		return t, err
	}
	var part [2]xmldoc.Node
	tradeParts.Find(in(body), part[:])
	return Trade{Side: side, Symbol: text(part[0]), Quantity: decimalText(part[1]), Now: now}, nil
}

// ReadPrice reads a Price.
func ReadPrice(body []byte) (p Price, err error) {
	if err := validate(schema.Price(), body); err != nil {
		return p, err
	}
	var part [3]xmldoc.Node
	newPrice.Find(in(body), part[:])
	return Price{LastTrade: decimalText(part[0]), Ask: decimalText(part[1]), Bid: decimalText(part[2])}, nil
}

// ReadOrderStatus reads the Stat of an OrderStatus.
func ReadOrderStatus(body []byte) (stat string, err error) {
	if err := validate(schema.OrderStatus(), body); err != nil {
		return "", err
	}
	return text(newStatus.Find(in(body))), nil
}

// decimalText is a decimal without the white space that may stand around it.
func decimalText(n xmldoc.Node) string { return strings.TrimSpace(text(n)) }

// CheckAccount checks an Account that is to be opened, beyond its key.
func CheckAccount(body []byte) error { return validate(schema.Account(), body) }
