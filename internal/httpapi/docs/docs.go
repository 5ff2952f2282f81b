// Package docs serves the contract as a page, to read it and to send requests from.
//
// The page is made from the contract for the first request: HTML that is readable without a script, a style sheet, and
// a script that sends requests, indents XML and filters. It loads nothing from elsewhere, and its content security
// policy makes the browser enforce that.
package docs

import (
	"embed"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"brokerage/internal/httpapi/pages"
)

//go:embed assets
var files embed.FS

// Handler returns the handler of the page of a contract (OpenAPI 3.1 in YAML, complete in itself) at /docs, and of its
// files below. The page is made for the first request; so keep the handler. That request panics if the contract cannot
// be read, which is a bug of the program.
func Handler(source []byte) http.Handler {
	return pages.Page{Path: "/docs", Files: "/docs/", Assets: files, Make: func() (any, map[string][]byte, error) {
		c, err := read(source)
		return c, nil, err
	}}.Handler()
}

// Operations returns the operations of a contract, by name.
func Operations(source []byte) (map[string]*Operation, error) {
	c, err := read(source)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*Operation)
	for _, op := range c.operations {
		all[op.ID] = op
	}
	return all, nil
}

// Prose converts a description to HTML. Of Markdown it knows paragraphs, `code` and **bold**.
func (c *contract) Prose(text string) template.HTML {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		b.WriteString("<p>" + string(c.Inline(paragraph)) + "</p>\n")
	}
	return template.HTML(b.String()) //nolint:gosec // Inline has escaped it
}

var bold = regexp.MustCompile(`\*\*([^*]+)\*\*`)

// Inline converts a paragraph to HTML. The name of a problem becomes a link to its explanation.
func (c *contract) Inline(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		escaped := template.HTMLEscapeString(part)
		switch {
		case i%2 == 0:
			b.WriteString(bold.ReplaceAllString(escaped, "<strong>$1</strong>"))
		case slices.ContainsFunc(c.Problems, func(p problem) bool { return p.Type == part }):
			b.WriteString(`<a href="#problem-` + escaped + `"><code>` + escaped + `</code></a>`)
		default:
			b.WriteString("<code>" + escaped + "</code>")
		}
	}
	return template.HTML(b.String()) //nolint:gosec // every part of it is escaped
}
