package tpox

import (
	"brokerage/internal/schema"
	"brokerage/internal/xmldoc"
)

// Price is a new price of a security, in the client's notation, which is kept. An empty Ask or Bid leaves that of the
// security unchanged.
type Price struct {
	LastTrade, Ask, Bid string
}

var (
	priceBody = schema.Body("security-messages.xsd", "Price")
	newPrice  = paths("s:Price/s:LastTrade", "s:Price/s:Ask", "s:Price/s:Bid")
)

// ReadPrice reads the body of update_security_price. The error is *Invalid.
func ReadPrice(body []byte) (p Price, err error) {
	if err := validate(priceBody(), body); err != nil {
		return p, err
	}
	var part [3]xmldoc.Node
	newPrice.Find(xmldoc.Document(body), part[:])
	return Price{LastTrade: decimalText(part[0]), Ask: decimalText(part[1]), Bid: decimalText(part[2])}, nil
}

// Validate checks the prices. The error is *Invalid.
func (p Price) Validate() error {
	invalid := &Invalid{}
	for i, value := range [...]string{p.LastTrade, p.Ask, p.Bid} {
		if _, ok := Scaled(value); !ok && (i == 0 || value != "") {
			invalid.add("/Price/"+changedNames[i], "not a price: "+ScaledForm)
		}
	}
	return invalid.orNil()
}

// changedNames are the names of changedParts in messages.
var changedNames = [...]string{"LastTrade", "Ask", "Bid", "PriceToday/High", "PriceToday/Low"}

var changedParts = paths(
	"s:Security/s:Price[1]/s:LastTrade", "s:Security/s:Price[1]/s:Ask", "s:Security/s:Price[1]/s:Bid",
	"s:Security/s:Price[1]/s:PriceToday[1]/s:High", "s:Security/s:Price[1]/s:PriceToday[1]/s:Low",
)

// SetPrice sets the price of a security, and adjusts today's high and low. The error is *Invalid.
func SetPrice(doc []byte, p Price) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	var part [5]xmldoc.Node
	changedParts.Find(xmldoc.Document(doc), part[:])
	for i, name := range changedNames {
		if !part[i].Exists() {
			return nil, invalidf("/Security/Price/"+name, "is missing in the security")
		}
	}
	e := xmldoc.Edit(doc)
	for i, value := range [...]string{p.LastTrade, p.Ask, p.Bid} {
		if value != "" {
			e.SetText(part[i], value)
		}
	}
	last, _ := parseDecimal(p.LastTrade)
	if high, ok := parseDecimal(text(part[3])); !ok || last.GreaterThan(high) {
		e.SetText(part[3], p.LastTrade)
	}
	if low, ok := parseDecimal(text(part[4])); !ok || last.LessThan(low) {
		e.SetText(part[4], p.LastTrade)
	}
	return e.Apply(nil)
}
