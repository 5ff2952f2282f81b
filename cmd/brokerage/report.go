package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"brokerage/internal/output"
	"brokerage/internal/report"
)

//nolint:lll // a help text is one string
type reportCmd struct {
	Files []string `arg:"" name:"file ..." help:"Results of brokerage campaign, brokerage drive --json or k6 run --out json=FILE. With one file, a report is written; two are shown side by side as text."`
	Out   string   `placeholder:"FILE" help:"With one file: HTML file to write; - is standard output. Default: the name of the results file with .html."`
}

func (c *reportCmd) Run(s streams) error {
	switch {
	case len(c.Files) > 2:
		return usagef("%d files: a report is on one, or shows two side by side", len(c.Files))
	case len(c.Files) == 2 && c.Out != "":
		return usagef("--out is for a report on one file: two are shown as text")
	case len(c.Files) == 2:
		return c.compare(s)
	}
	if c.Out != "" && c.Out != "-" {
		if err := c.output(c.Out).Check(); err != nil {
			return err
		}
	}
	return c.page(s, c.Files[0])
}

func (c *reportCmd) page(s streams, path string) error {
	file, err := report.Read(path)
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		out = strings.TrimSuffix(path, filepath.Ext(path)) + ".html"
	}
	return c.write(s, out, file.WriteHTML)
}

// compare shows two files side by side.
func (c *reportCmd) compare(s streams) error {
	a, err := report.Read(c.Files[0])
	if err != nil {
		return err
	}
	b, err := report.Read(c.Files[1])
	if err != nil {
		return err
	}
	return report.WriteComparison(s.out, a, b)
}

// write writes the page.
func (c *reportCmd) write(s streams, path string, page func(io.Writer) error) error {
	if path == "-" {
		return page(s.out)
	}
	if err := writePage(c.output(path), page); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "wrote %s\n", path)
	return nil
}

// output returns a file for a page.
func (c *reportCmd) output(path string) output.File {
	return output.File{Path: path, Kind: output.Page, Mode: output.Shared, Inputs: c.Files}
}

// writePage renders a page to a file, which it touches only when the whole page is rendered.
func writePage(file output.File, page func(io.Writer) error) error {
	var html bytes.Buffer
	if err := page(&html); err != nil {
		return err
	}
	return writeFile(file, html.Bytes())
}
