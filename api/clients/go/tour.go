// Command tour calls a service with a client that oapi-codegen has generated from its contract:
//
//	tour http://127.0.0.1:8080
//
// Paths, parameters and headers have types. Bodies are XML, which OpenAPI does not describe, and are decoded by
// encoding/xml here. The tour changes one price, and inserts an order, which it deletes.
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
	"strings"

	"tour/contract"
)

const (
	xmlType  = "application/xml"
	security = "http://tpox-benchmark.com/security"
	fixml    = "http://www.fixprotocol.org/FIXML-4-4"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	client, err := contract.NewClient(os.Args[1])
	must(err)

	type price struct {
		Symbol    string `xml:"SYMBOL,attr"`
		LastTrade string
	}
	update := strings.NewReader(`<Price xmlns="` + security + `"><LastTrade>41.25</LastTrade></Price>`)
	changed := decode[price](read(client.UpdateSecurityPriceWithBody(ctx, "SDP", nil, xmlType, update)))
	check(changed == price{"SDP", "41.25"}, "update_security_price")

	type lease struct {
		First string `xml:"first,attr"`
	}
	params := contract.LeaseIdsParams{Kind: "order", Count: 1}
	id := decode[lease](read(client.LeaseIdsWithBody(ctx, &params, xmlType, nil))).First
	order := bytes.Replace(read(client.GetOrder(ctx, "103282", nil)), []byte(` ID="103282"`), []byte(` ID="`+id+`"`), 1)
	message := strings.NewReader(`<FIXML xmlns="` + fixml + `">` + string(order) + "</FIXML>")
	read(client.InsertOrderWithBody(ctx, nil, xmlType, message))
	check(bytes.Equal(read(client.GetOrder(ctx, id, nil)), order), "insert_order")
	read(client.DeleteOrder(ctx, id, nil))

	gone, err := client.GetOrder(ctx, id, nil)
	must(err)
	defer gone.Body.Close()
	body, err := io.ReadAll(gone.Body)
	must(err)
	check(decode[problem](body).Type == "urn:brokerage:problem:not-found", "a refusal")
	fmt.Println("the tour is complete")
}

// problem is a refusal.
type problem struct {
	Type   string `xml:"type"`
	Detail string `xml:"detail"`
}

// read returns the body of a response, which must not be a refusal.
func read(r *http.Response, err error) []byte {
	must(err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must(err)
	if r.StatusCode >= http.StatusBadRequest {
		p := decode[problem](body)
		log.Fatalf("%s %s: %s: %s", r.Request.Method, r.Request.URL, p.Type, p.Detail)
	}
	return body
}

func decode[T any](body []byte) (v T) {
	must(xml.Unmarshal(body, &v))
	return v
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
