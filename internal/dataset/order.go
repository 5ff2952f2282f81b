package dataset

import (
	"cmp"
	"strings"
	"time"
)

// NewOrder has the values of an order that a caller sets. Zero fields keep the generated value.
type NewOrder struct {
	ID      int64
	Account int64
	Symbol  string
	Time    time.Time // of the transaction; the trade date follows from it. From 1970 to 9999.

	slots *[]slot
}

// The attributes of the elements of an order, in the order of the kit's sample, each with the kind of its value: {a
// slot}, which a caller may set; a kind of orderGen.value; or codes of FIX 4.4, with weights for the frequent ones.
// Those with + are only in tpox-1, those with ? are left out of one order in 16, and those with & together with the
// attribute before. Where the sample has random text although FIX has a list (currencies, countries, exchanges,
// BookingUnit), there is random text here too: more regular data would compress better than real data.
var (
	orderAttributes = newAttributes(`ID={order} +ID2=number OrignDt=day TrdDt={date} Acct={account}
		AcctIDSrc=99:9,1:2,2:3,3:2,4,5 AcctTyp=1:8,2:2,3:3,4,6,7,8:2 BkngUnit=text
		+SettlTyp=0:8,3:4,1:2,2,4,5,6,7,8,9 +SettlDt=day ClrFeeInd=C:6,B:3,E:2,F,H,I,L,M,1,2,3,4,5,9
		+HandlInst=1:6,2:3,3 +MinQty=price +ExDest=text PrevClsPx=price TxnTm={datetime}
		+PxTyp=1:2,2:8,3,4,5,6,7,8,9,10,11 +Px=price ?StopPx=price Ccy=text ?ComplianceID=text IOIID=number +QID=number
		TmInForce=0:10,1:6,3:2,4,6:3,2,5,7 ?ExpireDt=day +Cpcty=A:4,P:3,G,I:3,R,W
		Rstctions=1:3,2:2,3,4,5:2,6,7:2,8,9,A +CustCpcty=1,2,3,4:4 SettlCcy=text +BkngTyp=0:5,1,2 ?Txt=text
		?EncTxtLen=length &EncTxt=text SettlDt2=day Qty2=price +Px2=price Covered=0,1 TgtStrategy=1:4,2:2,3
		ParticipationRt=price CxllationRights=Y:4,N:3,M,O MnyLaunderingStat=Y:6,N,1:2,2,3 RegistID=number
		Side=1:24,2:20,5:4,6,7,8,3,4,9,A,B,C,D,E,F,G LocReqd=Y,N QtyTyp=0:5,1
		Typ=1:12,2:14,3:3,4:3,6,7,8,9,D,E,G,I,J,K,L,M,P:2 SolFlag=Y,N`)
	headerAttributes = newAttributes(`SID=number D2ID=number SSub=text ?D2Sub=text Snt=instant MsgEncd=text SeqNum=length
		PosRsnd=Y,N`)
	hopAttributes   = newAttributes(`ID=number Ref=reference Snt=instant`)
	partyAttributes = newAttributes(`ID=text Src=D:6,B:3,C:2,E,F,G,H,I,1,2,3,4,5,6,7,8,9,A
		R=1:5,3:4,4:2,7:2,11:3,12:2,13:2,17,24,36,38:2,2,5,6,8,9,10,14,15,16`)
	partySubAttributes = newAttributes(`ID=text
		Typ=1,2:3,3,4,5:3,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26`)
	instrumentAttributes = newAttributes(`ID=number Prod=5:12,3:3,6:2,4:2,1,2,7,8,9,10,11,12,13
		SecTyp=CS:20,PS:3,CORP:4,MF:6,NONE:4,CB:2,OPT:2,FUT,TBOND,TBILL,GO,MTN,WAR,REPO,FOR,CD SubTyp=text Issued=day
		RepoTrm=length RepoRt=price Fctr=price CrdRtg=text +Rgstry=BIC:2,ISO:2,ZZ IssuCtry=text StPrv=text Lcl=text
		?Redeem=day Strk=price ?OptAt=text CpnRt=price Exch=text +Issr=text ?Desc=text EncSecDescLen=length EncSecDesc=text
		?Pool=text CPPgm=1:3,2:2,99 Dated=day IntAcrl=day Sym={symbol} Src=1:6,2:3,4:6,8:3,5:2,3,6,7,9,A,B,C,D,E,F,G,H,I,J`)
	quantityAttributes = newAttributes(`Qty=length Cash=amount RndDir=0:3,1,2`)

	integerDigits = newCodes("1:2 2:5 3:14 4:30 5:27 6:15 7:6 8:1") // of an amount
)

// attribute is an attribute of an order.
type attribute struct {
	when  byte   // +, ? or &; 0 for always
	start string // up to its value, with the end of the attribute before
	kind  byte   // of the value, if it has no slot: the first letter, see orderGen.value; 0 for one of codes
	slot  string
	codes *codes
}

func newAttributes(list string) (all []attribute) {
	for field := range strings.FieldsSeq(list) {
		name, value, _ := strings.Cut(field, "=")
		a := attribute{when: name[0], start: `" ` + strings.TrimLeft(name, "+?&") + `="`}
		if len(all) == 0 {
			a.start = a.start[1:]
		}
		if a.when >= 'A' {
			a.when = 0
		}
		switch {
		case value[0] == '{':
			a.slot = strings.Trim(value, "{}")
		case value[0] >= 'a':
			a.kind = value[0]
		default:
			a.codes = newCodes(strings.ReplaceAll(value, ",", " "))
		}
		all = append(all, a)
	}
	return all
}

// orderRefs are the references and the time of an order. They come from a stream of their own, so that replacing them
// changes nothing else.
type orderRefs struct {
	account  int64
	security int
	seconds  int
}

const tradingDays = 3 * 365 // orders are from the last three years before horizon

// orderRefs draws the references and the time of the i-th order.
func (d *Dataset) orderRefs(i int64) orderRefs {
	r := stream(d.keys[forOrderRefs], i)
	from, n := int64(0), d.TotalAccounts() // for an order beyond the dataset: any account
	for _, part := range d.increments {
		if i < part.orders {
			from, n = part.firstAccount, part.nAccounts
			break
		}
	}
	return orderRefs{
		account:  d.AccountAt(from + int64(r.below(int(n)))),
		security: d.popular.draw(&r),
		seconds:  (horizon-r.below(tradingDays))*secondsPerDay - r.between(1, secondsPerDay),
	}
}

// orderGen writes an order.
type orderGen struct {
	*gen
	orderRefs
	id     int64
	symbol string // "" for the symbol of orderRefs.security
}

// AppendNewOrder appends order i, as [Dataset.Append] does, but with the values that p sets. i is any number from 0; an
// order beyond the end of the dataset repeats no stored one.
func (d *Dataset) AppendNewOrder(dst []byte, i int64, p NewOrder) []byte {
	g := d.gen(dst, forOrder, i, p.slots)
	o := orderGen{gen: &g, orderRefs: d.orderRefs(i), id: cmp.Or(p.ID, d.ID(Order, i)), symbol: p.Symbol}
	o.account = cmp.Or(p.Account, o.account)
	if !p.Time.IsZero() {
		o.seconds = int(p.Time.Unix())
	}
	long := d.spec.Profile == TPoX1
	o.str(`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"` +
		` xsi:schemaLocation="http://www.fixprotocol.org/FIXML-4-4 fixml-main-4-4.xsd" v="4.4" r="20030618" s="20040109">`)
	o.element("Order", orderAttributes)
	o.element("Hdr", headerAttributes)
	o.element("Hop", hopAttributes)
	o.end("Hop")
	if long {
		for range o.below(4) {
			o.element("Hop", hopAttributes)
			o.end("Hop")
		}
	}
	o.end("Hdr")
	if long {
		for range o.between(1, 2) {
			o.element("Pty", partyAttributes)
			o.element("Sub", partySubAttributes)
			o.str("</Sub></Pty>")
		}
	}
	o.element("Instrmt", instrumentAttributes)
	o.end("Instrmt")
	o.element("OrdQty", quantityAttributes)
	o.str("</OrdQty></Order></FIXML>")
	return g.b
}

// element writes a start tag with attributes.
func (o *orderGen) element(name string, attributes []attribute) {
	o.str("<", name)
	present := true // kept for an attribute with &
	for i := range attributes {
		a := &attributes[i]
		switch a.when {
		case 0:
			present = true
		case '+':
			present = o.d.spec.Profile == TPoX1
		case '?':
			present = o.next()>>60 != 0
		}
		if !present {
			continue
		}
		o.b = append(o.b, a.start...)
		switch {
		case a.codes != nil:
			o.b = append(o.b, o.pick(a.codes)...)
		case a.slot != "":
			o.open(a.slot)
			switch a.slot {
			case "order":
				o.int(o.id)
			case "account":
				o.int(o.account)
			case "date":
				o.date(o.seconds / secondsPerDay)
			case "datetime":
				o.dateTime(o.seconds)
			case "symbol":
				if o.symbol != "" {
					o.str(o.symbol)
				} else {
					o.b = appendSymbol(o.b, o.security)
				}
			default:
				panic("dataset: an order has no slot " + a.slot)
			}
			o.close()
		default:
			o.value(a.kind)
		}
	}
	o.str(`">`)
}

// value writes a value of a kind.
func (o *orderGen) value(kind byte) {
	switch kind {
	case 't': // text, as the kit's sample has it
		o.chars(printable, o.between(2, 13))
	case 'n': // number
		o.digits(10)
	case 'r': // reference
		o.int(int64(o.between(1, 99)))
	case 'l': // length
		o.int(int64(o.between(1, 5000)))
	case 'p': // price
		o.decimal(int64(o.between(100, 500_000)), 2)
	case 'a': // amount: over eight orders of magnitude, so that comparing them as strings gives wrong results
		o.digits(1 + o.index(integerDigits))
		o.char('.')
		o.chars(decimalDigits, 2)
	case 'd': // day
		o.date(horizon - o.below(tradingDays))
	case 'i': // instant
		o.dateTime((horizon-o.below(tradingDays))*secondsPerDay - o.between(1, secondsPerDay))
	default:
		panic("dataset: an order has no value " + string(kind))
	}
}
