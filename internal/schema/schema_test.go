package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"

	"brokerage/api"
)

func TestValidate_Examples(t *testing.T) {
	for _, s := range schemaFiles {
		for _, name := range s.examples {
			doc := example(t, name)
			require.NoError(t, s.validator().Validate(admitted(t, doc)), name)
			for _, other := range schemaFiles {
				if other.file != s.file {
					found := requireFindings(t, other.validator(), doc)
					require.Len(t, found, 1)
					require.Contains(t, found[0].String(), "line 1, column 1, /"+s.root+": root element is not "+other.root)
				}
			}
		}
	}
}

// A document that lacks an element or attribute that its schema requires is refused, with the path of its parent.
func TestValidate_Required(t *testing.T) {
	for file, c := range map[string]struct {
		optional, required string // one is given; parts that it does not name belong to the other
	}{
		"customer.xml": {optional: "Address/POBox Addresses/Address Addresses/EmailAddresses EmailAddresses/Email " +
			"EncryptedData/@Type Holdings/Position Inputter/@c Name/MiddleName Name/Suffix Name/Title Phone/Extension " +
			"Phones/Phone Tax/SSN Tax/TaxID"},
		"security-stock.xml": {optional: "BusinessSummary/CEO BusinessSummary/Competitor BusinessSummary/Product " +
			"Description/BusinessSummary StockInformation/Industry"},
		"security-fund.xml": {optional: "Description/Management FundDescription/Risk FundDescription/Strategy " +
			"FundInformation/Category FundInformation/FixedIncome FundInformation/Industry " +
			"FundInformation/MinInitialInvestment FundInformation/MinSubsequentInvestment FundInformation/Sector " +
			"Management/Manager"},
		"order.xml": {required: "FIXML/Order Hop/@ID Order/@ID Order/@Side Order/@TxnTm Order/@Typ Order/Instrmt " +
			"Order/OrdQty"},
	} {
		t.Run(file, func(t *testing.T) {
			validator := validatorOf(file)
			optional, required := strings.Fields(c.optional), strings.Fields(c.required)
			root := treeOf(t, example(t, file))
			without := func(p *etree.Element, name string) {
				part := p.Tag + "/" + name
				err := validator.Validate(admitted(t, written(root)))
				if len(required) > 0 && !slices.Contains(required, part) || slices.Contains(optional, part) {
					require.NoError(t, err, part)
					return
				}
				refusal, ok := errors.AsType[*Error](err)
				require.True(t, ok, "without %s: %v", part, err)
				require.Equal(t, strings.ReplaceAll(p.GetPath(), "s:", ""), refusal.Findings[0].Path, part)
			}
			for _, p := range elements(root) {
				attributes, content := p.Attr, p.Child
				for i, a := range attributes {
					if a.Space == "" && a.Key != "xmlns" {
						p.Attr = slices.Delete(slices.Clone(attributes), i, i+1)
						without(p, "@"+a.Key)
					}
				}
				p.Attr = attributes
				for _, kid := range p.ChildElements() {
					p.Child = slices.DeleteFunc(slices.Clone(content), func(c etree.Token) bool {
						e, ok := c.(*etree.Element)
						return ok && e.Tag == kid.Tag
					})
					without(p, kid.Tag)
				}
				p.Child = content
			}
		})
	}
}

const (
	stock   = "/Security/SecurityInformation/StockInformation"
	fund    = "/Security/SecurityInformation/FundInformation"
	text    = "/Security/SecurityInformation/Description/BusinessSummary"
	account = "/Customer/Accounts/Account"
	code    = "enumeration facet failed"
)

// refused are edits of valid documents, with the first finding that they lead to: position, path and the beginning of
// the message.
var refused = []struct{ file, from, to, position, path, message string }{
	{"customer.xml", `id="1002"`, `id="1002.5"`, "1:1", "/Customer", "invalid attribute id: invalid integer"},
	{"customer.xml", `id="1002"`, `id="1002" vip="y"`, "1:1", "/Customer", "attribute is not declared: vip"},
	{"customer.xml", "1961-04-30", "1961-04-31", "15:26", "/Customer/DateOfBirth", "invalid date/time"},
	{"customer.xml", "> Female <", ">female<", "16:17", "/Customer/Gender", code},
	{"customer.xml", "> Female <", ">Å\nÅ<", "17:2", "/Customer/Gender", "invalid NMTOKEN"},
	{"customer.xml", "<Gender>", `<Gender a="b">`, "16:3", "/Customer/Gender", "simple type does not allow attributes"},
	{"customer.xml", "<Gender>", "<Sex/><Gender>", "16:3", "/Customer", "unexpected child element {"},
	{"customer.xml", "<Gender>", `<Gender xsi:type="Sex">`, "16:3", "/Customer", "xsi:schemaLocation loading is not"},
	{"customer.xml", "<Gender>", `<Gender xsi:nil="true">`, "16:3", "/Customer", "element is not nillable"},
	{"customer.xml", "<Suffix>PhD", "<Suffix/><Suffix>PhD", "13:22", "/Customer/Name", "unexpected child element Suffix"},
	{"customer.xml", "<Name>", "<Name>Dr", "7:9", "/Customer/Name", "character data is not allowed"},
	{"customer.xml", "<Title>", "<Title><b/>", "8:12", "/Customer/Name/Title", "simple type cannot contain"},
	{"customer.xml", "1999-01-04", "4 Jan", "66:25", "/Customer/BankingInfo/CustomerSince", "invalid date/time"},
	{"customer.xml", "Yes</Pr", "yes</Pr", "67:25", "/Customer/BankingInfo/PremiumCustomer", code},
	{"customer.xml", "Active<", "Dormant<", "68:28", "/Customer/BankingInfo/CustomerStatus", code},
	{"customer.xml", ".275", "27,5", "97:20", "/Customer/BankingInfo/Tax/TaxRate", "invalid decimal"},
	{"customer.xml", "T09:30:00", "", "111:29", account + "/LastUpdate", "invalid dateTime"},
	{"customer.xml", ">310<", ">3e2<", "114:30", account + "/Balance/OnlineClearedBal", "invalid decimal"},
	{"customer.xml", `c="1.5"`, `c="a"`, "134:9", account + "/gInputter/Inputter", "invalid attribute c: invalid decimal"},
	{"customer.xml", "35.25", "35.2.5", "148:27", account + "/Holdings/Position/Quantity", "invalid decimal"},
	{"security-stock.xml", "FJORD", "", "2:11", "/Security/Symbol", "minLength facet failed"},
	{"security-stock.xml", "FJORD", "FJORDOIL", "2:19", "/Security/Symbol", "maxLength facet failed"},
	{"security-stock.xml", ">Stock<", ">Share<", "5:22", "/Security/SecurityType", code},
	{"security-stock.xml", "</StockInf", "<b/></StockInf", "13:5", stock, "unexpected child element {"},
	{"security-stock.xml", "Transportation", "Ships", "8:20", stock + "/Sector", code},
	{"security-stock.xml", "WaterT", "Water T", "9:37", stock + "/Industry", code},
	{"security-stock.xml", `"Small"`, `"Tiny"`, "11:7", stock + "/Category", "invalid attribute Capitalization: " + code},
	{"security-stock.xml", `h"/>`, `h">.</Category>`, "11:55", stock + "/Category", "character data is not allowed"},
	{"security-stock.xml", `h"/>`, `h"><b/></Category>`, "11:55", stock + "/Category", "unexpected child element {"},
	{"security-stock.xml", "41500000", "-1", "12:22", stock + "/OutstShares", "minInclusive facet failed"},
	{"security-stock.xml", "<Product>", "<AnyKeyword/><Product>", "15:30", text, "abstract element cannot appear"},
	{"security-stock.xml", "<Product>", "<Ship/><Product>", "15:30", text, "unexpected child element {"},
	{"security-stock.xml", "17.4001", "17.40001", "22:18", "/Security/Price/Bid", "fractionDigits facet failed"},
	{"security-stock.xml", "16.9", "12345678901234", "23:34", "/Security/Price/Price50DayAvg", "totalDigits facet failed"},
	{"security-stock.xml", "0.73", "n/a", "40:19", "/Security/DivPerShare", "invalid decimal"},
	{"security-fund.xml", `"High"`, `"AAA"`, "13:7", fund + "/FixedIncome", "invalid attribute Quality: " + code},
	{"security-fund.xml", `"Short Term"`, `"Short"`, "13:7", fund + "/FixedIncome", "invalid attribute Duration: " + code},
	{"security-fund.xml", ">2500<", ">2500.5<", "16:37", fund + "/MinInitialInvestment", "invalid integer"},
	{"security-fund.xml", "<s:Ask>50</s:Ask>", "<Ask>50</Ask>", "27:5", "/Security/Price", "unexpected child element Ask"},
	{"order.xml", `v="4.4"`, `v="5.0"`, "1:1", "/FIXML", "invalid attribute v: " + code},
	{"order.xml", `s="20040109"`, `s="2004"`, "1:1", "/FIXML", "invalid attribute s: pattern facet failed"},
	{"order.xml", "<Order", "<x/><Order", "2:3", "/FIXML", "unexpected child element {"},
	{"order.xml", `Side="1"`, `Side="0"`, "2:3", "/FIXML/Order", "invalid attribute Side: " + code},
	{"order.xml", `Stat="A"`, `Stat="5"`, "2:3", "/FIXML/Order", "invalid attribute Stat: " + code},
	{"order.xml", `Stat="A"`, `Status="A"`, "2:3", "/FIXML/Order", "attribute is not declared: Status"},
	{"order.xml", "14:05:00.250", "", "2:3", "/FIXML/Order", "invalid attribute TxnTm: invalid dateTime"},
	{"order.xml", `Px="-17.45"`, `Px="17,45"`, "2:3", "/FIXML/Order", "invalid attribute Px: invalid decimal"},
	{"order.xml", `SolFlag="Y"`, `SolFlag="true"`, "2:3", "/FIXML/Order", "invalid attribute SolFlag: " + code},
	{"order.xml", `Len="4"`, `Len="-4"`, "2:3", "/FIXML/Order", "invalid attribute EncTxtLen: minInclusive facet failed"},
	{"order.xml", `SeqNum="12"`, `SeqNum="0"`, "3:5", "/FIXML/Order/Hdr", "invalid attribute SeqNum: minInclusive"},
	{"order.xml", `R="12"`, `R="23"`, "7:5", "/FIXML/Order/Pty", "invalid attribute R: " + code},
	{"order.xml", `Typ="7"`, `Typ="27"`, "8:7", "/FIXML/Order/Pty/Sub", "invalid attribute Typ: " + code},
	{"order.xml", `R="77"`, `R="x"`, "12:7", "/FIXML/Order/PreAll/Pty", "invalid attribute R: invalid decimal"},
	{"order.xml", "200604w2", "2006-04", "15:5", "/FIXML/Order/Instrmt", "invalid attribute MMY: pattern facet failed"},
	{"order.xml", `Prod="5"`, `Prod="14"`, "15:5", "/FIXML/Order/Instrmt", "invalid attribute Prod: " + code},
	{"order.xml", `Sfx="CD"`, `Sfx="XX"`, "20:5", "/FIXML/Order/Undly", "invalid attribute Sfx: " + code},
	{"order.xml", "<OrdQty", "10 <OrdQty", "25:1", "/FIXML/Order", "character data is not allowed"},
	{"order.xml", `"Euribor"`, `"EU"`, "26:5", "/FIXML/Order/SprdBnchmkCurve", "invalid attribute Name: " + code},
	{"order.xml", "<DiscInstr", "<DiscInstr/><DiscInstr", "30:28", "/FIXML/Order", "unexpected child element DiscInstr"},
}

// Each edit of refused violates one rule.
func TestValidate_Refuses(t *testing.T) {
	for _, c := range refused {
		found := requireFindings(t, validatorOf(c.file), replaced(t, example(t, c.file), c.from, c.to))
		require.Equal(t, c.position, fmt.Sprintf("%d:%d", found[0].Line, found[0].Column), "%s: %s", c.to, found[0])
		require.Equal(t, c.path, found[0].Path, c.to)
		message := strings.TrimPrefix(found[0].Message, "invalid simple content: ")
		require.True(t, strings.HasPrefix(message, c.message), "%s: %s", c.to, found[0])
	}
}

// What a stricter schema might refuse is valid, and so are the project's extensions.
func TestValidate_Allows(t *testing.T) {
	for _, c := range allowed {
		err := validatorOf(c.file).Validate(admitted(t, replaced(t, example(t, c.file), c.from, c.to)))
		require.NoError(t, err, c.to)
	}
}

var allowed = []struct{ file, from, to string }{
	{"customer.xml", "<Position>…</Quantity>\n        </Position>", ""},
	{"customer.xml", "<Address primary…</EmailAddresses>", ""},
	{"customer.xml", "Norwegian", ""},
	{"customer.xml", `id="104000000"`, `id="main"`},
	{"customer.xml", `id="1002"`, `id="-1"`},
	{"customer.xml", "1961-04-30", "1961-04-30+01:00"},
	{"customer.xml", "1961-04-30", " 1961-04-30\n"},
	{"customer.xml", "custacc custacc.xsd", "custacc http://example.org/none.xsd"},
	{"security-stock.xml", "21.75", "00021.750000"},
	{"security-stock.xml", "21.75", "123456789.1234"},
	{"security-fund.xml", "<s:Category…\"High\"/>", ""},
	{"order-minimal.xml", ` Acct="104000000"`, ""},
	{"order.xml", `Stat="A"`, `Stat="4"`},
	{"order.xml", `s="20040109"`, `s="20041218"`},
}

// The document element is recognised by name and namespace, whatever its prefix. The engine alone would accept the
// first document.
func TestValidate_Root(t *testing.T) {
	const order = `Order ID="1" Side="2" TxnTm="2006-03-01T14:05:00" Typ="1"><Instrmt/><OrdQty/></Order>`
	const inNamespace = ` xmlns:f="http://www.fixprotocol.org/FIXML-4-4"`
	for _, doc := range []string{
		`<Order xmlns="http://www.fixprotocol.org/FIXML-4-4"` + strings.TrimPrefix(order, "Order"),
		`<Instrmt xmlns="http://www.fixprotocol.org/FIXML-4-4"/>`,
		`<FIXML` + inNamespace + ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="f:Envelope"/>`,
		`<FIXML/>`,
		`<FIXML` + inNamespace + `/>`,
	} {
		found := requireFindings(t, Order(), []byte(doc))
		name, _, _ := strings.Cut(strings.TrimLeft(doc, "<"), " ")
		require.Equal(t, []Finding{{1, 1, "/" + strings.TrimSuffix(name, "/>"),
			"root element is not FIXML of namespace http://www.fixprotocol.org/FIXML-4-4"}}, found, doc)
	}
	require.NoError(t, Security().Validate(admitted(t, example(t, "security-fund.xml"))), "with a prefix")
}

// A document over a limit has one finding, of bounded length.
func TestValidate_Limits(t *testing.T) {
	var attributes strings.Builder
	for i := range 257 {
		fmt.Fprintf(&attributes, ` a%d=""`, i)
	}
	for _, c := range []struct{ to, message string }{
		{strings.Repeat("<a>", 64) + strings.Repeat("</a>", 64), "instance depth limit exceeded"},
		{"<a" + attributes.String() + "></a>", "XML attribute count limit exceeded"},
		{"<a>" + strings.Repeat("å", 1<<20) + "</a>", "XML token byte limit exceeded"},
		{`<a b="` + strings.Repeat("a", 2<<20) + `"></a>`, "XML token byte limit exceeded"},
		{strings.Repeat("<Mnemonic></Mnemonic>", 1<<20), "XML input byte limit exceeded"},
	} {
		doc := strings.Replace(string(admitted(t, example(t, "customer.xml"))), "<Gender>", c.to+"<Gender>", 1)
		refusal, ok := errors.AsType[*Error](Customer().Validate([]byte(doc)))
		require.True(t, ok, c.message)
		require.Len(t, refusal.Findings, 1)
		require.Equal(t, c.message, refusal.Findings[0].Message)
		require.Less(t, len(refusal.Error()), 700)
	}
}

// There are no more than twenty findings, in the order of the document.
func TestValidate_FindingsCut(t *testing.T) {
	customer := string(example(t, "customer.xml"))
	for _, mistakes := range []int{1, MaxFindings, 10 * MaxFindings} {
		wrong := strings.Repeat("<Language x='1'/>\n", mistakes)
		doc := strings.Replace(customer, "<Languages>", "<Languages>"+wrong, 1)
		found := requireFindings(t, Customer(), []byte(doc))
		require.Len(t, found, min(mistakes, MaxFindings))
		for i, f := range found {
			require.Equal(t, 19+i, f.Line)
			require.Equal(t, "/Customer/Languages/Language", f.Path)
		}
	}
	// Text of the document that a message quotes neither breaks the line nor makes it long.
	quoting := `<OrdQty xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="&#10;` +
		strings.Repeat("å", 400) + `"`
	found := requireFindings(t, Order(), replaced(t, example(t, "order-minimal.xml"), "<OrdQty", quoting))
	require.Len(t, found, 1)
	require.Equal(t, "unknown xsi:type  "+strings.Repeat("å", 141)+"…", found[0].Message)
}

// No finding ever belongs to another goroutine's document.
func TestValidate_Concurrent(t *testing.T) {
	order := string(admitted(t, example(t, "order.xml")))
	var wg sync.WaitGroup
	failures := make(chan string, 16)
	for g := range 16 {
		wg.Go(func() {
			for i := range 20 {
				name := fmt.Sprintf("a%d-%d", g, i)
				err := Order().Validate([]byte(strings.Replace(order, "<Order ", "<Order "+name+`="" `, 1)))
				refusal, ok := errors.AsType[*Error](err)
				if !ok || len(refusal.Findings) != 1 || refusal.Findings[0].Message != "attribute is not declared: "+name {
					failures <- fmt.Sprintf("%s: %v", name, err)
					return
				}
			}
		})
	}
	wg.Wait()
	close(failures)
	for failure := range failures {
		t.Error(failure)
	}
}

// The schemas of requests include those of documents.
func TestBody(t *testing.T) {
	for _, c := range []struct{ file, root, attributes, valid, invalid, finding string }{
		{"custacc-messages.xsd", "Trade", "", "<Symbol>IBM</Symbol><Quantity>1.5</Quantity>",
			"<Symbol>IBM</Symbol><Quantity>0</Quantity>", "/Trade/Quantity: invalid simple content: minExclusive facet failed"},
		{"security-messages.xsd", "Price", "", "<LastTrade>1</LastTrade><Bid>0.5</Bid>",
			"<Bid>1</Bid>", "/Price: unexpected child element Bid"},
		{"order-messages.xsd", "OrderStatus", ` Stat="8"`, "", "<a/>", "/OrderStatus: unexpected child element"},
	} {
		body := Body(c.file, c.root)
		v := body()
		require.Same(t, v, body(), "compiled more than once")
		start := "<" + c.root + ` xmlns="` + v.root.Space + `"` + c.attributes + ">"
		require.NoError(t, v.Validate(admitted(t, []byte(start+c.valid+"</"+c.root+">"))))
		err := v.Validate(admitted(t, []byte(start+c.invalid+"</"+c.root+">")))
		require.ErrorContains(t, err, c.finding)
	}
}

func TestCompile_Refuses(t *testing.T) {
	source, err := api.Schemas.ReadFile("schema/security.xsd")
	require.NoError(t, err)
	including := strings.Replace(string(source), "<xs:element ", `<xs:include schemaLocation="none.xsd"/><xs:element `, 1)
	for name, c := range map[string]struct{ source, root string }{
		"NoXML":          {"schema", "a"},
		"NoSchema":       {"<a/>", "a"},
		"UnknownRoot":    {string(source), "Securities"},
		"LocalRoot":      {string(source), "Price"},
		"MissingInclude": {including, "Security"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile("x.xsd", []byte(c.source), c.root)
			require.ErrorContains(t, err, "x.xsd")
		})
	}
	_, err = CompileFile("none.xsd", "a")
	require.ErrorContains(t, err, "none.xsd")
}
