package brokerage

import "brokerage/internal/xmldoc"

var (
	summaryParts = paths("c:Customer/@id", "c:Customer/c:Name")
	accountParts = paths("@id", "c:Balance[1]/c:OnlineActualBal", "c:Currency", "c:Holdings", "c:gValueDate")
	valueDates   = path("c:mValueDate")
)

// AccountSummary constructs the answer of account_summary.
func AccountSummary(doc []byte) []byte {
	var head [2]xmldoc.Node
	summaryParts.Find(in(doc), head[:])
	dst := root(make([]byte, 0, len(doc)), "Customer", CustAccNS)
	dst = append(attribute(dst, "id", text(head[0])), '>')
	dst = head[1].AppendWithin(dst, CustAccNS)
	dst = open(dst, "Customer_Securities")
	for account := range accounts.All(in(doc)) {
		var part [5]xmldoc.Node
		accountParts.Find(account, part[:])
		dst = append(dst, "<Account"...)
		dst = attribute(dst, "ACCOUNT_ID", text(part[0]))
		dst = attribute(dst, "BALANCE", text(part[1]))
		dst = attribute(dst, "CURRENCY", text(part[2]))
		dst = append(dst, "><Securities>"...)
		for position := range positions.All(part[3]) {
			var part [3]xmldoc.Node
			positionParts.Find(position, part[:])
			dst = open(dst, "Position")
			for _, n := range part {
				dst = n.AppendWithin(dst, CustAccNS)
			}
			dst = closed(dst, "Position")
		}
		dst = append(dst, "</Securities><Statement>"...)
		for date := range valueDates.All(part[4]) {
			dst = date.AppendWithin(dst, CustAccNS)
		}
		dst = append(dst, "</Statement></Account>"...)
	}
	return append(dst, "</Customer_Securities></Customer>"...)
}
