package dataset

import "time"

// NewOrder has the values of an order that a caller sets. Zero fields keep the generated value.
type NewOrder struct {
	ID      int64
	Account int64
	Symbol  string
	Time    time.Time // of the transaction; the trade date follows. From 1970 to 9999.
}

// AppendNewOrder appends order i with the values of p, generated as by [Dataset.Append]. It is for orders to insert: i
// is any number from 0, and beyond the end of the dataset it repeats no stored order.
func (d *Dataset) AppendNewOrder(dst []byte, i int64, p NewOrder) []byte {
	return d.appendOrder(dst, i, p, nil)
}

// Code lists of FIX 4.4, with weights for frequent codes. Where the kit's sample has random text although FIX has a
// list (currencies, countries, exchanges, BookingUnit), there is random text here too.
var (
	accountIDSources  = newCodes("99:9 1:2 2:3 3:2 4:1 5:1")
	accountTypes      = newCodes("1:8 2:2 3:3 4:1 6:1 7:1 8:2")
	clearingFees      = newCodes("C:6 B:3 E:2 F H I L M 1 2 3 4 5 9")
	ordersInForce     = newCodes("0:10 1:6 3:2 4 6:3 2 5 7")
	restrictions      = newCodes("1:3 2:2 3 4 5:2 6 7:2 8 9 A")
	covered           = newCodes("0 1")
	targetStrategies  = newCodes("1:4 2:2 3")
	cancellations     = newCodes("Y:4 N:3 M O")
	laundering        = newCodes("Y:6 N 1:2 2 3")
	sides             = newCodes("1:24 2:20 5:4 6 7 8 3 4 9 A B C D E F G")
	orderTypes        = newCodes("1:12 2:14 3:3 4:3 6 7 8 9 D E G I J K L M P:2")
	quantityTypes     = newCodes("0:5 1")
	flags             = newCodes("Y N")
	products          = newCodes("5:12 3:3 6:2 4:2 1 2 7 8 9 10 11 12 13")
	instrumentTypes   = newCodes("CS:20 PS:3 CORP:4 MF:6 NONE:4 CB:2 OPT:2 FUT TBOND TBILL GO MTN WAR REPO FOR CD")
	securityIDSources = newCodes("1:6 2:3 4:6 8:3 5:2 3 6 7 9 A B C D E F G H I J")
	paperPrograms     = newCodes("1:3 2:2 99")
	roundings         = newCodes("0:3 1 2")
	integerDigits     = newCodes("1:2 2:5 3:14 4:30 5:27 6:15 7:6 8:1")
)

// Code lists of the attributes that only tpox-1 has.
var (
	settlementTypes    = newCodes("0:8 3:4 1:2 2 4 5 6 7 8 9")
	handlings          = newCodes("1:6 2:3 3")
	priceTypes         = newCodes("1:2 2:8 3 4 5 6 7 8 9 10 11")
	capacities         = newCodes("A:4 P:3 G I:3 R W")
	customerCapacities = newCodes("1 2 3 4:4")
	bookingTypes       = newCodes("0:5 1 2")
	partySources       = newCodes("D:6 B:3 C:2 E F G H I 1 2 3 4 5 6 7 8 9 A")
	partyRoles         = newCodes("1:5 3:4 4:2 7:2 11:3 12:2 13:2 17 24 36 38:2 2 5 6 8 9 10 14 15 16")
	registries         = newCodes("BIC:2 ISO:2 ZZ")
	partySubTypes      = newCodes("1 2:3 3 4 5:3 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26")
)

// orderRefs are the references and the time of an order. They come from a stream of their own, so that replacing them
// changes nothing else.
type orderRefs struct {
	account  int64
	security int
	seconds  int
}

const tradingDays = 3 * 365 // orders lie in the last three years of the world

func (d *Dataset) orderRefs(i int64) orderRefs {
	r := stream(d.keys[forOrderRefs], i)
	from, n := int64(0), d.TotalAccounts() // of an order beyond the dataset: any account
	for _, t := range d.tiers {
		if i < t.orders {
			from, n = t.firstAccount, t.nAccounts
			break
		}
	}
	return orderRefs{
		account:  d.AccountAt(from + int64(r.below(int(n)))),
		security: d.popular.draw(&r),
		seconds:  (horizon-r.below(tradingDays))*secondsPerDay - r.between(1, secondsPerDay),
	}
}

// appendOrder writes an order in the shape of the kit's sample: the same attributes in the same order, with random text
// where it has random text. More regular data would compress better than real data.
func (d *Dataset) appendOrder(dst []byte, i int64, p NewOrder, slots *[]slot) []byte {
	g := d.gen(dst, forOrder, i, slots)
	o := orderGen{gen: &g, long: d.spec.Profile == TPoX1, refs: d.orderRefs(i), id: d.ID(Order, i), symbol: p.Symbol}
	if p.ID != 0 {
		o.id = p.ID
	}
	if p.Account != 0 {
		o.refs.account = p.Account
	}
	if !p.Time.IsZero() {
		o.refs.seconds = int(p.Time.Unix())
	}
	o.str(`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"` +
		` xsi:schemaLocation="http://www.fixprotocol.org/FIXML-4-4 fixml-main-4-4.xsd" v="4.4" r="20030618" s="20040109">`)
	o.order()
	o.str("</FIXML>")
	return g.b
}

// orderGen writes orders. Attributes of tpox-1 are in blocks with "if o.long", where FIXML 4.4 has them.
type orderGen struct {
	*gen
	refs   orderRefs
	id     int64
	symbol string // "" for that of refs
	long   bool   // tpox-1
}

func (o *orderGen) order() {
	o.str("<Order")
	o.identity()
	o.handling()
	o.pricing()
	o.conditions()
	o.settlement()
	o.str(">")
	o.header()
	if o.long {
		for range o.between(1, 2) {
			o.party()
		}
	}
	o.instrument()
	o.quantity()
	o.str("</Order>")
}

// identity writes the attributes that say which order it is, its date and its account.
func (o *orderGen) identity() {
	o.str(` ID="`)
	o.open("order")
	o.int(o.id)
	o.close()
	o.str(`"`)
	if o.long {
		o.number("ID2")
	}
	o.day("OrignDt")
	o.beginAttr("TrdDt")
	o.open("date")
	o.date(o.refs.seconds / secondsPerDay)
	o.close()
	o.endAttr()
	o.beginAttr("Acct")
	o.open("account")
	o.int(o.refs.account)
	o.close()
	o.endAttr()
	o.code("AcctIDSrc", accountIDSources)
	o.code("AcctTyp", accountTypes)
}

// handling writes how the order is booked, cleared and routed.
func (o *orderGen) handling() {
	o.text("BkngUnit")
	if o.long {
		o.code("SettlTyp", settlementTypes)
		o.day("SettlDt")
	}
	o.code("ClrFeeInd", clearingFees)
	if o.long {
		o.code("HandlInst", handlings)
		o.price("MinQty")
		o.text("ExDest")
	}
}

// pricing writes prices and their currency, and when the order was sent.
func (o *orderGen) pricing() {
	o.price("PrevClsPx")
	o.beginAttr("TxnTm")
	o.open("datetime")
	o.dateTime(o.refs.seconds)
	o.close()
	o.endAttr()
	if o.long {
		o.code("PxTyp", priceTypes)
		o.price("Px")
	}
	if o.mostly() {
		o.price("StopPx")
	}
	o.text("Ccy")
}

// conditions writes what the order is bound to, and remarks.
func (o *orderGen) conditions() {
	if o.mostly() {
		o.text("ComplianceID")
	}
	o.number("IOIID")
	if o.long {
		o.number("QID")
	}
	o.code("TmInForce", ordersInForce)
	if o.mostly() {
		o.day("ExpireDt")
	}
	if o.long {
		o.code("Cpcty", capacities)
	}
	o.code("Rstctions", restrictions)
	if o.long {
		o.code("CustCpcty", customerCapacities)
	}
	o.text("SettlCcy")
	if o.long {
		o.code("BkngTyp", bookingTypes)
	}
	if o.mostly() {
		o.text("Txt")
	}
	if o.mostly() {
		o.length("EncTxtLen")
		o.text("EncTxt")
	}
}

// settlement writes settlement, strategy and side.
func (o *orderGen) settlement() {
	o.day("SettlDt2")
	o.price("Qty2")
	if o.long {
		o.price("Px2")
	}
	o.code("Covered", covered)
	o.code("TgtStrategy", targetStrategies)
	o.price("ParticipationRt")
	o.code("CxllationRights", cancellations)
	o.code("MnyLaunderingStat", laundering)
	o.number("RegistID")
	o.code("Side", sides)
	o.code("LocReqd", flags)
	o.code("QtyTyp", quantityTypes)
	o.code("Typ", orderTypes)
	o.code("SolFlag", flags)
}

func (o *orderGen) header() {
	o.str("<Hdr")
	o.number("SID")
	o.number("D2ID")
	o.text("SSub")
	if o.mostly() {
		o.text("D2Sub")
	}
	o.moment("Snt")
	o.text("MsgEncd")
	o.length("SeqNum")
	o.code("PosRsnd", flags)
	o.str(">")
	o.hop()
	if o.long {
		for range o.below(4) {
			o.hop()
		}
	}
	o.str("</Hdr>")
}

func (o *orderGen) hop() {
	o.str("<Hop")
	o.number("ID")
	o.beginAttr("Ref")
	o.int(int64(o.between(1, 99)))
	o.endAttr()
	o.moment("Snt")
	o.str("></Hop>")
}

func (o *orderGen) party() {
	o.str("<Pty")
	o.text("ID")
	o.code("Src", partySources)
	o.code("R", partyRoles)
	o.str("><Sub")
	o.text("ID")
	o.code("Typ", partySubTypes)
	o.str("></Sub></Pty>")
}

func (o *orderGen) instrument() {
	o.str("<Instrmt")
	o.number("ID")
	o.code("Prod", products)
	o.code("SecTyp", instrumentTypes)
	o.text("SubTyp")
	o.day("Issued")
	o.length("RepoTrm")
	o.price("RepoRt")
	o.price("Fctr")
	o.text("CrdRtg")
	if o.long {
		o.code("Rgstry", registries)
	}
	o.text("IssuCtry")
	o.text("StPrv")
	o.text("Lcl")
	if o.mostly() {
		o.day("Redeem")
	}
	o.price("Strk")
	if o.mostly() {
		o.text("OptAt")
	}
	o.price("CpnRt")
	o.text("Exch")
	if o.long {
		o.text("Issr")
	}
	if o.mostly() {
		o.text("Desc")
	}
	o.length("EncSecDescLen")
	o.text("EncSecDesc")
	if o.mostly() {
		o.text("Pool")
	}
	o.code("CPPgm", paperPrograms)
	o.day("Dated")
	o.day("IntAcrl")
	o.beginAttr("Sym")
	o.open("symbol")
	if o.symbol != "" {
		o.str(o.symbol)
	} else {
		o.b = AppendSymbol(o.b, o.refs.security)
	}
	o.close()
	o.endAttr()
	o.code("Src", securityIDSources)
	o.str("></Instrmt>")
}

func (o *orderGen) quantity() {
	o.str("<OrdQty")
	o.length("Qty")
	o.beginAttr("Cash")
	o.amount()
	o.endAttr()
	o.code("RndDir", roundings)
	o.str("></OrdQty>")
}

// amount writes an amount. Amounts spread over eight orders of magnitude, so that comparing them as strings gives wrong
// answers.
func (o *orderGen) amount() {
	o.digits(1 + integerDigits.index(&o.rng))
	o.char('.')
	o.chars(decimalDigits, 2)
}

// mostly reports whether to write an optional attribute: in 15 of 16 cases.
func (o *orderGen) mostly() bool { return o.next()>>60 != 0 }

func (o *orderGen) code(name string, list *codes) { o.attr(name, list.pick(&o.rng)) }

// text writes 2 to 13 random characters, as the kit's sample has.
func (o *orderGen) text(name string) {
	o.beginAttr(name)
	o.chars(printable, o.between(2, 13))
	o.endAttr()
}

// number writes an id of ten digits.
func (o *orderGen) number(name string) {
	o.beginAttr(name)
	o.digits(10)
	o.endAttr()
}

func (o *orderGen) length(name string) {
	o.beginAttr(name)
	o.int(int64(o.between(1, 5000)))
	o.endAttr()
}

func (o *orderGen) price(name string) {
	o.beginAttr(name)
	o.decimal(int64(o.between(100, 500_000)), 2)
	o.endAttr()
}

func (o *orderGen) someDay() int { return horizon - o.below(tradingDays) }

func (o *orderGen) day(name string) {
	o.beginAttr(name)
	o.date(o.someDay())
	o.endAttr()
}

func (o *orderGen) moment(name string) {
	o.beginAttr(name)
	o.dateTime(o.someDay()*secondsPerDay - o.between(1, secondsPerDay))
	o.endAttr()
}
