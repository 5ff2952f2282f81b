package workload

import (
	"bytes"
	"strconv"

	"brokerage/internal/brokerage"
)

// call is one transaction to be done, as far as it is the same for every
// backend. It is its user's, who fills it again for the next one.
type call struct {
	transaction int
	id          brokerage.ID // of the order or customer; of the account in a trade
	account     brokerage.ID // that is opened or closed
	symbol      string
	search      searchCall
	quantity    int64
	price       int64 // in cents
	status      string
	doc         []byte
	validate    bool
}

type searchCall struct {
	sector                 int
	peMin, peMax, yieldMin int64
}

// outcome is what became of a call.
type outcome struct {
	class  class
	reason string // why it was refused; one of few texts
}

type class uint8

const (
	good class = iota
	expected
	unexpected
	unanswered // no answer came, or none within the request's own timeout
	abandoned  // the end of the run cut it off: whether an answer would have come, nobody knows
	emptied    // not called at all: the user had nothing of its own to take away
)

var done = outcome{class: good}

// Reasons that are not a backend's own.
const (
	reasonStale       = "stale"
	reasonWrongAnswer = "wrong-answer"
	reasonNoAnswer    = "no-answer"
	reasonTimeout     = "timeout"
	reasonNotFound    = "404 not-found"
)

// conflict is a refusal in the state of what is stored. That of trades and
// accounts a workload meets by the nature of its draws; new ids are leased, so
// that one which exists is a fault.
func conflict(reason string) outcome {
	switch brokerage.Reason(reason) {
	case brokerage.TooManyHoldings, brokerage.NotHeld, brokerage.TooFewHeld, brokerage.NotCovered, brokerage.BalanceLimit, brokerage.LastAccount:
		return outcome{expected, reason}
	default:
		return outcome{unexpected, reason}
	}
}

// roots are the names of the elements that answers are; without one, there is
// no answer to look at.
var roots = [...]string{
	getOrder: "Order", getSecurity: "Security", customerProfile: "Customer_Profile", searchSecurities: "Securities", accountSummary: "Customer",
	getSecurityPrice: "Security_Price", customerMaxOrder: "Customer_Max_Order", updateSecurityPrice: "Security_Price", updateOrderStatus: "OrderStatus",
	buySecurity: "Trade_Confirmation", sellSecurity: "Trade_Confirmation", updCustacc: "Customer", updSecurity: "Security",
}

// keyWithin is how far into an answer its key stands: in the root's attributes,
// behind the declarations of namespaces, or in the first element.
const keyWithin = 512

// checker looks whether an answer is the one that was asked for: cheaply, since
// a load generator that reads all of it measures itself.
type checker struct {
	keys bool // not where answers are the same whatever is asked
	key  []byte
}

func (k *checker) check(c *call, answer []byte) outcome {
	if string(rootName(answer)) != roots[c.transaction] {
		return outcome{unexpected, reasonWrongAnswer}
	}
	if !k.keys {
		return done
	}
	k.key = k.key[:0]
	switch c.transaction {
	case getSecurity, updSecurity:
		k.key = append(append(append(k.key, '>'), c.symbol...), '<')
	case getSecurityPrice, updateSecurityPrice:
		k.key = append(append(append(k.key, '"'), c.symbol...), '"')
	case updateOrderStatus:
		k.key = append(append(append(k.key, '"'), c.status...), '"')
	case searchSecurities:
		k.key = append(k.key, ` count="`...)
	default:
		k.key = append(strconv.AppendInt(append(k.key, '"'), int64(c.id), 10), '"')
	}
	if !bytes.Contains(answer[:min(len(answer), keyWithin)], k.key) {
		return outcome{unexpected, reasonWrongAnswer}
	}
	return done
}

// rootName is the name of the root element without its prefix.
func rootName(doc []byte) []byte {
	if bytes.HasPrefix(doc, []byte("<?")) {
		_, doc, _ = bytes.Cut(doc, []byte("?>"))
		doc = bytes.TrimLeft(doc, "\r\n\t ")
	}
	if len(doc) == 0 || doc[0] != '<' {
		return nil
	}
	from := 1
	for i := 1; i < len(doc); i++ {
		switch doc[i] {
		case ':':
			from = i + 1
		case ' ', '>', '/', '\t', '\n', '\r':
			return doc[from:i]
		}
	}
	return nil
}
