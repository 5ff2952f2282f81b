package schema

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"brokerage/api"
)

func TestValidate_Examples(t *testing.T) {
	for _, s := range schemaFiles {
		for _, name := range s.examples {
			t.Run(name, func(t *testing.T) {
				doc := example(t, name)
				require.NoError(t, s.validator().Validate(admitted(t, doc)))
				for _, other := range schemaFiles {
					if other.file != s.file {
						_ = requireFindings(t, other.validator(), doc)
					}
				}
			})
		}
	}
}

func TestValidate_Kit(t *testing.T) {
	for _, s := range schemaFiles {
		for _, name := range s.kit {
			t.Run(name, func(t *testing.T) {
				require.NoError(t, s.validator().Validate(admitted(t, kitFile(t, name))))
			})
		}
	}
}

func TestValidate_Customer(t *testing.T) { testRules(t, Customer(), "customer.xml") }

func TestValidate_Security(t *testing.T) {
	testRules(t, Security(), "security-stock.xml")
	testRules(t, Security(), "security-fund.xml")
}

func TestValidate_Order(t *testing.T) {
	testRules(t, Order(), "order.xml")
	testRules(t, Order(), "order-minimal.xml")
}

func testRules(t *testing.T, v *Validator, file string) {
	for _, r := range rules[file] {
		t.Run(r.path+" "+r.message, func(t *testing.T) {
			doc := admitted(t, replaced(t, example(t, file), r.from, r.to))
			refusal := requireFindings(t, v, doc)
			require.Len(t, refusal.Findings, 1)
			f := refusal.Findings[0]
			require.Equal(t, r.message, f.Message)
			require.Equal(t, "/"+v.root.Local+r.path, f.Path)
			require.Equal(t, r.position, fmt.Sprintf("%d:%d", f.Line, f.Column))
			requireTag(t, doc, f)
		})
	}
}

// requireTag checks the expectation against the document: at the position of a finding is the tag of its path.
func requireTag(t *testing.T, doc []byte, f Finding) {
	t.Helper()
	if strings.Contains(f.Message, "white space") || strings.Contains(f.Message, "found the text") {
		return
	}
	rest := strings.SplitN(string(doc), "\n", f.Line+1)[f.Line-1]
	for range f.Column - 1 {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	name := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
	name, _, _ = strings.Cut(name, "[")
	require.Regexp(t, `^</?(\w+:)?`+name+`[ >]`, rest)
}

// allowed are edits of documents that the schemas allow: with the project's extensions, and with what a stricter schema
// might refuse.
var allowed = []struct {
	name, file, from, to string
	validator            func() *Validator
}{
	{"AccountWithoutPosition", "customer.xml", "<Position>…</Quantity>\n        </Position>", "", Customer},
	{"NoAddress", "customer.xml", "<Address primary…</EmailAddresses>", "", Customer},
	{"NoTitle", "customer.xml", "<Title>Dr</Title>", "", Customer},
	{"EmptyText", "customer.xml", "Norwegian", "", Customer},
	{"AccountIDText", "customer.xml", `id="104000000"`, `id="main"`, Customer},
	{"NegativeID", "customer.xml", `id="1002"`, `id="-1"`, Customer},
	{"DateWithZone", "customer.xml", "1961-04-30", "1961-04-30+01:00", Customer},
	{"DateWithBlanks", "customer.xml", "1961-04-30", " 1961-04-30\n", Customer},
	{"EmptyDescription", "security-stock.xml", "<BusinessSummary>…</BusinessSummary>", "", Security},
	{"TrailingZeros", "security-stock.xml", "21.75", "00021.750000", Security},
	{"ThirteenDigits", "security-stock.xml", "21.75", "123456789.1234", Security},
	{"StockWithoutIndustry", "security-stock.xml", "<Industry>Water…Operations</Industry>", "", Security},
	{"FundWithoutStyles", "security-fund.xml", "<s:Category…\"High\"/>", "", Security},
	{"OtherSchemaLocation", "customer.xml", "custacc custacc.xsd", "custacc http://example.org/none.xsd", Customer},
	{"NoAcct", "order-minimal.xml", ` Acct="104000000"`, "", Order},
	{"EveryStatus", "order.xml", `Stat="A"`, `Stat="4"`, Order},
	{"OtherEdition", "order.xml", `s="20040109"`, `s="20041218"`, Order},
}

func TestValidate_Allowed(t *testing.T) {
	for _, c := range allowed {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, c.validator().Validate(admitted(t, replaced(t, example(t, c.file), c.from, c.to))))
		})
	}
}

func TestValidate_DocumentElement(t *testing.T) {
	const order = `<Order ID="1" Side="2" TxnTm="2006-03-01T14:05:00" Typ="1" ` +
		`xmlns="http://www.fixprotocol.org/FIXML-4-4">` +
		`<Instrmt/><OrdQty/></Order>`
	for _, c := range []struct {
		name, doc, path, message string
		validator                func() *Validator
	}{
		{"GlobalButNotTheDocument", order, "/Order", "expected the document element <FIXML>, found <Order>", Order},
		{"Keyword", `<CEO xmlns="http://tpox-benchmark.com/security">X</CEO>`, "/CEO",
			"expected the document element <Security>, found <CEO>", Security},
		{"Cipher", `<CipherData xmlns="http://tpox-benchmark.com/custacc"/>`, "/CipherData",
			"expected the document element <Customer>, found <CipherData>", Customer},
		{"Unknown", `<Client xmlns="http://tpox-benchmark.com/custacc"/>`, "/Client",
			"expected the document element <Customer>, found <Client>", Customer},
		{"UnknownWithLocation", `<Client xmlns="http://tpox-benchmark.com/custacc" ` +
			`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://tpox-benchmark.com/custacc x"/>`,
			"/Client", "expected the document element <Customer>, found <Client>", Customer},
		{"NoNamespace", `<Customer/>`, "/Customer", "expected the document element <Customer> of namespace " +
			`"http://tpox-benchmark.com/custacc", found <Customer> of no namespace`, Customer},
		// The engine accepts this one: the element is not declared, but names a type.
		{"NoNamespaceButType", `<FIXML xmlns:f="http://www.fixprotocol.org/FIXML-4-4" ` +
			`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="f:Envelope"><f:Order ID="1" Side="2" ` +
			`TxnTm="2006-03-01T14:05:00" Typ="1"><f:Instrmt/><f:OrdQty/></f:Order></FIXML>`, "/FIXML",
			"expected the document element <FIXML> of namespace " +
				`"http://www.fixprotocol.org/FIXML-4-4", found <FIXML> of no namespace`, Order},
	} {
		t.Run(c.name, func(t *testing.T) {
			refusal := requireFindings(t, c.validator(), []byte(c.doc))
			require.Equal(t, []Finding{{Line: 1, Column: 1, Path: c.path, Message: c.message}}, refusal.Findings)
		})
	}
}

// The document element is recognised by its namespace, however that is declared.
func TestValidate_Namespaces(t *testing.T) {
	v := compiled(t, `<xs:element name="r"><xs:complexType><xs:attribute name="x" type="xs:string"/></xs:complexType>
		</xs:element>
		<xs:element name="rr" type="xs:string"/>`)
	for doc, want := range map[string]bool{
		`<r xmlns="urn-t"/>`:                         true,
		`<p:r x=">" xmlns="urn:b" xmlns:p="urn-t"/>`: true,
		`<r xmlns="urn&#45;t"/>`:                     true,
		`<r xmlns:p="urn-t"/>`:                       false,
		`<p:r xmlns="urn-t" xmlns:p="urn:b"/>`:       false,
		`<s xmlns="urn-t"/>`:                         false,
		`<rr xmlns="urn-t"/>`:                        false,
		`<r x="xmlns='urn-t'"/>`:                     false,
	} {
		valid, err := verdict(t, v, doc)
		require.Equal(t, want, valid, "%s: %v", doc, err)
	}
}

// White space in an element that must be empty is a finding, although the engine overlooks it.
func TestValidate_BlankInEmpty(t *testing.T) {
	v := compiled(t, `<xs:element name="r"><xs:complexType><xs:sequence><xs:element name="e" minOccurs="0">
		<xs:complexType><xs:attribute name="x" type="xs:string"/></xs:complexType></xs:element></xs:sequence>
		</xs:complexType></xs:element>`)
	for content, want := range map[string]bool{
		`<e/>`:                                true,
		` <e/> `:                              true,
		`<e x=">"></e>`:                       true,
		`<p:e xmlns:p="urn-t"></p:e>`:         true,
		`<e> </e>`:                            false,
		`<e>&#13;</e>`:                        false,
		`<e><b/></e>`:                         false,
		`<p:e xmlns:p="urn-t" x="/>"> </p:e>`: false,
	} {
		valid, err := verdict(t, v, `<r xmlns="urn-t">`+content+`</r>`)
		require.Equal(t, want, valid, "%s: %v", content, err)
	}
}

// A document over the limits of the engine has one finding.
func TestValidate_Excessive(t *testing.T) {
	refusal := requireFindings(t, Customer(), []byte("<a>"+strings.Repeat(" ", 17<<20)+"</a>"))
	require.Len(t, refusal.Findings, 1)
	require.Less(t, len(refusal.Error()), 2000)
}

// Several mistakes give several findings, and one mistake does not give several.
func TestValidate_Findings(t *testing.T) {
	type edit struct{ from, to string }
	for name, c := range map[string]struct {
		edits []edit
		want  []string
	}{
		"Independent": {[]edit{
			{"<Title>Dr</Title>\n    <FirstName>Åsa</FirstName>", "<Title>Dr</Title>"},
			{`<Phone primary="Yes" type="Home">`, `<Phone primary="?" kind="Home">`},
			{"<Nationality>Swedish</Nationality>\n", "\n"},
			{"<WorkingBalance>90</WorkingBalance>", ""},
		}, []string{
			"line 9, column 5, /Customer/Name/MiddleName[1]: expected <FirstName>, found <MiddleName>",
			"line 17, column 3, /Customer/CountryOfResidence: expected <Nationality>, found <CountryOfResidence>",
			"line 35, column 9, /Customer/Addresses/Address[1]/Phones/Phone[1]: " +
				`attribute primary: expected Yes or No, found "?"`,
			"line 35, column 9, /Customer/Addresses/Address[1]/Phones/Phone[1]: attribute is not declared: kind",
			"line 35, column 9, /Customer/Addresses/Address[1]/Phones/Phone[1]: missing required attribute type",
			"line 165, column 7, /Customer/Accounts/Account[2]/Balance: expected <WorkingBalance>, found the end of <Balance>",
		}},
		"TwoMissing": {[]edit{
			{"<Title>Dr</Title>\n    <FirstName>Åsa</FirstName>…<Suffix>", "<Suffix>"},
			{"<Languages>…</Languages>", ""},
		}, []string{
			"line 8, column 5, /Customer/Name/Suffix: expected <Title> or <FirstName>, found <Suffix>",
			"line 15, column 3, /Customer/Addresses: expected <Languages>, found <Addresses>",
		}},
		"Misspelt": {[]edit{
			{"<Gender> Female </Gender>", "<Sex> Female </Sex>"},
			{"<WorkingBalance>90</WorkingBalance>", "<WorkBalance>90</WorkBalance>"},
		}, []string{
			"line 16, column 3, /Customer/Sex: expected <Gender>, found <Sex>",
			"line 165, column 9, /Customer/Accounts/Account[2]/Balance/WorkBalance: expected <WorkingBalance>, found " +
				"<WorkBalance>",
		}},
		"Swapped": {[]edit{
			{"<DateOfBirth>1961-04-30</DateOfBirth>\n  <Gender> Female </Gender>",
				"<Gender> Female </Gender>\n  <DateOfBirth>1961-04-30</DateOfBirth>"},
		}, []string{
			"line 15, column 3, /Customer/Gender: expected <DateOfBirth>, found <Gender>",
			"line 16, column 3, /Customer/DateOfBirth: expected <Nationality>, found <DateOfBirth>",
		}},
		"InEmptyElements": {[]edit{{`<Hop ID="EDGE"/>`, `<Hop ID="EDGE" Ref="0"> </Hop>`}}, []string{
			`line 5, column 7, /FIXML/Order/Hdr/Hop[2]: attribute Ref: expected a whole number above 0, found "0"`,
			"line 5, column 30, /FIXML/Order/Hdr/Hop[2]: expected nothing in <Hop>, found white space",
		}},
		"UnknownType": {[]edit{{"<Gender>", `<Gender xsi:type="Sex">`}}, []string{
			"line 16, column 3, /Customer/Gender: expected a type of the schema in xsi:type",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			v, doc := Customer(), example(t, "customer.xml")
			if strings.Contains(c.want[0], "/FIXML/") {
				v, doc = Order(), example(t, "order.xml")
			}
			for _, e := range c.edits {
				doc = replaced(t, doc, e.from, e.to)
			}
			var got []string
			for _, f := range requireFindings(t, v, doc).Findings {
				got = append(got, f.String())
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestValidate_FindingsCut(t *testing.T) {
	customer := string(example(t, "customer.xml"))
	for _, mistakes := range []int{MaxFindings - 1, MaxFindings, MaxFindings + 1, 10 * MaxFindings} {
		languages := strings.Repeat("<Language x='1'/>", mistakes)
		doc := strings.Replace(customer, "<Languages>", "<Languages>"+languages, 1)
		refusal := requireFindings(t, Customer(), []byte(doc))
		findings := min(mistakes, MaxFindings)
		require.Len(t, refusal.Findings, findings)
		require.Equal(t, fmt.Sprintf("/Customer/Languages/Language[%d]", findings), refusal.Findings[findings-1].Path)
		require.NotContains(t, refusal.Error(), "\n")
	}
}

func TestError_OneLine(t *testing.T) {
	doc := replaced(t, example(t, "customer.xml"), "> Female <", ">\n"+strings.Repeat("å", 100)+"\t<")
	refusal := requireFindings(t, Customer(), doc)
	require.Equal(t, "line 16, column 3, /Customer/Gender: expected Female or Male, found "+
		`"\n`+strings.Repeat("å", 39)+`"…`, refusal.Error())
}

func TestCompile_Refuses(t *testing.T) {
	source, err := api.Schemas.ReadFile("schema/security.xsd")
	require.NoError(t, err)
	for name, c := range map[string]struct{ source, root string }{
		"NoXML":        {"schema", "a"},
		"NoSchema":     {"<a/>", "a"},
		"UnknownRoot":  {string(source), "Securities"},
		"LocalRoot":    {string(source), "Price"},
		"AbstractRoot": {string(source), "AnyKeyword"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile("x.xsd", []byte(c.source), c.root)
			require.ErrorContains(t, err, "x.xsd")
		})
	}
}

// Mistakes that the explanations do not understand are left to the engine; the verdict does not change.
func TestCompile_UnfamiliarSchema(t *testing.T) {
	v, err := Compile("trade.xsd", []byte(`
		<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" xmlns="urn:t">
		  <xs:element name="Trade" type="Wide"/>
		  <xs:complexType name="Narrow"><xs:sequence><xs:element name="Symbol" type="xs:NCName"/></xs:sequence>
		</xs:complexType>
		  <xs:complexType name="Wide"><xs:complexContent><xs:extension base="Narrow"><xs:sequence>
		    <xs:any namespace="##other" processContents="skip" minOccurs="0"/>
		    <xs:element name="Note" nillable="true"><xs:complexType/></xs:element>
		    <xs:element name="Loop" minOccurs="0"><xs:complexType><xs:sequence>
		      <xs:element ref="Trade" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
		  </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
		</xs:schema>`), "Trade")
	require.NoError(t, err)
	require.NoError(t,
		v.Validate([]byte(`<t:Trade xmlns:t="urn:t"><Symbol>A</Symbol><o:x xmlns:o="o"></o:x><Note></Note></t:Trade>`)))

	refusal := requireFindings(t, v, []byte(`<t:Trade xmlns:t="urn:t"><Symbol>1</Symbol><Nope/></t:Trade>`))
	require.Len(t, refusal.Findings, 3)
	require.Equal(t, Finding{1, 35, "/Trade/Symbol", "invalid simple content: invalid NCName"}, refusal.Findings[0])
	require.Equal(t, Finding{1, 44, "/Trade/Nope", "unexpected child element Nope"}, refusal.Findings[1])
	require.Equal(t, Finding{1, 57, "/Trade", "missing required child element"}, refusal.Findings[2])
}

// TestValidate_Concurrent: no finding ever belongs to another goroutine's document. Every document has a mistake with
// its own position and message, and every goroutine knows the expected finding.
func TestValidate_Concurrent(t *testing.T) {
	customer, order := admitted(t, example(t, "customer.xml")), admitted(t, example(t, "order.xml"))
	var wg sync.WaitGroup
	failures := make(chan string, 32)
	for g := range 32 {
		wg.Go(func() {
			for i := range 20 {
				v, doc, path, word := Customer(), customer, "", ""
				switch mark := fmt.Sprintf("%d.%d", g, i); (g + i) % 4 {
				case 1:
					path, word = fmt.Sprintf("/Customer/Languages/Language[%d]", g+1), mark
					wrong := strings.Repeat("<Language></Language>", g) +
						fmt.Sprintf("<Language><x%s></x%[1]s></Language>", mark)
					doc = []byte(strings.Replace(string(doc), "<Languages>", "<Languages>"+wrong, 1))
				case 2:
					v, path, word = Order(), "/FIXML/Order", mark+"z"
					doc = []byte(strings.Replace(string(order), `Px="-17.45"`, `Px="`+mark+`z"`, 1))
				case 3:
					v, doc = Order(), order
				}
				err := v.Validate(doc)
				if path == "" {
					if err != nil {
						failures <- err.Error()
						return
					}
					continue
				}
				refusal, ok := errors.AsType[*Error](err)
				if !ok || len(refusal.Findings) != 1 || !strings.HasPrefix(refusal.Findings[0].Path, path) ||
					!strings.Contains(refusal.Findings[0].Message, word) {
					failures <- fmt.Sprintf("%s %s: %v", path, word, err)
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

// withoutSessions returns a new validator of customers, whose pool is empty.
func withoutSessions(t *testing.T) *Validator {
	t.Helper()
	v, err := CompileFile("custacc.xsd", "Customer")
	require.NoError(t, err)
	for v.idle.Get() != nil { // also workers that the race detector hides in the pool
	}
	return v
}

// brokenSession panics once, in the middle of a document.
type brokenSession struct{ calls int }

func (s *brokenSession) Validate(context.Context, io.Reader) error {
	s.calls++
	panic("broken")
}

// TestValidate_Panic: a session that panicked is not used again, and the next validation gets another.
func TestValidate_Panic(t *testing.T) {
	v := withoutSessions(t)
	broken := &brokenSession{}
	v.idle.Put(&worker{session: broken})
	doc := admitted(t, example(t, "customer.xml"))
	// The pool may return it at any time, but only once.
	valid := 0
	for range 20 {
		func() {
			defer func() { _ = recover() }()
			require.NoError(t, v.Validate(doc))
			valid++
		}()
	}
	require.LessOrEqual(t, broken.calls, 1)
	require.GreaterOrEqual(t, valid, 19)
}

// A session that fails without a finding about the document does not make the document invalid.
func TestValidate_NotJudged(t *testing.T) {
	v := withoutSessions(t)
	failure := errors.New("out of order")
	v.open = func() (engineSession, error) { return nil, failure }
	err := v.Validate(admitted(t, example(t, "customer.xml")))
	require.ErrorIs(t, err, failure)
	_, refused := errors.AsType[*Error](err)
	require.False(t, refused)
}
