// Package front serves the page at /: live figures of the service, and a workbench to try each of the 17 transactions.
//
// Like the documentation, the page is made from the contract and loads nothing from elsewhere. The figures come from
// GET /v1/live; the examples of the workbench follow from GET /v1/dataset, as they would for any client.
package front

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/httpapi/docs"
	"brokerage/internal/httpapi/pages"
	"brokerage/internal/tpox"
)

//go:embed assets
var files embed.FS

// Handler returns the handler of the page at / and of its files below /page/. The page is made for the first request;
// so keep the handler.
func Handler(contract []byte) http.Handler {
	return pages.Page{Path: "/", Files: "/page/", Assets: files, Make: func() (any, map[string][]byte, error) {
		documents, err := templates()
		if err != nil {
			return nil, nil, err
		}
		examples, err := files.ReadFile("assets/examples.js")
		if err != nil {
			return nil, nil, err
		}
		operations, err := docs.Operations(contract)
		if err != nil {
			return nil, nil, err
		}
		var all []transaction
		for _, t := range tpox.Transactions {
			op, ok := operations[t.Name]
			if !ok {
				return nil, nil, fmt.Errorf("the contract has no %s", t.Name)
			}
			all = append(all, transaction{t, op})
			example, err := files.ReadFile("assets/examples/" + t.Name + ".js")
			if err != nil {
				return nil, nil, err
			}
			examples = append(examples, example...)
		}
		return all, map[string][]byte{"templates.json": documents, "examples.js": examples}, nil
	}}.Handler()
}

// transaction is a transaction as the page shows it.
type transaction struct {
	tpox.Transaction
	*docs.Operation
}

// Words returns the parts of the name between which a line may break.
func (t transaction) Words() []string { return strings.SplitAfter(t.Name, "_") }

// documentsOfAKind is the number of documents of each kind after which the examples of inserts repeat.
const documentsOfAKind = 9

// templates returns documents to insert as JSON, a few of each kind: lists that alternate between XML and the name of a
// slot, as the command templates writes them. They fit any dataset, since the slots hold all that refers to it.
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
