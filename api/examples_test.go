package api_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

var update = flag.Bool("update", false, "rewrite api/examples")

// recorder makes the examples: it applies the parameters of the contract to the dataset tiny, and records the bytes.
type recorder struct {
	*testing.T

	doc   *openapi3.T
	d     *dataset.Dataset
	store *sqlite.Store
	files map[string][]byte
}

// clock is when all examples were made.
var clock = tpox.Write{Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}

func TestExamples(t *testing.T) {
	// The file, not the embedded contract: an example that it names may not be written yet.
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	require.NoError(t, err)
	opened, err := sqlite.Open(t.Context(), sqlitetest.Tiny(t), store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	r := &recorder{t, doc, generator(t, "tiny", dataset.TPoX2), opened, map[string][]byte{}}
	r.queries()
	r.service()
	r.problems() // refused, so nothing changes before the writes
	r.writes()

	if *update {
		require.NoError(t, os.RemoveAll("examples"))
		require.NoError(t, os.Mkdir("examples", 0o755))
		for name, b := range r.files {
			require.NoError(t, os.WriteFile(filepath.Join("examples", name), b, 0o644))
		}
	}
	entries, err := os.ReadDir("examples")
	require.NoError(t, err)
	var there []string
	for _, e := range entries {
		there = append(there, e.Name())
		b := testenv.Text(t, filepath.Join("examples", e.Name()))
		require.Equal(t, string(r.files[e.Name()]), b, "%s: go test ./api -update rewrites it", e.Name())
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(r.files)), there)
}

// value returns the example of a parameter in the contract.
func (r *recorder) value(parameter string) string {
	r.Helper()
	p := r.doc.Components.Parameters[parameter]
	require.NotNil(r, p, parameter)
	require.NotNil(r, p.Value.Example, parameter)
	return fmt.Sprint(p.Value.Example)
}

func (r *recorder) id(parameter string) tpox.ID {
	r.Helper()
	id, ok := tpox.ParseID(r.value(parameter))
	require.True(r, ok, parameter)
	return id
}

func (r *recorder) figure(parameter string) int64 {
	r.Helper()
	n, ok := tpox.Scaled(r.value(parameter))
	require.True(r, ok, parameter)
	return n
}

// got returns a function that records the answer of an operation.
func (r *recorder) got(operation string) func(answer []byte, err error) {
	return func(answer []byte, err error) {
		r.Helper()
		require.NoError(r, err, operation)
		r.files[operation+".response.xml"] = answer
	}
}

// sent records the body of a request, and returns it as the service would pass it to the store.
func (r *recorder) sent(operation string, body []byte) []byte {
	r.Helper()
	r.files[operation+".request.xml"] = body
	admitted, err := xmldoc.Admit(body, xmldoc.Limits{})
	require.NoError(r, err, operation)
	return admitted
}

// location requires that the contract shows the location of what was created.
func (r *recorder) location(operation, path string, id tpox.ID) {
	r.Helper()
	header := operations(r.doc)[operation].Responses.Value("201").Value.Headers["Location"]
	require.Equal(r, path+id.String(), header.Value.Example, operation)
}

func (r *recorder) queries() {
	ctx, s := r.Context(), r.store
	customer, symbol := r.id("Customer"), r.value("Symbol")
	r.got("get_order")(s.GetOrder(ctx, r.id("Order")))
	r.got("get_customer")(s.GetCustomer(ctx, customer))
	r.got("customer_profile")(s.CustomerProfile(ctx, customer))
	r.got("account_summary")(s.AccountSummary(ctx, customer))
	r.got("customer_max_order")(s.CustomerMaxOrder(ctx, customer))
	account, err := s.GetAccount(ctx, r.id("Account"))
	r.got("get_account")(account.Document, err)
	require.Equal(r, customer, account.Customer, "the parameters of the contract are not of one customer")
	r.got("get_security")(s.GetSecurity(ctx, symbol))
	r.got("get_security_price")(s.SecurityPrice(ctx, symbol))
	search := tpox.Search{Sector: r.value("Sector"), PEMin: r.figure("PEMin"), PEMax: r.figure("PEMax"),
		YieldMin: r.figure("YieldMin")}
	r.got("search_securities")(s.SearchSecurities(ctx, search))

	// An empty answer would be no example.
	require.Contains(r, string(r.files["search_securities.response.xml"]), "<Symbol>")
	require.Contains(r, string(r.files["customer_max_order.response.xml"]), "<Order")
	require.Contains(r, string(r.files["account_summary.response.xml"]), `ACCOUNT_ID="`+r.value("Account")+`"`)
	require.Contains(r, string(r.files["account_summary.response.xml"]), "<Symbol>"+symbol+"</Symbol>")
}

func (r *recorder) writes() {
	ctx, s := r.Context(), r.store
	customer, account, symbol := r.id("Customer"), r.id("Account"), r.value("Symbol")

	order := r.leased("order")
	body := r.sent("insert_order",
		r.d.AppendNewOrder(nil, r.d.Count(dataset.Order), dataset.NewOrder{ID: int64(order), Time: clock.Now}))
	inserted, err := s.InsertOrder(ctx, clock, body)
	require.NoError(r, err)
	r.location("insert_order", "/v1/orders/", inserted)
	body = r.sent("update_order_status", []byte(`<OrderStatus xmlns="`+tpox.FIXMLNS+`" Stat="2"/>`))
	stat := string(xmldoc.Root(body).Attr("Stat").Text())
	r.got("update_order_status")(s.UpdateOrderStatus(ctx, clock, r.id("Order"), stat))

	opened := r.leased("account")
	body = r.sent("open_account",
		r.d.AppendNewAccount(nil, r.d.Count(dataset.Customer), dataset.NewAccount{ID: int64(opened), Time: clock.Now}))
	opened, err = s.OpenAccount(ctx, clock, customer, body)
	require.NoError(r, err)
	r.location("open_account", "/v1/accounts/", opened)
	require.NoError(r, s.CloseAccount(ctx, clock, customer, opened))

	added := dataset.NewCustomer{ID: int64(r.leased("customer")), Accounts: []int64{int64(r.leased("account"))}}
	body = r.sent("insert_customer", r.d.AppendNewCustomer(nil, r.d.Count(dataset.Customer), added))
	inserted, err = s.InsertCustomer(ctx, clock, body, true)
	require.NoError(r, err)
	r.location("insert_customer", "/v1/customers/", inserted)
	read := r.files["get_customer.response.xml"]
	body = r.sent("replace_customer",
		bytes.Replace(read, []byte("<PremiumCustomer>No<"), []byte("<PremiumCustomer>Yes<"), 1))
	require.NotEqual(r, string(read), string(body), "the example replaces a customer by the same")
	require.NoError(r, s.ReplaceCustomer(ctx, clock, customer, body, true, tpox.Match{tpox.ETag(read)}))

	r.trade("buy_security", tpox.Trade{Side: tpox.Buy, Symbol: symbol, Quantity: "12.5"}, account)
	r.trade("sell_security", tpox.Trade{Side: tpox.Sell, Symbol: symbol, Quantity: "10"}, account)

	price := tpox.Price{LastTrade: "41.25", Ask: "41.5"}
	r.sent("update_security_price",
		[]byte(`<Price xmlns="`+tpox.SecurityNS+`"><LastTrade>`+price.LastTrade+`</LastTrade><Ask>`+price.Ask+`</Ask>`+
			`</Price>`))
	r.got("update_security_price")(s.UpdateSecurityPrice(ctx, clock, symbol, price))
	read, err = s.GetSecurity(ctx, symbol)
	require.NoError(r, err)
	body = r.sent("replace_security", bytes.Replace(read, []byte("<Ask>41.5<"), []byte("<Ask>41.4<"), 1))
	require.NotEqual(r, string(read), string(body), "the example replaces a security by the same")
	require.NoError(r, s.ReplaceSecurity(ctx, clock, symbol, body, true, tpox.Match{tpox.ETag(read)}))

	// lease_ids comes last: the writes above need the first ids.
	count, err := strconv.ParseInt(r.value("Count"), 10, 64)
	require.NoError(r, err)
	lease, err := s.Lease(ctx, r.value("Kind"), count)
	require.NoError(r, err)
	r.answer("lease_ids", node("Lease", "xmlns", serviceNS, "kind", r.value("Kind"), "first", lease.First.String(),
		"count", fmt.Sprint(lease.Count)))
}

// leased returns the first id of a lease.
func (r *recorder) leased(kind string) tpox.ID {
	r.Helper()
	lease, err := r.store.Lease(r.Context(), kind, 1)
	require.NoError(r, err)
	return lease.First
}

func (r *recorder) trade(operation string, trade tpox.Trade, account tpox.ID) {
	r.Helper()
	trade.Now = clock.Now
	r.sent(operation, []byte(`<Trade xmlns="`+tpox.CustAccNS+`"><Symbol>`+trade.Symbol+`</Symbol>`+
		`<Quantity>`+trade.Quantity+`</Quantity></Trade>`))
	r.got(operation)(r.store.Trade(r.Context(), clock, account, trade))
}

// problem is an error response of the service, in XML and in JSON.
type problem struct {
	XMLName   xml.Name `json:"-" xml:"urn:ietf:rfc:7807 problem"`
	Type      string   `json:"type" xml:"type"`
	Title     string   `json:"title" xml:"title"`
	Status    int      `json:"status" xml:"status"`
	Detail    string   `json:"detail,omitempty" xml:"detail,omitempty"`
	Instance  string   `json:"instance" xml:"instance"`
	Operation string   `json:"transaction,omitempty" xml:"transaction,omitempty"`
	RequestID string   `json:"request_id" xml:"request_id"`
	Findings  findings `json:"findings,omitempty" xml:"findings,omitempty"`
}

// findings are an array, whose items are called i in XML (RFC 9457).
type findings []finding

func (f findings) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(struct {
		Items []finding `xml:"i"`
	}{f}, start)
}

type finding struct {
	Line    int    `json:"line,omitempty" xml:"line,omitempty"`
	Column  int    `json:"column,omitempty" xml:"column,omitempty"`
	Path    string `json:"path,omitempty" xml:"path,omitempty"`
	Message string `json:"message" xml:"message"`
}

// problems records one problem for each kind of error response; where the domain refuses, in the words of the domain.
func (r *recorder) problems() {
	ctx, s := r.Context(), r.store
	customer := r.files["get_customer.response.xml"]

	_, err := s.GetOrder(ctx, 999_999_999_999_999)
	r.refused("not-found", "get_order", "/v1/orders/999999999999999", err)
	r.refused("last-account", "close_account", "/v1/customers/1002/accounts/104000000",
		s.CloseAccount(ctx, clock, 1002, 104000000))
	r.refused("stale", "replace_customer", "/v1/customers/"+r.value("Customer"),
		s.ReplaceCustomer(ctx, clock, r.id("Customer"), customer, true, tpox.Match{tpox.ETag(nil)}))
	wrong := strings.NewReplacer("<Gender>", "<Gender>un", "<DateOfBirth>", "<DateOfBirth>on ").Replace(string(customer))
	_, err = s.InsertCustomer(ctx, clock, []byte(wrong), true)
	r.refused("invalid", "insert_customer", "/v1/customers", err)
	_, err = xmldoc.Admit([]byte("<Trade>"), xmldoc.Limits{})
	r.refused("malformed", "buy_security", "/v1/accounts/"+r.value("Account")+"/buy", err)

	for _, p := range []struct{ kind, operation, instance, detail string }{
		{"unauthorized", "get_order", "/v1/orders/103282", "a valid bearer token is needed"},
		{"forbidden", "insert_order", "/v1/orders", "the token does not have the scope trade"},
		{"method-not-allowed", "", "/v1/orders/103282",
			"the method is not allowed for this path; the header Allow lists the allowed methods"},
		{"misdirected", "get_order", "/v1/orders/103282", `the service does not answer for the host "evil.example"; ` +
			"the operator can add a name by --host, or accept any by --tokens"},
		{"not-acceptable", "get_order", "/v1/orders/103282", "the answer is available only as application/xml or text/xml"},
		{"too-large", "insert_customer", "/v1/customers", "the body exceeds the limit"},
		{"unsupported-media-type", "insert_order", "/v1/orders",
			"the body must be application/xml or text/xml, without a Content-Encoding"},
		{"too-many-requests", "get_order", "/v1/orders/103282",
			"the client has used up its quota of requests; retry in 1 s"},
		{"internal", "get_order", "/v1/orders/103282", ""},
		{"damaged", "get_order", "/v1/orders/103282", ""},
		{"overloaded", "get_order", "/v1/orders/103282", ""},
		{"timeout", "search_securities", "/v1/securities", ""},
	} {
		var err error
		if p.detail != "" {
			err = errors.New(p.detail)
		}
		r.refused(p.kind, p.operation, p.instance, err)
	}
}

// refused records a problem, with title and status of its type in the contract.
func (r *recorder) refused(kind, operation, instance string, err error) {
	r.Helper()
	known := problemTypes(r, r.doc)[kind]
	require.NotZero(r, known.status, kind)
	p := problem{Type: typePrefix + kind, Title: known.title, Status: known.status, Instance: instance,
		Operation: operation, RequestID: "01JGJ5C3T8XW"}
	if err != nil {
		p.Detail = err.Error()
	}
	if invalid := (*tpox.Invalid)(nil); errors.As(err, &invalid) {
		for _, f := range invalid.Findings {
			p.Findings = append(p.Findings, finding(f))
		}
	}
	if malformed := (*xmldoc.Error)(nil); errors.As(err, &malformed) {
		p.Detail = malformed.Msg
		p.Findings = findings{{Line: malformed.Line, Column: malformed.Column, Message: malformed.Msg}}
	}
	b, err := xml.Marshal(p)
	require.NoError(r, err)
	r.files["problem."+kind+".xml"] = b
	if kind == "invalid" { // once is enough: both forms have the same members
		b, err = json.Marshal(p)
		require.NoError(r, err)
		r.files["problem."+kind+".json"] = b
	}
}
