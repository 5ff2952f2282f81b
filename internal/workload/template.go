package workload

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// XML is the content type of documents.
const XML = "application/xml"

// request is the request of a transaction. Path and body are texts for Call.fill.
type request struct{ method, path, body string }

func get(path string) request        { return request{"GET", path, ""} }
func put(path, body string) request  { return request{"PUT", path, body} }
func post(path, body string) request { return request{"POST", path, body} }
func remove(path string) request     { return request{"DELETE", path, ""} }

// fill appends a text to dst, with values of the call in place of the names in braces.
func (c *Call) fill(dst []byte, text string) []byte {
	for {
		literal, rest, found := strings.Cut(text, "{")
		dst = append(dst, literal...)
		if !found {
			return dst
		}
		name, after, _ := strings.Cut(rest, "}")
		dst, text = append(dst, c.value(name)...), after
	}
}

// value returns what a name stands for in the text of a request and in a dataset.Template.
func (c *Call) value(name string) string {
	switch name {
	case "id", "order", "customer":
		return c.ID.String()
	case "account":
		return c.Account.String()
	case "account2":
		return (c.Account + 1).String()
	case "account3":
		return (c.Account + 2).String()
	case "symbol":
		return c.Symbol
	case "date":
		return c.at.Format(time.DateOnly)
	case "datetime":
		return c.at.Format("2006-01-02T15:04:05")
	case "sector":
		return url.QueryEscape(c.search.Sector)
	case "peMin":
		return strconv.FormatInt(c.search.PEMin/searchUnit, 10)
	case "peMax":
		return strconv.FormatInt(c.search.PEMax/searchUnit, 10)
	case "yieldMin":
		return strconv.FormatInt(c.search.YieldMin/searchUnit, 10)
	case "quantity":
		return strconv.FormatInt(c.Quantity, 10)
	case "price":
		return fmt.Sprintf("%d.%02d", c.Cents/100, c.Cents%100)
	case "status":
		return c.Status
	case "document":
		return string(c.doc)
	case "validation":
		if c.validate {
			return ""
		}
		return "?validate=no"
	}
	panic("workload: a call has no value " + name)
}
