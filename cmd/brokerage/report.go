package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"brokerage/internal/output"
	"brokerage/internal/report"
)

//nolint:lll // a help text is one string
type reportCmd struct {
	Files []string `arg:"" name:"file" help:"Results of brokerage campaign, brokerage drive --json or k6 run --out json=FILE. With one file, a report is written; two are shown side by side as text."`
	Out   string   `placeholder:"FILE" help:"With one file: HTML file to write; - is standard output. Default: the name of the results file with .html."`
}

func (c *reportCmd) Run(s streams) error {
	switch {
	case len(c.Files) > 2:
		return usagef("%d files: give one for a report, or two to show them side by side", len(c.Files))
	case len(c.Files) == 2 && c.Out != "":
		return usagef("--out is for a report on one file; two files are shown as text")
	}
	var files []*report.File
	for _, path := range c.Files {
		file, err := report.Read(path)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	if len(files) == 2 {
		return report.WriteComparison(s.out, files[0], files[1])
	}
	if c.Out == "-" {
		return files[0].WriteHTML(s.out)
	}
	path := c.Files[0]
	page := output.File{Path: cmp.Or(c.Out, strings.TrimSuffix(path, filepath.Ext(path))+".html"), Kind: output.Page,
		Mode: output.Shared, Inputs: c.Files}
	if err := writePage(page, files[0].WriteHTML); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "wrote %s\n", page.Path)
	return nil
}

// writePage renders a page to a file, which it touches only when the whole page is rendered.
func writePage(file output.File, page func(io.Writer) error) error {
	var html bytes.Buffer
	if err := page(&html); err != nil {
		return err
	}
	return writeFile(file, html.Bytes())
}
