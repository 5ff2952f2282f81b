package tpox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

const accountID = tpox.ID(104000000)

// now is on another day in UTC than in its own time zone.
var now = time.Date(2026, 3, 1, 1, 2, 3, 999_999_999, time.FixedZone("", 2*60*60))

func buy(quantity string) tpox.Trade {
	return tpox.Trade{Side: tpox.Buy, Symbol: "IBM", Quantity: quantity, Now: now}
}

func sell(quantity string) tpox.Trade {
	return tpox.Trade{Side: tpox.Sell, Symbol: "IBM", Quantity: quantity, Now: now}
}

// after returns the XML of an account after a trade, with the movement in its first value date.
func (a account) after(actual, working, movement, positions string) string {
	a.actual, a.working, a.positions = actual, working, positions
	return strings.NewReplacer(
		"<LastUpdate>2006-01-01T00:00:00<", "<LastUpdate>2026-02-28T23:02:03<",
		"<mValueDate><ValueDate>2006-01-01</ValueDate><CreditMovement>1</CreditMovement><ValueDatedBal>2<",
		"<mValueDate><ValueDate>2026-02-28</ValueDate><CreditMovement>"+movement+"</CreditMovement>"+
			"<ValueDatedBal>"+working+"<",
	).Replace(a.xml())
}

func confirmationXML(side, symbol, quantity, price, amount, position, actual, working string) string {
	return `<Trade_Confirmation` + custAcc + ` ACCOUNT_ID="104000000"><Side>` + side + `</Side><Symbol>` + symbol +
		`</Symbol><Quantity>` + quantity +
		`</Quantity><Price>` + price + `</Price><Amount>` + amount + `</Amount><Position>` + position +
		`</Position><OnlineActualBal>` + actual +
		`</OnlineActualBal><WorkingBalance>` + working + `</WorkingBalance></Trade_Confirmation>`
}

func TestTrade_Apply(t *testing.T) {
	t.Parallel()
	ibm := func(quantity string) string { return positionXML("IBM", quantity) }
	// added is the position that the trade copies from the security.
	added := func(quantity string) string {
		return `<Position><Symbol>IBM</Symbol><Name>IBM &amp; Co</Name><Type>Stock</Type><Quantity>` + quantity +
			`</Quantity></Position>`
	}
	other, another := positionXML("A", "1"), positionXML("IBMX", "2")
	for _, c := range []struct {
		name      string
		trade     tpox.Trade
		price     string
		positions string
		before    [2]string // balances
		after     [2]string
		movement  string
		held      string // in the confirmation
		quantity  string // in the confirmation
		want      string // positions
	}{
		{name: "Buy/Grows", trade: buy("3"), price: "10.25", positions: other + ibm("5") + another,
			after: [2]string{"969.25", "969.25"}, movement: "-30.75", quantity: "3.000", held: "8.000",
			want: other + ibm("8.000") + another},
		{name: "Buy/NewPosition", trade: buy("3"), price: "10.25", positions: other + another,
			after: [2]string{"969.25", "969.25"}, movement: "-30.75", quantity: "3.000", held: "3.000",
			want: other + another + added("3.000")},
		{name: "Buy/FirstPosition", trade: buy("0.001"), price: "0", positions: "",
			after: [2]string{"1000.00", "1000.00"}, movement: "0.00", quantity: "0.001", held: "0.001", want: added("0.001")},
		{name: "Buy/TwoBalances", trade: buy("1"), price: "0.5", positions: ibm("1"),
			before: [2]string{"7", "-100.125"}, after: [2]string{"6.50", "-100.62"}, movement: "-0.50", quantity: "1.000",
			held: "2.000", want: ibm("2.000")},
		{name: "Buy/QuantityAsWritten", trade: buy(" +007.1000\n"), price: " 2. ", positions: ibm(" 1 "),
			after: [2]string{"985.80", "985.80"}, movement: "-14.20", quantity: "7.100", held: "8.100", want: ibm("8.100")},
		{name: "Buy/MostShares", trade: buy("1000000000"), price: "1", positions: ibm("1"),
			after: [2]string{"-999999000.00", "-999999000.00"}, movement: "-1000000000.00", quantity: "1000000000.000",
			held: "1000000001.000", want: ibm("1000000001.000")},
		{name: "Sell/Part", trade: sell("1.001"), price: "10", positions: other + ibm("5"),
			after: [2]string{"1010.01", "1010.01"}, movement: "10.01", quantity: "1.001", held: "3.999",
			want: other + ibm("3.999")},
		{name: "Sell/All", trade: sell("5"), price: "10", positions: other + ibm("5.0000") + another,
			after: [2]string{"1050.00", "1050.00"}, movement: "50.00", quantity: "5.000", held: "0.000", want: other + another},
		{name: "Sell/LastPosition", trade: sell("5"), price: "10", positions: ibm("5"),
			after: [2]string{"1050.00", "1050.00"}, movement: "50.00", quantity: "5.000", held: "0.000", want: ""},
		{name: "Sell/ZeroAsWritten", trade: sell("5"), price: "10", positions: other + ibm("5.0004"),
			after: [2]string{"1050.00", "1050.00"}, movement: "50.00", quantity: "5.000", held: "0.000", want: other},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := account{id: "104000000", positions: c.positions, actual: c.before[0], working: c.before[1]}
			before, beyond := account{id: "10400000"}.xml(), account{id: "104000001", positions: other}.xml()
			doc, security := customerXML(before, a.xml(), beyond), securityXML("IBM", c.price)
			side, amount := string(c.trade.Side), strings.TrimPrefix(c.movement, "-")
			want := customerXML(before, a.after(c.after[0], c.after[1], c.movement, c.want), beyond)
			confirmed := confirmationXML(side, "IBM", c.quantity, c.price, amount, c.held, c.after[0], c.after[1])

			changed, confirmation, err := c.trade.Apply(tpox.DefaultRules, []byte(doc), accountID,
				tpox.QuoteOf([]byte(security)))
			require.NoError(t, err)
			require.Equal(t, want, string(changed))
			require.Equal(t, confirmed, string(confirmation))
			normal(t, changed)
			normal(t, confirmation)
			require.NoError(t, tpox.ValidateCustomer(changed))

			changed, confirmation, err = c.trade.Apply(tpox.DefaultRules, []byte(prefixed(doc)), accountID,
				tpox.QuoteOf([]byte(prefixed(security))))
			require.NoError(t, err)
			normal(t, changed)
			require.NoError(t, tpox.ValidateCustomer(changed))
			require.Equal(t, meaning(t, want), meaning(t, string(changed)))
			require.Equal(t, confirmed, string(confirmation))
		})
	}
}

func TestTrade_Apply_Invalid(t *testing.T) {
	t.Parallel()
	const (
		missing = ": is missing in the account"
		odd     = ": is not a decimal in the account"
	)
	date := `<mValueDate><ValueDate>2006-01-01</ValueDate><CreditMovement>1</CreditMovement>` +
		`<ValueDatedBal>2</ValueDatedBal></mValueDate>`
	for _, c := range []struct{ name, old, new, want string }{
		{"LastUpdate", "<LastUpdate>2006-01-01T00:00:00</LastUpdate>", "", "LastUpdate" + missing},
		{"OnlineActualBal", "<OnlineActualBal>1000.00</OnlineActualBal>", "", "Balance/OnlineActualBal" + missing},
		{"WorkingBalance", "<WorkingBalance>1000.00</WorkingBalance>", "", "Balance/WorkingBalance" + missing},
		{"mValueDate", date + olderXML, "", "gValueDate/mValueDate" + missing},
		{"ValueDate", "<ValueDate>2006-01-01</ValueDate>", "", "gValueDate/mValueDate/ValueDate" + missing},
		{"CreditMovement", "<CreditMovement>1</CreditMovement>", "", "gValueDate/mValueDate/CreditMovement" + missing},
		{"ValueDatedBal", "<ValueDatedBal>2</ValueDatedBal>", "", "gValueDate/mValueDate/ValueDatedBal" + missing},
		{"Holdings", "<Holdings>" + positionXML("IBM", "5") + "</Holdings>", "", "Holdings" + missing},
		{"balance", "<OnlineActualBal>1000.00<", "<OnlineActualBal>1e3<", "Balance/OnlineActualBal" + odd},
		{"working balance", "<WorkingBalance>1000.00<", "<WorkingBalance><", "Balance/WorkingBalance" + odd},
		{"no quantity", "<Quantity>5</Quantity>", "", "Holdings/Position/Quantity" + odd},
		{"quantity", "<Quantity>5<", "<Quantity>five<", "Holdings/Position/Quantity" + odd},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc := customerXML(account{id: "104000000", positions: positionXML("IBM", "5")}.xml())
			changed := strings.Replace(doc, c.old, c.new, 1)
			require.NotEqual(t, doc, changed)
			_, _, err := buy("1").Apply(tpox.DefaultRules, []byte(changed), accountID,
				tpox.QuoteOf([]byte(securityXML("IBM", "1"))))
			require.Equal(t, []string{"/Customer/Accounts/Account/" + c.want}, findings(t, err))
		})
	}
	for _, price := range []string{"", "x", "1e1"} {
		_, _, err := buy("1").Apply(tpox.DefaultRules, []byte(customerXML(account{id: "104000000"}.xml())),
			accountID, tpox.QuoteOf([]byte(securityXML("IBM", price))))
		require.Equal(t, []string{"/Security/Price/LastTrade: the security has no valid price"}, findings(t, err))
	}
}

func TestTrade_Apply_ForNothing(t *testing.T) {
	t.Parallel()
	doc := []byte(customerXML(account{id: "104000000", positions: positionXML("IBM", "5")}.xml()))
	for _, c := range []struct{ price, quantity, least string }{
		{"4.99", "0.001", "0.002"}, {"5", "0.001", "0.002"}, {"1", "0.005", "0.006"}, {" 0.3 ", "0.001", "0.017"},
		{"0.0000000000000000001", "1000000000", "50000000000000000.001"},
	} {
		quote := tpox.QuoteOf([]byte(securityXML("IBM", c.price)))
		for _, trade := range []tpox.Trade{buy(c.quantity), sell(c.quantity)} {
			_, _, err := trade.Apply(tpox.DefaultRules, doc, accountID, quote)
			require.Equal(t, []string{"/Trade/Quantity: the amount would round to 0.00: at the price of " +
				strings.TrimSpace(c.price) + ", " + c.least + " is the least quantity"}, findings(t, err))
			_, err = trade.TermsAt(quote)
			require.True(t, tpox.Is[*tpox.Invalid](err))
		}
	}
	_, _, err := buy("0.006").Apply(tpox.DefaultRules, doc, accountID,
		tpox.QuoteOf([]byte(securityXML("IBM", "1"))))
	require.NoError(t, err)
}

func TestTrade_Validate(t *testing.T) {
	t.Parallel()
	for _, q := range []string{
		"0.001", "1", "1.", ".5", "+1", " 1 ", "1.0000", "999999999.999", "1000000000", "1000000000.000",
	} {
		require.NoError(t, buy(q).Validate(), "%q", q)
	}
	for _, q := range []string{"", " ", ".", "0", "-0", "0.000", "-1", "-0.001", "0.0001", "1.0001", "1000000000.001",
		"1000000001", "1e3", "x", "1,5", "NaN", "INF",
		strings.Repeat("9", 101), "0." + strings.Repeat("0", 200)} {
		const want = "/Trade/Quantity: not a quantity: a decimal above 0, up to 1000000000, with at most 3 places"
		require.Equal(t, []string{want}, findings(t, buy(q).Validate()), "%q", q)
		_, _, err := sell(q).Apply(tpox.DefaultRules, nil, accountID, tpox.Quote{})
		require.Equal(t, []string{want}, findings(t, err), "%q", q)
	}
}
