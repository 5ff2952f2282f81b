package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
	"brokerage/internal/output"
)

//nolint:lll // a help text is one string
type templatesCmd struct {
	datasetFlags

	Count int    `default:"500" placeholder:"N" range:"1..100000" help:"Number of templates of each kind: order, customer, account and security. Default: 500."`
	Out   string `required:"" type:"path" placeholder:"DIR" help:"Folder for the files, created if it does not exist."`
}

// templateKinds are the kinds that load generators insert or replace.
var templateKinds = []string{"order", "customer", "account", "security"}

// templateFile is a file of templates in JSON. Each template is a list of strings that alternates between literal XML,
// first and last, and the name of a slot to fill in.
type templateFile struct {
	Dataset   string     `json:"dataset"`
	Kind      string     `json:"kind"`
	Slots     []string   `json:"slots"`
	Templates [][]string `json:"templates"`
}

func (c templatesCmd) Run(s streams) error {
	d := dataset.New(c.spec())
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	for _, kind := range templateKinds {
		name := filepath.Join(c.Out, kind+".templates.json")
		size, err := writeTemplates(name, d, kind, c.Count)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(s.out, "%s: %s, %s\n", name, format.Plural(c.Count, "template"),
			format.Bytes(size)); err != nil {
			return err
		}
	}
	return nil
}

// writeTemplates writes n templates of a kind to a file, and returns its size.
func writeTemplates(name string, d *dataset.Dataset, kind string, n int) (size int, err error) {
	file := templateFile{Dataset: d.Fingerprint(), Kind: kind}
	seen := make(map[string]bool)
	for _, t := range d.Templates(kind, n) {
		file.Templates = append(file.Templates, t.Parts)
		for i := 1; i < len(t.Parts); i += 2 {
			if slot := t.Parts[i]; !seen[slot] {
				seen[slot] = true
				file.Slots = append(file.Slots, slot)
			}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // it is XML: < stays readable
	if err := e.Encode(file); err != nil {
		return 0, err
	}
	return b.Len(), writeFile(output.File{Path: name, Kind: output.Templates, Mode: output.Shared}, b.Bytes())
}
