package httpapi

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// The differential test sends the same requests, valid and not, to the service over two stores. Status, headers,
// problems and canonical answers must be the same, and so must what reads return after a write. Answers
// constructed of stored documents that are not valid may differ. Requests depend only on a seed and on answers:
//
//	BROKERAGE_DIFFER=50000    how many requests (1,000; CI sends 2,000)
//	BROKERAGE_DIFFER_SEED=7   which ones (1); random is another seed each time

// perPair is the number of requests that go to each pair of stores. A seed determines these requests.
const perPair = 200

// twins are two servers with the same data in their stores.
type twins struct {
	one, two *Server
	d        *dataset.Dataset
	// lenient is for a database that writes decimals in its own way, and finds other faults first: of the body of a
	// refusal, only the type is compared.
	lenient bool
}

// asked is a request, and the targets that it may change.
type asked struct {
	method, target, body string
	headers, after       []string
}

func (q asked) String() string {
	return fmt.Sprintf("%s %s %q\n%.2000s", q.method, q.target, q.headers, q.body)
}

// asker draws requests from a seed and from earlier answers, so that most documents that the requests name exist.
type asker struct {
	r    *rand.Rand
	d    *dataset.Dataset
	read func(target string) answer

	orders []int64
	owned  [][2]int64 // a customer and an account of it
	keyed  []asked    // requests with an idempotency key
	tags   []string
	ids    int64 // of new documents
}

func newAsker(seed uint64, d *dataset.Dataset, read func(string) answer) *asker {
	a := &asker{r: rand.New(rand.NewPCG(seed, 16)), d: d, read: read, tags: []string{`"x"`}} //nolint:gosec // repeatable
	for range 40 {
		a.orders = append(a.orders, d.ID(dataset.Order, a.r.Int64N(d.Count(dataset.Order))))
		k := a.r.Int64N(d.Count(dataset.Customer))
		for j := range d.Accounts(k) {
			a.owned = append(a.owned, [2]int64{d.ID(dataset.Customer, k), d.FirstAccount(k) + int64(j)})
		}
	}
	return a
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (a *asker) chance(percent int) bool { return a.r.IntN(100) < percent }

// newID returns a new id for a document, or occasionally the value of other.
func (a *asker) newID(other int64) int64 {
	if a.chance(15) {
		return other
	}
	a.ids++
	return 900_000_000_000 + a.ids
}

// key returns a key as a part of a path, or occasionally an odd one.
func (a *asker) key(usual any) string {
	if a.chance(8) {
		return one(a.r, "0", "007", "-1", "999999999999999", "9999999999999999", "%D9%A1", "1002%00", "x", "%20", "1002.0",
			"A%2FB", "%E2%82%AC", "TOOLONGSYMBOL", "%FF", "A%0A", "A'--")
	}
	return url.PathEscape(fmt.Sprint(usual))
}

// number returns the usual number or, in one call of five, one of oddNumbers.
func (a *asker) number(usual string) string {
	if a.chance(20) {
		return one(a.r, oddNumbers...)
	}
	return usual
}

// next draws a request: an operation, its document, which may be odd, and headers.
func (a *asker) next() asked {
	if len(a.keyed) > 0 && a.chance(4) {
		return one(a.r, a.keyed...) // again
	}
	q := a.draw()
	if q.body != "" {
		q.headers = append(q.headers, "Content-Type: application/xml")
	}
	condition := one(a.r, "*", `"x"`, "x", "", one(a.r, a.tags...))
	if path, _, _ := strings.Cut(q.target, "?"); a.chance(50) {
		condition = a.read(path).Header.Get("Etag")
	}
	switch {
	case q.method == http.MethodGet && a.chance(15):
		q.headers = append(q.headers, "If-None-Match: "+condition)
	case q.method == http.MethodPut && a.chance(30):
		q.headers = append(q.headers, "If-Match: "+condition)
	case q.method == http.MethodPost && a.chance(15):
		q.headers = append(q.headers, fmt.Sprintf("Idempotency-Key: key-%d", a.r.IntN(20)))
		a.keyed = append(a.keyed, q)
	}
	return q
}

// draw draws an operation. It prefers operations in which more can go wrong.
func (a *asker) draw() asked {
	owned, order, symbol := one(a.r, a.owned...), one(a.r, a.orders...), a.d.Symbol(a.r.IntN(30))
	customers, accounts := "/v1/customers/"+a.key(owned[0]), "/v1/accounts/"+a.key(owned[1])
	orders, securities := "/v1/orders/"+a.key(order), "/v1/securities/"+a.key(symbol)
	get := func(target string) asked { return asked{method: "GET", target: target} }
	validate := one(a.r, "", "?validate=no", "?validate=no", "?validate=yes", "?validate=maybe")
	ofCustomer := []string{customers, customers + "/profile", customers + "/statement", customers + "/orders/largest",
		accounts}
	ofSecurity := []string{securities, securities + "/price"}
	for _, sector := range dataset.Sectors() {
		ofSecurity = append(ofSecurity,
			"/v1/securities?sector="+url.QueryEscape(sector)+"&peMin=0&peMax=9999999999999&yieldMin=0")
	}
	switch a.r.IntN(24) {
	case 0, 1:
		return get(orders)
	case 2, 3:
		return get(one(a.r, ofCustomer...))
	case 4:
		return get(one(a.r, securities, securities+"/price"))
	case 5, 6:
		return get(a.search(symbol))
	case 7, 8:
		path := "/v1/customers/" + a.key(owned[0]) + "/accounts/" + a.key(owned[1])
		return asked{method: "DELETE", target: path, after: ofCustomer}
	case 9:
		doc := a.d.AppendNewAccount(nil, a.r.Int64N(1000), dataset.NewAccount{ID: a.newID(owned[1])})
		return asked{method: "POST", target: customers + "/accounts", body: a.odd(doc, 40), after: ofCustomer}
	case 10, 11:
		doc := `<Price xmlns="` + tpox.SecurityNS + `"><LastTrade>` + a.number("68.50") + `</LastTrade><Ask>` +
			a.number("71.5") + `</Ask></Price>`
		return asked{method: "PUT", target: securities + "/price", body: a.odd([]byte(doc), 10), after: ofSecurity}
	case 12:
		doc := `<OrderStatus xmlns="` + tpox.FIXMLNS + `" Stat="` + one(a.r, "0", "1", "4", "8", "A", "zz", "", "é") + `"/>`
		return asked{method: "PUT", target: orders + "/status", body: a.odd([]byte(doc), 15), after: []string{orders}}
	case 13, 14, 15:
		doc := tradeOf(one(a.r, symbol, symbol, symbol, "NOSUCH", "é"), a.number(one(a.r, "1", "2.5", "100000")))
		target := accounts + one(a.r, "/buy", "/buy", "/sell")
		return asked{method: "POST", target: target, body: a.odd([]byte(doc), 10), after: ofCustomer}
	case 16, 17:
		doc := a.d.AppendNewOrder(nil, a.r.Int64N(10_000),
			dataset.NewOrder{ID: a.newID(order), Account: owned[1], Symbol: symbol, Time: clock})
		return asked{method: "POST", target: "/v1/orders", body: a.odd(doc, 60), after: ofCustomer}
	case 18:
		doc := a.d.AppendNewCustomer(nil, a.r.Int64N(1000),
			dataset.NewCustomer{ID: a.newID(owned[0]), Accounts: []int64{a.newID(owned[1]), a.newID(owned[1])}})
		return asked{method: "POST", target: "/v1/customers" + validate, body: a.odd(doc, 50), after: ofCustomer}
	case 19:
		return asked{method: "DELETE", target: orders, after: append(ofCustomer, orders)}
	case 20:
		return asked{method: "DELETE", target: customers, after: ofCustomer}
	case 21:
		now := a.read(fmt.Sprint("/v1/customers/", owned[0])).body
		return asked{method: "PUT", target: customers + validate, body: a.odd([]byte(now), 80), after: ofCustomer}
	case 22:
		now := a.read("/v1/securities/" + url.PathEscape(symbol)).body
		return asked{method: "PUT", target: securities + validate, body: a.odd([]byte(now), 80), after: ofSecurity}
	default:
		return asked{method: "POST", headers: []string{"Content-Type: application/xml"},
			target: "/v1/dataset/leases?kind=" + one(a.r, "order", "customer", "account", "x", "") + "&count=" +
				one(a.r, "1", "10", "0", "x", "10000000000")}
	}
}

func (a *asker) search(symbol string) string {
	values := url.Values{
		"sector":   {one(a.r, "Energy", "Energy", "Technology", "Basic Materials", "energy", "", "\x00", "\xff", "&<>")},
		"peMin":    {a.number(one(a.r, "0", "20", "22.84"))},
		"peMax":    {a.number(one(a.r, "27", "1000", "22.84"))},
		"yieldMin": {a.number(one(a.r, "0", "4", "0.01"))},
	}
	if a.chance(30) {
		values.Set("limit", one(a.r, "1", "2", "5", "1000", "0", "x"))
		s := tpox.Search{Sector: values.Get("sector")}
		s.PEMin, _ = tpox.Scaled(values.Get("peMin"))
		s.PEMax, _ = tpox.Scaled(values.Get("peMax"))
		s.YieldMin, _ = tpox.Scaled(values.Get("yieldMin"))
		values.Set("cursor", one(a.r, cursorOf(s, symbol), cursorOf(s, symbol), "x"))
	}
	return "/v1/securities?" + values.Encode()
}

// Values that stores may read in different ways. None is white space alone, which some stores strip.
var (
	oddNumbers = []string{"0", "-0", "+1.5", " 7 ", "1.", ".5", "1e3", "NaN", "INF", "-1", "007", "1,5", "", "1٣",
		"99999999999999999999.99", "0.00000000000000000001", "1.00001", "9999999999999", "10000000000000"}
	oddTexts = []string{"", "a&b", "<x>", "x\r", "]]>", "é",
		"株式 \U0001F600", "  two  blanks ", "e\u0301", "0", "-1", "x"}
	oddSpaces = []string{"urn:x", "relative", "http://x/%zz", "http://[::1]:80/a", "a#b?c", "mailto:a@b", "1a:b"}
	oddNames  = []string{"xml:lang", "xml:id", "xml:base", "odd", "id", "Cash", "Stat", "ID", "Acct", "é"}
	oddTags   = []string{"odd", "Name", "Symbol", "Quantity", "Position", "Currency", "Sector", "PE", "LastTrade",
		"Account"}
)

// odd returns a document unchanged, or changes up to four of its elements: mostly it is not valid afterwards.
func (a *asker) odd(doc []byte, percent int) string {
	parsed := etree.NewDocument()
	if !a.chance(percent) || parsed.ReadFromBytes(doc) != nil {
		return string(doc)
	}
	for range 1 + a.r.IntN(4) {
		n := one(a.r, append(parsed.Root().FindElements(".//*"), parsed.Root())...)
		value := one(a.r, one(a.r, oddNumbers...), one(a.r, oddTexts...))
		switch parent := n.Parent(); a.r.IntN(10) {
		case 0, 1, 2:
			n.SetText(value)
		case 3, 4:
			n.CreateAttr(one(a.r, oddNames...), value)
		case 5:
			n.CreateAttr("xmlns:s", one(a.r, oddSpaces...))
		case 6:
			n.CreateElement(one(a.r, oddTags...)).SetText(value)
		case 7:
			if len(n.Attr) > 0 {
				// Validators differ in a schemaLocation that is not a list of pairs: Xerces accepts it.
				if attr := &n.Attr[a.r.IntN(len(n.Attr))]; attr.Key != "schemaLocation" {
					attr.Value = value
				}
			}
		case 8:
			if n != parsed.Root() {
				parent.RemoveChild(n)
			}
		default:
			if n != parsed.Root() && n.Tag != "Order" { // stores index a second order differently: see storetest
				parent.InsertChildAt(a.r.IntN(len(parent.Child)+1), n.Copy())
			}
		}
	}
	text, err := parsed.WriteToString()
	if err != nil {
		return string(doc)
	}
	if root := parsed.Root(); a.chance(10) { // with prefixes
		text = strings.NewReplacer("</", "</p:", "<", "<p:", " xmlns=", " xmlns:p=").Replace(text)
		text = strings.Replace(text, "<p:"+root.Tag, "<p:"+root.Tag+` xmlns:unused="urn:u"`, 1)
	}
	return text
}

// learn remembers what a request has made, so that later requests can name it.
func (a *asker) learn(q asked, got answer) {
	if tag := got.Header.Get("Etag"); tag != "" {
		a.tags = append(a.tags, tag)
	}
	location := got.Header.Get("Location")
	id, err := strconv.ParseInt(location[strings.LastIndexByte(location, '/')+1:], 10, 64)
	switch {
	case got.StatusCode != http.StatusCreated || err != nil:
	case strings.HasPrefix(location, "/v1/orders/"):
		a.orders = append(a.orders, id)
	case strings.HasPrefix(location, "/v1/customers/"):
		for _, m := range regexp.MustCompile(`Account id="(\d{1,15})"`).FindAllStringSubmatch(q.body, -1) {
			account, _ := strconv.ParseInt(m[1], 10, 64)
			a.owned = append(a.owned, [2]int64{id, account})
		}
	default:
		customer, _ := strconv.ParseInt(strings.Split(q.target, "/")[3], 10, 64)
		a.owned = append(a.owned, [2]int64{customer, id})
	}
}

// differ sends requests to twins, perPair to each pair, and ends with the first pair that differs.
func differ(t *testing.T, open func(testing.TB) twins) {
	t.Helper()
	setting := func(name string, otherwise uint64) uint64 {
		if os.Getenv(name) == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(os.Getenv(name), 10, 64)
		require.NoError(t, err)
		return n
	}
	requests := int(setting("BROKERAGE_DIFFER", 1000)) //nolint:gosec // a small number
	seed := rand.Uint64N(1 << 32)
	if os.Getenv("BROKERAGE_DIFFER_SEED") != "random" {
		seed = setting("BROKERAGE_DIFFER_SEED", 1)
	}
	for ; requests > 0 && !t.Failed(); requests, seed = requests-perPair, seed+1 {
		t.Run(fmt.Sprintf("Seed%d", seed), func(t *testing.T) {
			w := open(t)
			a := newAsker(seed, w.d, func(target string) answer { return ask(w.one, "GET", target, "") })
			for n := range min(requests, perPair) {
				q := a.next()
				got := w.requireSame(t, q, "request %d of BROKERAGE_DIFFER_SEED=%d: %s", n, seed, q)
				if got.StatusCode < 300 {
					for _, target := range slices.Concat(q.after, got.Header.Values("Location")) {
						w.requireSame(t, asked{method: "GET", target: target}, "%s after request %d of "+
							"BROKERAGE_DIFFER_SEED=%d: %s", target, n, seed, q)
					}
				}
				a.learn(q, got)
			}
		})
	}
}

// requireSame requires that a request has the same outcome on both servers.
func (w twins) requireSame(t *testing.T, q asked, what string, args ...any) answer {
	t.Helper()
	headers := append([]string{"X-Request-Id: one-of-two"}, q.headers...)
	got, other := ask(w.one, q.method, q.target, q.body, headers...), ask(w.two, q.method, q.target, q.body, headers...)
	require.Less(t, max(got.StatusCode, other.StatusCode), 500, fmt.Sprintf(what, args...)+got.body+other.body)
	one, two := w.outcome(got), w.outcome(other)
	if one != two && !(got.StatusCode < 400 && other.StatusCode < 400 && w.constructedOfInvalid(q.target)) {
		require.Equalf(t, one, two, what, args...)
	}
	return got
}

// constructedOfInvalid reports whether the answer to a query is constructed of a stored document that its schema
// forbids.
func (w twins) constructedOfInvalid(target string) bool {
	for view, validate := range map[string]func([]byte) error{
		"/profile": tpox.ValidateCustomer, "/statement": tpox.ValidateCustomer, "/price": tpox.ValidateSecurity,
	} {
		if source, constructed := strings.CutSuffix(target, view); constructed {
			return validate([]byte(ask(w.one, "GET", source, "").body)) != nil
		}
	}
	return false
}

var decimal = regexp.MustCompile(`" *[+-]?(\d+\.?\d*|\.\d+) *"`)

// outcome returns the parts of a response that must be the same, as lines. A replaced document has a tag only if the
// store does not strip white space.
func (w twins) outcome(a answer) string {
	var b strings.Builder
	fmt.Fprintln(&b, a.StatusCode)
	for _, name := range []string{"Location", "Content-Type", "Retry-After", "Link", "Vary", "Etag"} {
		if name != "Etag" || a.StatusCode != http.StatusNoContent || !w.lenient {
			fmt.Fprintln(&b, name, a.Header[name])
		}
	}
	if _, rest, problem := strings.Cut(a.body, "<type>"); problem && w.lenient && a.StatusCode >= 400 {
		kind, _, _ := strings.Cut(rest, "<")
		// This database validates a document after the idempotency key was looked up.
		return b.String() + strings.ReplaceAll(kind, "key-reused", "invalid")
	}
	body := storetest.Canonical(a.body)
	if w.lenient {
		body = decimal.ReplaceAllStringFunc(body, func(quoted string) string {
			r, _ := new(big.Rat).SetString(strings.TrimSuffix(strings.Trim(quoted, `" `), "."))
			return r.RatString()
		})
	}
	return b.String() + body
}

func TestDiffer_Postgres(t *testing.T) {
	server := pgtest.Shared(t)
	name := server.Filled(t, "tiny", func(url string) {
		s, err := postgres.Open(t.Context(), url, postgres.Options{})
		require.NoError(t, err)
		require.NoError(t, s.LoadDataset(t.Context(), generator, nil))
		require.NoError(t, s.Close())
	})
	differ(t, func(t testing.TB) twins {
		s, err := postgres.Open(t.Context(), server.URL(server.Clone(t, name)), postgres.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return twins{one: fresh(t, Options{}), two: serverOf(t, s, Options{}), d: generator}
	})
}

// differURL names a database of any engine, which the test fills and empties. It must be empty or filled by this test.
const differURL = "BROKERAGE_DIFFER_URL"

// The dataset is small, because the test mostly runs on the stand-in for Db2, which is slow.
func TestDiffer_URL(t *testing.T) {
	url := os.Getenv(differURL)
	if url == "" {
		testenv.Missing(t, "url", differURL+" names no database for the test to fill and empty")
	}
	d, err := store.Find(url)
	require.NoError(t, err)
	few := dataset.NewOf(1, dataset.Counts{Securities: 40, Customers: 24, Orders: 80})
	s, err := d.OpenBulk(t.Context(), store.Options{})
	require.NoError(t, err)
	holds, err := store.Holds(t.Context(), s)
	require.NoError(t, err)
	require.True(t, slices.Contains([]string{"", few.Fingerprint()}, holds), "the test would delete %s", holds)
	require.NoError(t, s.Close())
	differ(t, func(t testing.TB) twins {
		one, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "few.db"), store.Options{})
		require.NoError(t, err)
		two, err := d.Empty(t.Context(), store.Options{})
		require.NoError(t, err)
		servers := make([]*Server, 0, 2)
		for _, s := range []store.Bulk{one, two} {
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			require.NoError(t, s.LoadDataset(t.Context(), few, nil))
			servers = append(servers, serverOf(t, s, Options{}))
		}
		return twins{one: servers[0], two: servers[1], d: few, lenient: d.Scheme == db2.Scheme}
	})
}
