// Command tour runs every transaction with a client that oapi-codegen has generated from the contract of a service:
//
//	tour http://127.0.0.1:8080
//
// Paths, parameters and headers have types. Bodies are XML, which OpenAPI does not describe, and are decoded by
// encoding/xml here. The tour changes the customer, the orders and the accounts that it inserts, and one price.
package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"

	"tour/contract"
)

const (
	xmlType  = "application/xml"
	custacc  = "http://tpox-benchmark.com/custacc"
	security = "http://tpox-benchmark.com/security"
	fixml    = "http://www.fixprotocol.org/FIXML-4-4"
	symbol   = "SDP"
)

type tour struct {
	context.Context
	*contract.Client
}

func main() {
	log.SetFlags(0)
	client, err := contract.NewClient(os.Args[1])
	must(err)
	t := tour{context.Background(), client}
	t.securities()
	t.customers()
	fmt.Println("the tour is complete")
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func check(isSo bool, what string) {
	if !isSo {
		log.Fatal(what)
	}
}

// problem is a refusal.
type problem struct {
	Type   string `xml:"type"`
	Detail string `xml:"detail"`
}

// read returns the body of a response, which must not be a refusal, and its header.
func read(r *http.Response, err error) ([]byte, http.Header) {
	must(err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must(err)
	if r.StatusCode >= http.StatusBadRequest {
		p := decode[problem](body)
		log.Fatalf("%s %s: %s: %s", r.Request.Method, r.Request.URL, p.Type, p.Detail)
	}
	return body, r.Header
}

func text(r *http.Response, err error) string {
	body, _ := read(r, err)
	return string(body)
}

func decode[T any](body []byte) (v T) {
	must(xml.Unmarshal(body, &v))
	return v
}

func get[T any](r *http.Response, err error) T {
	body, _ := read(r, err)
	return decode[T](body)
}

// created returns the id at the end of the Location of a new document.
func created(r *http.Response, err error) string {
	_, header := read(r, err)
	location := header.Get("Location")
	return location[strings.LastIndexByte(location, '/')+1:]
}

// link returns the target of a link (RFC 8288), or "".
func link(header http.Header, relation string) string {
	for _, value := range header.Values("Link") {
		if target, found := strings.CutSuffix(value, `>; rel="`+relation+`"`); found {
			return target[1:]
		}
	}
	return ""
}

func (t tour) lease(kind contract.LeaseIdsParamsKind) string {
	return get[struct {
		First string `xml:"first,attr"`
	}](t.LeaseIdsWithBody(t, &contract.LeaseIdsParams{Kind: kind, Count: 1}, xmlType, nil)).First
}

type price struct {
	Symbol    string `xml:"SYMBOL,attr"`
	LastTrade string
}

func (t tour) securities() {
	doc := get[struct{ Symbol string }](t.GetSecurity(t, symbol, nil))
	check(doc.Symbol == symbol, "get_security")
	check(get[price](t.GetSecurityPrice(t, symbol, nil)).Symbol == symbol, "get_security_price")
	update := strings.NewReader(`<Price xmlns="` + security + `"><LastTrade>41.25</LastTrade></Price>`)
	changed := get[price](t.UpdateSecurityPriceWithBody(t, symbol, nil, xmlType, update))
	check(changed.LastTrade == "41.25", "update_security_price")

	type hits struct {
		Count    int `xml:"count,attr"`
		Security []struct{ Symbol string }
	}
	search := contract.SearchSecuritiesParams{Sector: "Technology", PeMin: "0", PeMax: "1000", YieldMin: "0"}
	whole := get[hits](t.SearchSecurities(t, &search))
	check(whole.Count == len(whole.Security) && whole.Count > 4, "search_securities")
	var inPages hits
	limit := 3
	for search.Limit = &limit; ; {
		body, header := read(t.SearchSecurities(t, &search))
		inPages.Security = append(inPages.Security, decode[hits](body).Security...)
		next, err := http.NewRequestWithContext(t, http.MethodGet, link(header, "next"), nil)
		must(err)
		cursor := next.URL.Query().Get("cursor")
		if search.Cursor = &cursor; cursor == "" {
			break
		}
	}
	check(slices.Equal(inPages.Security, whole.Security), "the pages of a search are not the whole answer")
}

func (t tour) customers() {
	original := text(t.GetCustomer(t, "1006", nil))
	check(strings.Contains(text(t.CustomerProfile(t, "1006", nil)), `CUSTOMERID="1006"`), "customer_profile")
	check(strings.Contains(text(t.CustomerMaxOrder(t, "1006", nil)), "<Order "), "customer_max_order")

	head, rest, _ := strings.Cut(original, "<Accounts>")
	account, rest, _ := strings.Cut(rest, "</Account>")
	_, tail, _ := strings.Cut(rest, "</Accounts>")
	_, account, _ = strings.Cut(account, `">`) // without its id
	first, second := t.lease("account"), t.lease("account")
	doc := strings.Replace(head, `id="1006"`, `id="`+t.lease("customer")+`"`, 1) +
		`<Accounts><Account id="` + first + `">` + account + "</Account></Accounts>" + tail
	customer := created(t.InsertCustomerWithBody(t, nil, xmlType, strings.NewReader(doc)))
	check(text(t.GetCustomer(t, customer, nil)) == doc, "insert_customer")
	doc = `<Account xmlns="` + custacc + `" id="` + second + `">` + account + "</Account>"
	opened := created(t.OpenAccountWithBody(t, customer, nil, xmlType, strings.NewReader(doc)))
	body, header := read(t.GetAccount(t, opened, nil))
	check(opened == second && string(body) == doc, "open_account")
	check(link(header, "up") == "/v1/customers/"+customer, "the owner of an account")
	check(strings.Contains(text(t.AccountSummary(t, customer, nil)), `ACCOUNT_ID="`+second+`"`), "account_summary")

	trade := `<Trade xmlns="` + custacc + `"><Symbol>` + symbol + "</Symbol><Quantity>2.5</Quantity></Trade>"
	type confirmation struct{ Side, Price, Amount string }
	bought := get[confirmation](t.BuySecurityWithBody(t, opened, nil, xmlType, strings.NewReader(trade)))
	check(bought == confirmation{"Buy", "41.25", "103.12"}, "buy_security")
	sold := get[confirmation](t.SellSecurityWithBody(t, opened, nil, xmlType, strings.NewReader(trade)))
	check(sold == confirmation{"Sell", "41.25", "103.12"}, "sell_security")

	t.orders()
	read(t.CloseAccount(t, customer, opened, nil))
	read(t.DeleteCustomer(t, customer, nil))
	gone, err := t.GetCustomer(t, customer, nil)
	must(err)
	defer gone.Body.Close()
	body, err = io.ReadAll(gone.Body)
	must(err)
	check(decode[problem](body).Type == "urn:brokerage:problem:not-found", "delete_customer")
}

func (t tour) orders() {
	order := text(t.GetOrder(t, "103282", nil))
	check(strings.Contains(order, ` ID="103282"`), "get_order")
	order = strings.Replace(order, ` ID="103282"`, ` ID="`+t.lease("order")+`"`, 1)
	message := bytes.NewBufferString(`<FIXML xmlns="` + fixml + `">` + order + "</FIXML>")
	id := created(t.InsertOrderWithBody(t, nil, xmlType, message))
	check(text(t.GetOrder(t, id, nil)) == order, "insert_order")
	status := strings.NewReader(`<OrderStatus xmlns="` + fixml + `" Stat="2"/>`)
	changed := get[struct {
		Stat string `xml:",attr"`
	}](t.UpdateOrderStatusWithBody(t, id, nil, xmlType, status))
	check(changed.Stat == "2", "update_order_status")
	read(t.DeleteOrder(t, id, nil))
}
