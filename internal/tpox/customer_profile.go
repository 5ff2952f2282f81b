package tpox

import "brokerage/internal/xmldoc"

var profileParts = paths(
	"c:Customer/@id", "c:Customer/c:Name", "c:Customer/c:DateOfBirth", "c:Customer/c:Gender",
	"c:Customer/c:CountryOfResidence", "c:Customer/c:Languages", "c:Customer/c:Addresses",
	"c:Customer/c:Addresses[1]/c:EmailAddresses",
)

var addresses = path("c:Address")

// CustomerProfile constructs the answer of customer_profile.
func CustomerProfile(doc []byte) []byte {
	var part [8]xmldoc.Node
	profileParts.Find(xmldoc.Document(doc), part[:])
	dst := xmldoc.AppendStart(make([]byte, 0, 2048), "Customer_Profile", "xmlns", CustAccNS, "CUSTOMERID", text(part[0]))
	for _, n := range part[1:6] {
		dst = n.AppendWithin(dst, CustAccNS)
	}
	dst = append(dst, "<Addresses>"...)
	for address := range addresses.All(part[6]) {
		dst = address.AppendWithin(dst, CustAccNS)
	}
	dst = part[7].AppendWithin(append(dst, "</Addresses>"...), CustAccNS)
	return append(dst, "</Customer_Profile>"...)
}
