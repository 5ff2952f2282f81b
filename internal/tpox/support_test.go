package tpox_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// The fixtures are minimal valid documents, in the normal form.

const (
	nameXML      = `<Name><FirstName>Ada</FirstName><LastName>O'Hara &amp; Søn</LastName></Name>`
	languagesXML = `<Languages><Language>Danish</Language></Languages>`
	addressXML   = `<Address primary="Yes" type="Home"><gStreet><Street>1 Main</Street></gStreet><City>Ribe</City>` +
		`<PostalCode>6760</PostalCode>` +
		`<State></State><Country>Denmark</Country><CityCountry>Ribe</CityCountry><Phones></Phones></Address>`
	emailXML  = `<EmailAddresses><Email primary="Yes">a@example.org</Email></EmailAddresses>`
	secretXML = `<EncryptedData><CipherData><CipherValue>QQ==</CipherValue></CipherData></EncryptedData>`
	olderXML  = `<mValueDate><ValueDate>2005-01-01</ValueDate><CreditMovement>-7.5</CreditMovement>` +
		`<ValueDatedBal>3</ValueDatedBal></mValueDate>`
)

func customerXML(accounts ...string) string {
	return `<Customer xmlns="http://tpox-benchmark.com/custacc" id="1002"><Mnemonic>M</Mnemonic><ShortNames>` +
		`<ShortName>A</ShortName></ShortNames>` +
		nameXML + `<DateOfBirth>1970-01-01</DateOfBirth><Gender>Female</Gender><Nationality>Denmark</Nationality>` +
		`<CountryOfResidence>Norway</CountryOfResidence>` + languagesXML + `<Addresses>` + addressXML + emailXML +
		`</Addresses>` +
		`<BankingInfo><CustomerSince>2001-01-01</CustomerSince><PremiumCustomer>No</PremiumCustomer>` +
		`<CustomerStatus>Active</CustomerStatus>` +
		`<LastContactDate>2006-01-01</LastContactDate><ReviewFrequency>Monthly</ReviewFrequency><Online><Login>a</Login>` +
		`<Pin>` + secretXML +
		`</Pin><Trading-password>` + secretXML +
		`</Trading-password></Online><Tax><TaxRate>0.3</TaxRate></Tax><Currency>NOK</Currency></BankingInfo>` +
		`<Accounts>` + strings.Join(accounts, "") + `</Accounts></Customer>`
}

// account holds the values in which the accounts of tests differ.
type account struct {
	id              string
	actual, working string // "1000.00" if empty
	positions       string
}

func (a account) xml() string {
	or := func(s string) string {
		if s == "" {
			return "1000.00"
		}
		return s
	}
	return `<Account id="` + a.id +
		`"><Category>1</Category><AccountTitle>T</AccountTitle><ShortTitle>T</ShortTitle><Mnemonic>M</Mnemonic>` +
		`<Currency>EUR</Currency><CurrencyMarket>1</CurrencyMarket><OpeningDate>2001-01-01</OpeningDate>` +
		`<AccountOfficer>1</AccountOfficer>` +
		`<LastUpdate>2006-01-01T00:00:00</LastUpdate><Balance><OnlineActualBal>` + or(a.actual) +
		`</OnlineActualBal><OnlineClearedBal>900.5</OnlineClearedBal><WorkingBalance>` + or(a.working) +
		`</WorkingBalance></Balance><Passbook>No</Passbook><gValueDate><mValueDate><ValueDate>2006-01-01</ValueDate>` +
		`<CreditMovement>1</CreditMovement>` +
		`<ValueDatedBal>2</ValueDatedBal></mValueDate>` + olderXML +
		`</gValueDate><ChargeCcy>EUR</ChargeCcy><InterestCcy>EUR</InterestCcy>` +
		`<AllowNetting>No</AllowNetting><gInputter><Inputter>I</Inputter></gInputter><Holdings>` + a.positions +
		`</Holdings></Account>`
}

func positionXML(symbol, quantity string) string {
	return `<Position><Symbol>` + symbol + `</Symbol><Name>` + symbol + ` Corp</Name><Type>Stock</Type><Quantity>` +
		quantity + `</Quantity></Position>`
}

// securityXML returns a stock with a price.
func securityXML(symbol, lastTrade string) string {
	return `<Security xmlns="http://tpox-benchmark.com/security" id="1"><Symbol>` + symbol + `</Symbol><Name>` + symbol +
		` &amp; Co</Name>` +
		`<ShortName>S</ShortName><SecurityType>Stock</SecurityType><SecurityInformation><StockInformation>` +
		`<Sector>Energy</Sector>` +
		`<Category Capitalization="Large" Class="Value"></Category><OutstShares>1</OutstShares></StockInformation>` +
		`<Description></Description>` +
		`</SecurityInformation><Price><LastTrade>` + lastTrade +
		`</LastTrade><Ask>10.5</Ask><Bid>10.25</Bid><Price50DayAvg>1</Price50DayAvg>` +
		`<Price200DayAvg>1</Price200DayAvg><PriceToday><PreviousClose>10</PreviousClose><Open>10.10</Open><Low>9.5</Low>` +
		`<High>11</High></PriceToday>` +
		`<Price52week><Price52week-low>1</Price52week-low><Price52week-low-date>2006-01-01</Price52week-low-date>` +
		`<Price52week-high>20</Price52week-high><Price52week-high-date>2006-02-01</Price52week-high-date></Price52week>` +
		`</Price>` +
		`<PE>21.50</PE><Yield>4.5</Yield><DivPerShare>1</DivPerShare></Security>`
}

const (
	orderInside = ` ID="103282" Acct="104000000" TxnTm="2004-04-08T16:01:53" Side="1" Typ="8"><Instrmt Sym="IBM">` +
		`</Instrmt>` +
		`<OrdQty Qty="417" Cash="1479.060"></OrdQty></Order>`
	orderXML = `<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4" v="4.4"><Order` + orderInside + `</FIXML>`
)

var (
	tags   = regexp.MustCompile(`<(/?)(\w)`)
	noName = regexp.MustCompile(` xmlns="`)
)

// prefixed returns a fixture with a prefix instead of its default namespace.
func prefixed(doc string) string {
	return noName.ReplaceAllString(tags.ReplaceAllString(doc, "<${1}x:$2"), ` xmlns:x="`)
}

// normal requires the normal form of a fixture or of a result.
func normal(tb testing.TB, doc []byte) {
	tb.Helper()
	admitted, err := xmldoc.Admit(doc, xmldoc.Limits{})
	require.NoError(tb, err, "%s", doc)
	require.Equal(tb, string(admitted), string(doc))
}

// meaning returns everything in a document except its prefixes: expanded names, attributes and text, in order.
func meaning(tb testing.TB, doc string) (m []string) {
	tb.Helper()
	d := xml.NewDecoder(strings.NewReader(doc))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return m
		}
		require.NoError(tb, err, doc)
		switch token := token.(type) {
		case xml.StartElement:
			token.Attr = slices.DeleteFunc(token.Attr, func(a xml.Attr) bool {
				return a.Name.Space == "xmlns" || a.Name.Local == "xmlns"
			})
			m = append(m, fmt.Sprint("<", token.Name, token.Attr))
		case xml.EndElement:
			m = append(m, ">")
		case xml.CharData:
			m = append(m, string(token))
		}
	}
}

// findings requires *Invalid and returns its findings.
func findings(tb testing.TB, err error) (list []string) {
	tb.Helper()
	var invalid *tpox.Invalid
	require.ErrorAs(tb, err, &invalid)
	for _, f := range invalid.Findings {
		list = append(list, f.String())
	}
	return list
}

// conflict requires *Conflict with the reason and detail.
func conflict(tb testing.TB, err error, reason tpox.Reason, detail string) {
	tb.Helper()
	var c *tpox.Conflict
	require.ErrorAs(tb, err, &c)
	require.Equal(tb, reason, c.Reason)
	require.EqualError(tb, err, detail)
}
