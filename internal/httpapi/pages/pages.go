// Package pages makes the service's pages for a browser: the live page at /, with figures and a workbench to try each
// of the 17 transactions, and the documentation at /docs. It also streams the figures of the live page.
//
// Both pages are made from the contract. They can be read without a script, load nothing from elsewhere, and their
// content security policy makes the browser enforce that. The figures come from GET /v1/live; the examples of the
// workbench follow from GET /v1/dataset, as they would for any client.
package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

//go:embed assets templates
var embedded embed.FS

// Policy is the content security policy of every file. It allows the pages to load their own files and to send requests
// to the service, and nothing else: no inline script or style, no frame, no form that leaves the page.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A File is a page, or one of the files that pages load.
type File struct {
	MediaType string
	Body      []byte
	Version   string // differs when the body does
}

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".json": "application/json",
}

func newFile(name string, body []byte) File {
	return File{MediaType: mediaTypes[path.Ext(name)], Body: body, Version: fmt.Sprintf("%x", sha256.Sum256(body))[:32]}
}

// Make makes the pages of a contract, which is OpenAPI 3.1 in YAML without references to other files. It returns all
// files by the path of their URL, and takes some 40 ms.
func Make(source []byte) (map[string]File, error) {
	c, err := read(source)
	if err != nil {
		return nil, err
	}
	transactions, err := c.transactions()
	if err != nil {
		return nil, err
	}
	layout, err := template.ParseFS(embedded, "templates/*.html")
	if err != nil {
		return nil, err
	}
	files := make(map[string]File)
	for url, page := range map[string]struct {
		template string
		data     any
	}{"/": {"front.html", transactions}, "/docs": {"docs.html", c}} {
		var html bytes.Buffer
		if err := layout.ExecuteTemplate(&html, page.template, page.data); err != nil {
			return nil, err
		}
		files[url] = newFile(page.template, html.Bytes())
	}
	assets, err := fs.Glob(embedded, "assets/*")
	if err != nil {
		return nil, err
	}
	for _, name := range assets {
		body, err := fs.ReadFile(embedded, name)
		if err != nil {
			return nil, err
		}
		files["/page/"+path.Base(name)] = newFile(name, body)
	}
	documents, err := documentTemplates()
	if err != nil {
		return nil, err
	}
	files["/page/templates.json"] = newFile("templates.json", documents)
	return files, nil
}

// transaction is one of the 17 transactions as the live page shows it.
type transaction struct {
	tpox.Transaction
	*operation
}

// Words returns the parts of the name between which a line may break.
func (t transaction) Words() []string { return strings.SplitAfter(t.Name, "_") }

func (c *contract) transactions() (all []transaction, err error) {
	for _, t := range tpox.Transactions {
		i := slices.IndexFunc(c.operations, func(op *operation) bool { return op.ID == t.Name })
		if i < 0 {
			return nil, fmt.Errorf("the contract has no %s", t.Name)
		}
		all = append(all, transaction{t, c.operations[i]})
	}
	return all, nil
}

// documentsOfAKind is the number of documents of each kind after which the examples of inserts repeat.
const documentsOfAKind = 9

// documentTemplates returns, as JSON, a few documents of each kind to insert. Each is a list that alternates between
// XML and the name of a slot. Only the slots refer to a dataset, so the documents fit any.
func documentTemplates() ([]byte, error) {
	d := dataset.New(dataset.Spec{Seed: 1})
	all := make(map[string][][]string)
	for _, kind := range []string{"order", "customer", "account"} {
		for _, t := range d.Templates(kind, documentsOfAKind) {
			all[kind] = append(all[kind], t.Parts)
		}
	}
	return json.Marshal(all)
}

// Prose converts a description to HTML. Of Markdown it supports paragraphs, `code` and **bold**.
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
