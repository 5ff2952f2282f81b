package tpox

import "brokerage/internal/xmldoc"

var (
	summaryParts = paths("c:Customer/@id", "c:Customer/c:Name")
	accountParts = paths("@id", "c:Balance[1]/c:OnlineActualBal", "c:Currency", "c:Holdings", "c:gValueDate")
	valueDates   = path("c:mValueDate")
)

// AccountSummary constructs the answer of account_summary.
func AccountSummary(doc []byte) []byte {
	var head [2]xmldoc.Node
	summaryParts.Find(xmldoc.Document(doc), head[:])
	dst := xmldoc.AppendStart(make([]byte, 0, len(doc)), "Customer", "xmlns", CustAccNS, "id", text(head[0]))
	dst = append(head[1].AppendWithin(dst, CustAccNS), "<Customer_Securities>"...)
	for account := range accounts.All(xmldoc.Document(doc)) {
		var part [5]xmldoc.Node
		accountParts.Find(account, part[:])
		dst = xmldoc.AppendStart(dst, "Account",
			"ACCOUNT_ID", text(part[0]), "BALANCE", text(part[1]), "CURRENCY", text(part[2]))
		dst = append(dst, "<Securities>"...)
		for position := range positions.All(part[3]) {
			var part [3]xmldoc.Node
			positionParts.Find(position, part[:])
			dst = append(dst, "<Position>"...)
			for _, n := range part {
				dst = n.AppendWithin(dst, CustAccNS)
			}
			dst = append(dst, "</Position>"...)
		}
		dst = append(dst, "</Securities><Statement>"...)
		for date := range valueDates.All(part[4]) {
			dst = date.AppendWithin(dst, CustAccNS)
		}
		dst = append(dst, "</Statement></Account>"...)
	}
	return append(dst, "</Customer_Securities></Customer>"...)
}
