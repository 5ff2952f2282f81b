package httpapi

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// asked is a request that can be sent again.
type asked struct {
	Operation string
	Method    string
	Target    string
	Body      []byte
	Headers   []string // as "Name: value"
}

// asker makes valid and invalid requests from a seed and the earlier responses: most of the requested documents exist.
type asker struct {
	r    *rand.Rand
	d    *dataset.Dataset
	read func(target string) answer // reads a stored document, to derive others from it

	orders, customers []int64
	accounts          map[int64][]int64 // of a customer
	tags              []string          // ETags that were seen
	keyed             []asked           // requests with an idempotency key
	follow            *asked            // reads what the last request has changed
	keys, fresh       int64
}

func newAsker(seed uint64, d *dataset.Dataset, read func(string) answer) *asker {
	r := rand.New(rand.NewPCG(seed, 16)) //nolint:gosec // it must be repeatable
	a := &asker{r: r, d: d, read: read, accounts: make(map[int64][]int64)}
	for range 40 {
		a.orders = append(a.orders, d.ID(dataset.Order, a.r.Int64N(d.Count(dataset.Order))))
		k := a.r.Int64N(d.Count(dataset.Customer))
		id := d.ID(dataset.Customer, k)
		if a.accounts[id] == nil {
			a.customers = append(a.customers, id)
			for j := range d.Accounts(k) {
				a.accounts[id] = append(a.accounts[id], d.FirstAccount(k)+int64(j))
			}
		}
	}
	return a
}

func (a *asker) chance(percent int) bool { return a.r.IntN(100) < percent }

func (a *asker) newID() int64 { a.fresh++; return 900_000_000_000 + a.fresh }

// oddKey returns something that a path can have in place of a key.
func (a *asker) oddKey() string {
	return one(a.r, "0", "007", "1e3", "-1", "999999999999999", "9999999999999999", "١٢", "%31%30%30%32", "1002%00",
		"+1002", "x", "%20", "1002.0", "A%2FB", "a", "ÅÅ", "%E2%82%AC",
		"TOOLONGSYMBOL", "%F0%9F%98%80", "A%20B", "%FF", "%EF%BF%BE", "A%0A", "A;b", "A'--", `A%22`)
}

// key returns the usual key, or occasionally an odd one.
func (a *asker) key(usual any) string {
	if a.chance(8) {
		return a.oddKey()
	}
	return url.PathEscape(fmt.Sprint(usual))
}

func (a *asker) order() string { return a.key(one(a.r, a.orders...)) }

func (a *asker) customer() int64 { return one(a.r, a.customers...) }

func (a *asker) customerKey() string { return a.key(a.customer()) }

func (a *asker) account() int64 {
	if list := a.accounts[a.customer()]; len(list) > 0 {
		return one(a.r, list...)
	}
	return 1
}

func (a *asker) accountKey() string { return a.key(a.account()) }

// symbol returns one of a few symbols, so that requests have them in common.
func (a *asker) symbol() string {
	return a.d.Symbol(a.r.IntN(int(min(30, a.d.Count(dataset.Security)))))
}

func (a *asker) symbolKey() string { return a.key(a.symbol()) }

// next makes a request.
func (a *asker) next() asked {
	if q := a.follow; q != nil {
		a.follow = nil
		if a.chance(60) {
			return *q
		}
	}
	if len(a.keyed) > 0 && a.chance(3) { // again, unchanged or nearly so
		q := one(a.r, a.keyed...)
		if a.chance(30) {
			q.Body = append(slices.Clone(q.Body), ' ')
		}
		return q
	}
	q := a.plain()
	switch {
	case q.Body == nil && q.Method != http.MethodPost && q.Method != http.MethodPut:
		if a.chance(15) {
			q.Headers = append(q.Headers, "If-None-Match: "+a.condition(q.Target))
		}
		if a.chance(5) {
			q.Headers = append(q.Headers,
				"Accept: "+one(a.r, "text/html", "text/xml", "*/*;q=0", "application/*;q=0.1", "", ";;"))
		}
		if a.chance(5) {
			q.Headers = append(q.Headers, "Accept-Encoding: "+one(a.r, "gzip", "gzip;q=0", "*", "identity"))
		}
		if q.Method == http.MethodGet && a.chance(5) {
			q.Method = "HEAD"
		}
	default:
		if a.chance(4) {
			q.Body = []byte(misspell(a.r, string(q.Body)))
		}
		q.Headers = append(q.Headers, "Content-Type: "+a.mediaType())
	}
	if strings.HasPrefix(q.Operation, "replace") && a.chance(40) {
		q.Headers = append(q.Headers, "If-Match: "+a.condition(q.Target))
	}
	if q.Method == http.MethodPost && a.chance(12) {
		a.keys++
		q.Headers = append(q.Headers, "Idempotency-Key: "+one(a.r, fmt.Sprintf("key-%d", a.keys),
			fmt.Sprintf("key-%d", a.r.Int64N(a.keys)+1), "", "two words", "é"))
		a.keyed = append(a.keyed, q)
	}
	if a.chance(1) {
		q.Method = one(a.r, "PATCH", "DELETE", "OPTIONS", "POST", "PUT", "GET")
	}
	return q
}

func (a *asker) mediaType() string {
	if a.chance(3) {
		return one(a.r, "text/plain", "application/json", "application/xml; charset=latin1", "text/xml", "APPLICATION/XML",
			"")
	}
	return "application/xml"
}

// condition returns the tag of a stored version, of an earlier one, or nonsense.
func (a *asker) condition(target string) string {
	switch a.r.IntN(6) {
	case 0, 1, 2:
		path, _, _ := strings.Cut(target, "?")
		if tag := a.read(path).Header.Get("Etag"); tag != "" {
			return one(a.r, tag, tag, tag, `"x", `+tag, "W/"+tag, strings.TrimSuffix(tag, `"`)+`-gzip"`)
		}
		return "*"
	case 3:
		if len(a.tags) > 0 {
			return one(a.r, a.tags...)
		}
		return `"x"`
	default:
		return one(a.r, "*", `"x"`, "x", `W/"x"`, `"`, ",", "")
	}
}

// plain makes a request of one of the contract's operations, weighted by how much can go wrong.
func (a *asker) plain() asked {
	get := func(name, target string) asked { return asked{Operation: name, Method: "GET", Target: target} }
	end := func(name, target string) asked { return asked{Operation: name, Method: "DELETE", Target: target} }
	send := func(name, method, target, body string) asked {
		return asked{Operation: name, Method: method, Target: target, Body: []byte(body)}
	}
	switch a.r.IntN(36) {
	case 0, 1:
		return get("get_order", "/v1/orders/"+a.order())
	case 2:
		return get("get_security", "/v1/securities/"+a.symbolKey())
	case 3:
		return get("customer_profile", "/v1/customers/"+a.customerKey()+"/profile")
	case 4, 5:
		return get("search_securities", "/v1/securities"+a.search())
	case 6:
		return get("account_summary", "/v1/customers/"+a.customerKey()+"/statement")
	case 7:
		return get("get_security_price", "/v1/securities/"+a.symbolKey()+"/price")
	case 8:
		return get("customer_max_order", "/v1/customers/"+a.customerKey()+"/orders/largest")
	case 9:
		return get("get_customer", "/v1/customers/"+a.customerKey())
	case 10:
		return get("get_account", "/v1/accounts/"+a.accountKey())
	case 11, 12:
		return end("close_account", "/v1/customers/"+a.customerKey()+"/accounts/"+a.accountKey())
	case 13, 14:
		id := one(a.r, a.newID(), a.newID(), a.newID(), a.account())
		doc := string(a.d.AppendNewAccount(nil, a.r.Int64N(1000), dataset.NewAccount{ID: id}))
		return send("open_account", "POST", "/v1/customers/"+a.customerKey()+"/accounts", a.odd(doc, 40))
	case 15, 16:
		return send("update_security_price", "PUT", "/v1/securities/"+a.symbolKey()+"/price", a.price())
	case 17, 18:
		return send("update_order_status", "PUT", "/v1/orders/"+a.order()+"/status",
			a.odd(`<OrderStatus xmlns="`+tpox.FIXMLNS+`" Stat="`+one(a.r, "0", "1", "2", "4", "8", "A", "E", "zz", "",
				"é")+`"></OrderStatus>`, 15))
	case 19, 20:
		return send("buy_security", "POST", "/v1/accounts/"+a.accountKey()+"/buy", a.trade())
	case 21:
		return send("sell_security", "POST", "/v1/accounts/"+a.accountKey()+"/sell", a.trade())
	case 22, 23, 24:
		id := one(a.r, a.newID(), a.newID(), a.newID(), one(a.r, a.orders...))
		doc := string(a.d.AppendNewOrder(nil, a.r.Int64N(10_000),
			dataset.NewOrder{ID: id, Account: a.account(), Symbol: a.symbol(), Time: clock}))
		return send("insert_order", "POST", "/v1/orders", a.odd(doc, 60))
	case 25, 26:
		p := dataset.NewCustomer{ID: one(a.r, a.newID(), a.newID(), a.newID(), a.customer())}
		for range 1 + a.r.IntN(3) {
			p.Accounts = append(p.Accounts, one(a.r, a.newID(), a.newID(), a.newID(), a.newID(), a.newID(), a.account()))
		}
		return send("insert_customer", "POST", "/v1/customers"+a.validate(),
			a.odd(string(a.d.AppendNewCustomer(nil, a.r.Int64N(1000), p)), 50))
	case 27:
		return end("delete_order", "/v1/orders/"+a.order())
	case 28:
		return end("delete_customer", "/v1/customers/"+a.customerKey())
	case 29, 32, 33:
		id := a.customer()
		path := fmt.Sprintf("/v1/customers/%d", id)
		return send("replace_customer", "PUT", path+a.validate(), a.odd(a.stored(path, id, dataset.Customer), 80))
	case 30, 34, 35:
		symbol := a.symbol()
		path := "/v1/securities/" + url.PathEscape(symbol)
		return send("replace_security", "PUT", path+a.validate(), a.odd(a.stored(path, 0, dataset.Security), 80))
	default:
		return asked{Operation: "lease_ids", Method: "POST",
			Target: "/v1/dataset/leases?kind=" + one(a.r, "order", "customer", "account", "x", "", "order%00") + "&count=" +
				one(a.r, "1", "10", "0", "-1", "x", "10000000000")}
	}
}

// stored returns a document as it is stored now, or another one.
func (a *asker) stored(path string, id int64, k dataset.Kind) string {
	if now := a.read(path); now.StatusCode == http.StatusOK && !a.chance(10) {
		return now.body
	}
	if k == dataset.Customer {
		return string(a.d.AppendNewCustomer(nil, 5, dataset.NewCustomer{ID: id, Accounts: []int64{a.account(), a.newID()}}))
	}
	return string(a.d.Append(nil, k, a.r.Int64N(a.d.Count(k))))
}

func (a *asker) odd(doc string, percent int) string {
	if a.chance(percent) {
		return mutate(a.r, doc)
	}
	return doc
}

func (a *asker) validate() string {
	if a.chance(75) {
		return one(a.r, "?validate=no", "?validate=no", "?validate=no", "?validate=no", "?validate=yes", "?validate=",
			"?validate=maybe", "?validate=no&validate=no", "?validate=%zz", "?other=1", "?;")
	}
	return ""
}

func (a *asker) number(usual string) string {
	if a.chance(20) {
		return one(a.r, oddNumbers...)
	}
	return usual
}

func (a *asker) search() string {
	sector := one(a.r, "Energy", "Energy", "Technology", "Financial", "Basic Materials", "Utilities", "energy", "", " ",
		"\x00", "é", "\U0001F600", "\xff", strings.Repeat("x", 3000), "&<>")
	values := []string{"sector=" + url.QueryEscape(sector),
		"peMin=" + url.QueryEscape(a.number(one(a.r, "0", "20", "22.84"))),
		"peMax=" + url.QueryEscape(a.number(one(a.r, "27", "1000", "22.84"))),
		"yieldMin=" + url.QueryEscape(a.number(one(a.r, "0", "4", "0.01")))}
	switch n := a.r.IntN(100); {
	case n < 4:
		values = append(values, one(a.r, "peMin=1", "sector=%zz", "x=y", ";", "&&"))
	case n < 8:
		i := a.r.IntN(len(values))
		values = slices.Delete(values, i, i+1)
	}
	if a.chance(30) {
		values = append(values, "limit="+one(a.r, "1", "2", "5", "1000", "0", "x"))
		if a.chance(50) {
			values = append(values, "cursor="+a.cursor(values))
		}
	}
	return "?" + strings.Join(values, "&")
}

// cursor returns the cursor of a search after some symbol, or nonsense.
func (a *asker) cursor(values []string) string {
	query, err := url.ParseQuery(strings.Join(values, "&"))
	if err != nil || a.chance(10) {
		return one(a.r, "x", "", "AAAA")
	}
	s := tpox.Search{Sector: query.Get("sector")}
	s.PEMin, _ = tpox.Scaled(query.Get("peMin"))
	s.PEMax, _ = tpox.Scaled(query.Get("peMax"))
	s.YieldMin, _ = tpox.Scaled(query.Get("yieldMin"))
	return cursorOf(s, a.symbol())
}

func (a *asker) trade() string {
	quantity := a.number(one(a.r, "1", "2.5", "0.001", "10", "1000000000", "100000"))
	return a.odd(tradeOf(one(a.r, a.symbol(), a.symbol(), a.symbol(), "NOSUCH", "é", ""), quantity), 10)
}

func (a *asker) price() string {
	doc := `<Price xmlns="` + tpox.SecurityNS + `"><LastTrade>` +
		a.number(fmt.Sprintf("%d.%02d", a.r.IntN(300), a.r.IntN(100))) + `</LastTrade>`
	if a.chance(50) {
		doc += `<Ask>` + a.number("71.5") + `</Ask>`
	}
	if a.chance(50) {
		doc += `<Bid>` + a.number("70") + `</Bid>`
	}
	return a.odd(doc+`</Price>`, 10)
}

// learn reads a response, so that later requests refer to existing documents.
func (a *asker) learn(q asked, got answer) {
	if tag := got.Header.Get("Etag"); tag != "" && len(a.tags) < 200 {
		a.tags = append(a.tags, tag)
	}
	if got.StatusCode >= http.StatusMultipleChoices {
		return
	}
	customer, _, _ := strings.Cut(q.Target, "?")
	switch keyed := slices.ContainsFunc(q.Headers,
		func(h string) bool { return strings.HasPrefix(h, "Idempotency-Key: ") }); {
	case keyed:
		a.follow = &q
	case q.Operation == "replace_customer":
		a.follow = &asked{Operation: "account_summary", Method: http.MethodGet, Target: customer + "/statement"}
	}
	if got.StatusCode != http.StatusCreated {
		return
	}
	location := got.Header.Get("Location")
	id, err := strconv.ParseInt(location[strings.LastIndexByte(location, '/')+1:], 10, 64)
	switch {
	case err != nil:
	case q.Operation == "insert_order" && !slices.Contains(a.orders, id):
		a.orders = append(a.orders, id)
	case q.Operation == "insert_customer" && !slices.Contains(a.customers, id):
		a.customers = append(a.customers, id)
		for _, n := range parseNode(a.read(fmt.Sprintf("/v1/customers/%d", id)).body).all() {
			for _, attr := range n.attrs {
				if account, ok := tpox.ParseID(attr[1]); ok && strings.HasSuffix(n.name, "Account") && attr[0] == "id" {
					a.accounts[id] = append(a.accounts[id], int64(account))
				}
			}
		}
	case q.Operation == "open_account":
		customer, _ := strconv.ParseInt(strings.Split(q.Target, "/")[3], 10, 64)
		a.accounts[customer] = append(a.accounts[customer], id)
	}
}
