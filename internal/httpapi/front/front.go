// Package front is the page at /: what the service does at this moment, and a
// workbench to try each of the 17 transactions from.
//
// It is made as the documentation is, from the contract, and asks nobody but the
// service. The figures come from GET /v1/live; what the workbench fills in
// follows from GET /v1/dataset, as it would for any client.
package front

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/httpapi/docs"
	"brokerage/internal/httpapi/pages"
)

//go:embed assets
var files embed.FS

// Handler serves the page at / and its files below /page/. It is to be kept, as
// that of the documentation is.
func Handler(contract []byte) http.Handler {
	return pages.Page{Path: "/", Files: "/page/", Make: func() (map[string][]byte, error) {
		html, err := render(contract)
		if err != nil {
			return nil, err
		}
		documents, err := templates()
		if err != nil {
			return nil, err
		}
		all := map[string][]byte{"": html, "templates.json": documents}
		for _, name := range []string{"front.css", "chart.js", "live.js", "examples.js", "workbench.js"} {
			if all[name], err = files.ReadFile("assets/" + name); err != nil {
				return nil, err
			}
		}
		return all, nil
	}}.Handler()
}

// transaction is one of the 17 as the page shows it.
type transaction struct {
	brokerage.Transaction
	docs.Operation
}

// Words are those of the name, which may stand on lines of their own.
func (t transaction) Words() []string { return strings.SplitAfter(t.Name, "_") }

// render makes the page.
func render(contract []byte) ([]byte, error) {
	operations, err := docs.Operations(contract)
	if err != nil {
		return nil, err
	}
	var all []transaction
	for _, t := range brokerage.Transactions {
		op, ok := operations[t.Name]
		if !ok {
			return nil, fmt.Errorf("the contract has no %s", t.Name)
		}
		all = append(all, transaction{t, op})
	}
	layout, err := pages.Layout(files)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := layout.Execute(&html, all); err != nil {
		return nil, fmt.Errorf("making the page: %w", err)
	}
	return html.Bytes(), nil
}

// documentsOfAKind is after how many the examples of what is inserted repeat.
const documentsOfAKind = 9

// templates are documents to insert, of each kind a few: lists of XML and the
// names of slots in turn, as the command templates writes them. They go with any
// dataset, since all that refers to it is in the slots.
func templates() ([]byte, error) {
	d := dataset.New(dataset.Spec{Seed: 1})
	all := make(map[string][][]string)
	for _, kind := range []string{"order", "customer", "account"} {
		for _, t := range d.Templates(kind, documentsOfAKind) {
			all[kind] = append(all[kind], t.Parts)
		}
	}
	return json.Marshal(all)
}
