package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/report"
)

type reportCmd struct {
	Files []string `arg:"" name:"file" help:"Results of brokerage campaign, of brokerage drive --json or of k6. Two are compared."`
	Out   string   `placeholder:"FILE" help:"The page to write, - for the output. Default: beside the file of results; of a comparison none."`
}

func (c *reportCmd) Run(s streams) error {
	switch len(c.Files) {
	case 1:
		return c.page(s)
	case 2:
		return c.compare(s)
	default:
		return usagef("%d files: a report is on one, or compares two", len(c.Files))
	}
}

func (c *reportCmd) page(s streams) error {
	file, err := report.Read(c.Files[0])
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		out = strings.TrimSuffix(c.Files[0], filepath.Ext(c.Files[0])) + ".html"
	}
	return c.write(s, out, file.WriteHTML)
}

func (c *reportCmd) compare(s streams) error {
	a, err := report.Read(c.Files[0])
	if err != nil {
		return err
	}
	b, err := report.Read(c.Files[1])
	if err != nil {
		return err
	}
	comparison, err := report.Compare(a, b)
	if err != nil {
		return err
	}
	if c.Out != "-" {
		if err := comparison.WriteText(s.out); err != nil {
			return err
		}
	}
	if c.Out == "" {
		return nil
	}
	return c.write(s, c.Out, comparison.WriteHTML)
}

// write makes the whole page before it touches the file, and never overwrites what the page was made from.
func (c *reportCmd) write(s streams, path string, page func(io.Writer) error) error {
	if path == "-" {
		return page(s.out)
	}
	if existing, err := os.Stat(path); err == nil {
		for _, file := range c.Files {
			if info, err := os.Stat(file); err == nil && os.SameFile(existing, info) {
				return usagef("%s is a file of results, which a report does not overwrite", path)
			}
		}
	}
	var html bytes.Buffer
	if err := page(&html); err != nil {
		return err
	}
	if err := os.WriteFile(path, html.Bytes(), 0o644); err != nil { //nolint:gosec // a page to show around
		return err
	}
	fmt.Fprintf(s.err, "wrote %s\n", path)
	return nil
}

// campaignReport writes the page of a campaign that has just been run, beside its file.
func campaignReport(r *campaign.Record, folder string) error {
	var html bytes.Buffer
	if err := report.FromCampaign(r).WriteHTML(&html); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "campaign.html"), html.Bytes(), 0o644) //nolint:gosec // a page to show around
}
