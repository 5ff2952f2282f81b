package tpox

import "brokerage/internal/xmldoc"

var priceParts = paths(
	"s:Security/s:Symbol", "s:Security/s:Name", "s:Security/s:Price[1]/s:LastTrade", "s:Security/s:Price[1]/s:Ask",
	"s:Security/s:Price[1]/s:Bid", "s:Security/s:Price[1]/s:PriceToday[1]/s:Open",
)

// SecurityPrice constructs the answer of get_security_price.
func SecurityPrice(doc []byte) []byte {
	var part [6]xmldoc.Node
	priceParts.Find(xmldoc.Document(doc), part[:])
	dst := xmldoc.AppendStart(make([]byte, 0, 512), "Security_Price", "xmlns", SecurityNS, "SYMBOL", text(part[0]))
	for _, n := range part[1:] {
		dst = n.AppendWithin(dst, SecurityNS)
	}
	return append(dst, "</Security_Price>"...)
}
