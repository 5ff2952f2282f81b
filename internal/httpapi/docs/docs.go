// Package docs is the contract as a page, to read and to try it from.
//
// The page is made from the contract itself, once, when it is first asked for: HTML that reads without a script, a
// style sheet, and a script for what a page cannot do alone, which is sending requests, indenting XML and filtering. It
// asks nobody but the service for anything, and its policy holds the browser to that.
package docs

import (
	"embed"
	"net/http"

	"brokerage/internal/httpapi/pages"
)

//go:embed assets
var files embed.FS

// Handler serves the page of a contract (OpenAPI 3.1, YAML, complete in itself) at /docs and its files below. Only the
// first request pays for making the page, so a handler is to be kept. A contract that cannot be read is a bug of the
// program, and the first request panics.
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
