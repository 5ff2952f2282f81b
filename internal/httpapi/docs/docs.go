// Package docs serves the contract as a page, to read it and to send requests from.
//
// The page is made from the contract for the first request: HTML that is readable without a script, a style sheet, and
// a script that sends requests, indents XML and filters. It loads nothing from elsewhere, and its content security
// policy makes the browser enforce that.
package docs

import (
	"embed"
	"net/http"

	"brokerage/internal/httpapi/pages"
)

//go:embed assets
var files embed.FS

// Handler returns the handler of the page of a contract (OpenAPI 3.1 in YAML, complete in itself) at /docs, and of its
// files below. The page is made for the first request; so keep the handler. That request panics if the contract cannot
// be read, which is a bug of the program.
func Handler(contract []byte) http.Handler {
	return pages.Page{Path: "/docs", Files: "/docs/", Make: func() (map[string][]byte, error) {
		html, err := render(contract)
		if err != nil {
			return nil, err
		}
		all := map[string][]byte{"": html}
		for _, name := range []string{"docs.css", "docs.js"} {
			if all[name], err = files.ReadFile("assets/" + name); err != nil {
				return nil, err
			}
		}
		return all, nil
	}}.Handler()
}
